// Text in pieces that can be edited: words and sentences, in scripts with and without spaces.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/seeded_random.h"

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

// Words to put into copies: those of the stream itself, as often as they stand there.

/// Keeps a random sample (Vitter 1985, algorithm R), so that its memory is bounded.
class Vocabulary {
 public:
  explicit Vocabulary(uint64_t seed) : random_(seed) {}

  /// Takes the words of a text in; it must be valid UTF-8.
  void Add(std::string_view text);

  /// A word of that sort of script (CutWord::spaced) other than `than`; nullopt when hardly any is
  /// known.
  std::optional<std::string> Pick(bool spaced, std::string_view than, SeededRandom& random) const;

 private:
  struct Reservoir {
    std::vector<std::string> words;
    uint64_t seen = 0;
  };

  SeededRandom random_;
  Reservoir spaced_;
  Reservoir unspaced_;
};

// What is done to a record to make a copy of it that is not equal.

enum class EditKind : uint8_t {
  kExact,         ///< nothing
  kReordered,     ///< the sentences of the longest text in another order
  kInserted,      ///< words put in
  kDeleted,       ///< words taken out
  kReplaced,      ///< words replaced by others
  kFieldChange,   ///< one field that is not the longest has another record's value
  kSentenceDrop,  ///< one sentence of the longest text left out
};

/// `strength`: of each hundred words so many are edited, at least one. Only the three kinds that
/// edit words have one; 0 for the others.
struct Edit {
  EditKind kind = EditKind::kExact;
  int strength_percent = 0;

  bool operator==(const Edit&) const = default;
};

/// "reordered", or with its strength "replaced-10".
std::string Name(const Edit& edit);
/// The kind without strength: "replaced".
std::string_view Name(EditKind kind);
std::optional<EditKind> EditKindOf(std::string_view name);
bool HasStrength(EditKind kind);
inline constexpr EditKind kEditKinds[] = {
    EditKind::kExact,    EditKind::kReordered,   EditKind::kInserted,    EditKind::kDeleted,
    EditKind::kReplaced, EditKind::kFieldChange, EditKind::kSentenceDrop};

/// Edits words of all texts together, any of them equally likely. False, and the texts are as they
/// were, when they have too few words or the vocabulary none to put in.
bool EditWords(const Edit& edit, std::span<std::string> texts, const Vocabulary& vocabulary,
               SeededRandom& random);

/// False, and the text is as it was, when it has no two different sentences.
bool ReorderSentences(std::string& text, SeededRandom& random);
bool DropSentence(std::string& text, SeededRandom& random);

}  // namespace neardup
