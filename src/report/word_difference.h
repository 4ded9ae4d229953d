// Two texts side by side, for a person to see what tells them apart.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace neardup {

/// Words that stand in both texts in the same order, or words that don't.
struct TextStretch {
  std::string text;
  bool differs = false;

  bool operator==(const TextStretch&) const = default;
};

struct WordDifference {
  std::vector<TextStretch> earlier;
  std::vector<TextStretch> later;
};

/// By a longest common subsequence of the words, case and what stands between them aside. Long
/// stretches are cut short, with an ellipsis in place of their middle, and so are texts of more
/// than 600 words. Both must be valid UTF-8.
WordDifference CompareWords(std::string_view earlier, std::string_view later);

}  // namespace neardup
