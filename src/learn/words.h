// Cuts texts into words and into sentences, in scripts with and without spaces between words. All
// texts must be valid UTF-8.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace neardup {

/// A word and the text up to the next word. In scripts without spaces (Han, Kana, ...) each
/// character is a word.
struct CutWord {
  std::string text;
  std::string gap;
  bool spaced = true;  ///< the script puts spaces between words

  bool operator==(const CutWord&) const = default;
};

/// A text cut into words. `lead` stands before the first word.
struct CutWords {
  std::string lead;
  std::vector<CutWord> words;
};

CutWords CutIntoWords(std::string_view text);
/// The text that was cut, byte for byte if the words are unchanged.
std::string Join(const CutWords& cut);

/// A text cut into sentences. A sentence ends after . ! ? before white space, after a full-width
/// stop, and at a line end. White space between sentences belongs to the gaps, so that it stays in
/// place when sentences move.
struct CutSentences {
  std::string lead;
  std::vector<std::string> sentences;
  std::vector<std::string> gaps;  ///< gaps[i] follows sentences[i]
};

CutSentences CutIntoSentences(std::string_view text);
/// The text that was cut, byte for byte if the sentences are unchanged.
std::string Join(const CutSentences& cut);

// Compares two texts word by word, so that people see where they differ.

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
