// Words for texts of tests.
#pragma once

#include <cstdint>
#include <string>

namespace neardup {

/// A word of letters: a word with digits may be a number, which near records must share.
inline std::string LetterWord(uint64_t number) {
  std::string word;
  for (number += 26; number > 0; number /= 26) word += static_cast<char>('a' + number % 26);
  return word;
}

}  // namespace neardup
