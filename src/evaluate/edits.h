// What is done to a record to make a copy of it that is not equal.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/seeded_random.h"
#include "evaluate/vocabulary.h"

namespace neardup {

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
