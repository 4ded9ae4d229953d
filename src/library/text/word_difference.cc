#include "text/word_difference.h"

#include <algorithm>
#include <cstdint>

#include "text/cut_text.h"

namespace neardup {

namespace {

/// Bounds the time and memory of the comparison.
constexpr size_t kWordsMax = 600;
/// Words that are kept at each end of a long stretch.
constexpr size_t kSharedKept = 8;
constexpr size_t kDifferingKept = 20;
constexpr const char* kEllipsis = "\u2026 ";

/// With the capital letters of ASCII as small letters.
std::string Folded(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

struct Words {
  std::vector<CutWord> words;
  std::vector<std::string> folded;
  std::vector<bool> shared;
  bool cut = false;

  explicit Words(std::string_view text) : words(CutIntoWords(text).words) {
    cut = words.size() > kWordsMax;
    if (cut) words.resize(kWordsMax);
    for (const CutWord& word : words) folded.push_back(Folded(word.text));
    shared.resize(words.size());
  }
};

/// Marks a longest common subsequence in both texts, by dynamic programming.
void MarkShared(Words& a, Words& b) {
  const size_t columns = b.words.size() + 1;
  // length(i, j): longest common subsequence of the words from i and from j on.
  std::vector<uint16_t> lengths((a.words.size() + 1) * columns);
  const auto length = [&](size_t i, size_t j) -> uint16_t& { return lengths[i * columns + j]; };
  for (size_t i = a.words.size(); i-- > 0;) {
    for (size_t j = b.words.size(); j-- > 0;) {
      length(i, j) = a.folded[i] == b.folded[j] ? static_cast<uint16_t>(length(i + 1, j + 1) + 1)
                                                : std::max(length(i + 1, j), length(i, j + 1));
    }
  }
  for (size_t i = 0, j = 0; i < a.words.size() && j < b.words.size();) {
    if (a.folded[i] == b.folded[j]) {
      a.shared[i++] = true;
      b.shared[j++] = true;
    } else if (length(i + 1, j) >= length(i, j + 1)) {
      ++i;
    } else {
      ++j;
    }
  }
}

std::vector<TextStretch> Stretches(const Words& text) {
  std::vector<TextStretch> stretches;
  for (size_t begin = 0; begin < text.words.size();) {
    size_t end = begin;
    while (end < text.words.size() && text.shared[end] == text.shared[begin]) ++end;
    const size_t kept = text.shared[begin] ? kSharedKept : kDifferingKept;
    TextStretch& stretch = stretches.emplace_back();
    stretch.differs = !text.shared[begin];
    for (size_t i = begin; i < end; ++i) {
      if (end - begin > 2 * kept + 1 && i == begin + kept) {
        stretch.text += kEllipsis;
        i = end - kept;
      }
      stretch.text += text.words[i].text + text.words[i].gap;
    }
    begin = end;
  }
  if (text.cut) stretches.push_back({kEllipsis, false});
  return stretches;
}

}  // namespace

WordDifference CompareWords(std::string_view earlier, std::string_view later) {
  Words a(earlier);
  Words b(later);
  MarkShared(a, b);
  return {Stretches(a), Stretches(b)};
}

}  // namespace neardup
