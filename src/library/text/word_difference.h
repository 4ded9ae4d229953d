// Compares two texts word by word, so that people see where they differ.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace neardup {

/// A stretch of words that both texts have in the same order, or of words that only one has.
struct TextStretch {
  std::string text;
  bool differs = false;

  bool operator==(const TextStretch&) const = default;
};

struct WordDifference {
  std::vector<TextStretch> earlier;
  std::vector<TextStretch> later;
};

/// Finds a longest common subsequence of the words; the case of ASCII letters and the characters
/// between words do not count. In long stretches an ellipsis replaces the middle. Texts are cut
/// after 600 words. Both texts must be valid UTF-8.
WordDifference CompareWords(std::string_view earlier, std::string_view later);

}  // namespace neardup
