// Edits that turn the texts of a record into the texts of a near copy. They work on words and
// sentences, in scripts with and without spaces between words. All texts must be valid UTF-8.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "detect/base/random.h"
#include "detect/record/field_selection.h"

namespace neardup {

/// Words of a stream, to put into copies. Keeps at most 50,000 for each kind of script, chosen at
/// random (reservoir sampling; Vitter 1985, algorithm R): memory is bounded, and a word is as
/// frequent here as in the stream.
class Vocabulary {
 public:
  explicit Vocabulary(uint64_t seed) : random_(seed) {}

  /// Adds the words of a text.
  void Add(std::string_view text);

  /// A random word of a script that puts spaces between words (`spaced`) or does not, and that is
  /// not `excluded`; nullopt if 50 draws find none.
  std::optional<std::string> Pick(bool spaced, std::string_view excluded,
                                  SeededRandom& random) const;

 private:
  struct Reservoir {
    std::vector<std::string> words;
    uint64_t seen = 0;
  };

  SeededRandom random_;
  Reservoir spaced_;
  Reservoir unspaced_;
};

/// How a copy differs from its original.
enum class EditKind : uint8_t {
  kExact,         ///< not at all
  kReordered,     ///< the sentences of the longest text are in another order
  kInserted,      ///< words are inserted
  kDeleted,       ///< words are deleted
  kReplaced,      ///< words are replaced by others
  kFieldChange,   ///< one field other than the longest has the value of another record
  kSentenceDrop,  ///< one sentence of the longest text is missing
  kFormat,        ///< letter case, white space and markup; the content is equal
  kCut,           ///< the last words of the longest text are missing
  kAdded,         ///< words follow the longest text, as boilerplate does
  kTypo,          ///< words are misspelt
};

inline constexpr EditKind kEditKinds[] = {
    EditKind::kExact,    EditKind::kReordered,   EditKind::kInserted,     EditKind::kDeleted,
    EditKind::kReplaced, EditKind::kFieldChange, EditKind::kSentenceDrop, EditKind::kFormat,
    EditKind::kCut,      EditKind::kAdded,       EditKind::kTypo};

/// The kinds that edit a share of the words have a strength.
bool HasStrength(EditKind kind);
/// "replaced"
std::string_view Name(EditKind kind);
std::optional<EditKind> EditKindOf(std::string_view name);

struct Edit {
  EditKind kind = EditKind::kExact;
  /// Share of the words that are edited, in percent, but at least one word; 0 for kinds without a
  /// strength.
  int strength_percent = 0;

  bool operator==(const Edit&) const = default;
};

/// The kind, and its strength if it has one: "reordered", "replaced-10".
std::string Name(const Edit& edit);

/// Edits words in all texts together, for a kind with a strength; each word is equally likely to be
/// edited, but for kCut and kAdded. Returns false and changes nothing if the texts have too few
/// words, or the vocabulary has no word to put in.
bool EditWords(const Edit& edit, std::span<std::string> texts, const Vocabulary& vocabulary,
               SeededRandom& random);

/// Return false and change nothing if the text has no two different sentences (Reorder), or fewer
/// than two (Drop).
bool ReorderSentences(std::string& text, SeededRandom& random);
bool DropSentence(std::string& text, SeededRandom& random);

// Makes edited copies of single records.

/// Makes edited copies of JSON objects that the field extractor accepts.
class RecordCopier {
 public:
  /// Sorts the members: a copy may hold them in another order.
  using Json = nlohmann::json;

  /// Only the texts in `fields` are edited.
  explicit RecordCopier(const std::vector<FieldPath>& fields);

  /// Adds the words of the fields.
  void AddWords(std::string_view payload, Vocabulary& vocabulary) const;

  /// The record with the edit; nullopt if it does not allow the edit. `donor` is the record that
  /// gives its value for kFieldChange. With kFormat, the copy must be written with an indent.
  std::optional<Json> Edited(std::string_view payload, const Edit& edit, std::string_view donor,
                             const Vocabulary& vocabulary, SeededRandom& random) const;

 private:
  /// Texts in the fields, in the order of `fields_`.
  std::vector<std::string*> Texts(Json& record) const;
  bool Apply(const Edit& edit, Json& record, std::string_view donor, const Vocabulary& vocabulary,
             SeededRandom& random) const;
  bool ChangeField(Json& record, std::string_view donor, SeededRandom& random) const;
  bool ChangeFormat(Json& record) const;

  std::vector<Json::json_pointer> fields_;
};

}  // namespace neardup
