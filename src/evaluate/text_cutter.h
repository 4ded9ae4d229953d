// Text in pieces that can be edited: words and sentences, in scripts with and without spaces.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace neardup {

/// A word and what stands between it and the next. A character of a script written without spaces
/// (Han, Kana, ...) is a word of its own.
struct CutWord {
  std::string text;
  std::string gap;
  bool spaced = true;  ///< of a script that puts spaces between words

  bool operator==(const CutWord&) const = default;
};

/// Lead and then the words with their gaps are the whole text again.
struct CutWords {
  std::string lead;
  std::vector<CutWord> words;
};

/// `text` must be valid UTF-8.
CutWords CutIntoWords(std::string_view text);
std::string Join(const CutWords& cut);

/// A sentence ends after . ! ? before white space, after their full-width kin, and at a line end.
/// Sentences carry no white space at their ends: it stays in place when they move.
struct CutSentences {
  std::string lead;
  std::vector<std::string> sentences;
  std::vector<std::string> gaps;  ///< as many; each after its sentence
};

CutSentences CutIntoSentences(std::string_view text);
std::string Join(const CutSentences& cut);

}  // namespace neardup
