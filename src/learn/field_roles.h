// Decides what each field of a stream is for: compared as text, must agree, may differ, left out.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "learn/field_study.h"
#include "neardup/options.h"
#include "neardup/record.h"

namespace neardup {

/// Something that a person should decide.
struct FieldQuestion {
  std::string text;    ///< what was seen, and what happens now; one sentence without a full stop
  std::string answer;  ///< the option that answers it: --free rooms
  Position earlier;    ///< an example
  Position later;
};

/// The roles of all fields, and the record options that follow.
struct FieldRoles {
  std::vector<StudiedField> fields;  ///< with their final roles
  RecordOptions record;
  /// Records have texts to compare by likeness. If not, all fields but those that are left out are
  /// compared as a whole.
  bool has_text = false;
  size_t pairs = 0;  ///< pairs of records with a common text that the roles were learned from
  std::vector<FieldQuestion> questions;
};

/// THE RULE. Two records are copies if they say the same thing: most of the text is common, and
/// every other field agrees, unless it is free.
///
/// A field is left out by nature if it says when, where from or by which delivery a record was
/// written: JudgeField. The texts are then the fields of sentences, titles and messages. Pairs of
/// records that share a long text show the roles of the others:
///
/// - A standing text says little: many records share it, and they differ in what may be content. If
///   many records have such a text, only pairs that also share their titles are evidence. If titles
///   recur as well, the fields are judged as fields of records without a text.
/// - A title must agree if it differs in more than a quarter of the pairs. It is compared as a text
///   if copies write it differently.
/// - Where the titles agree, a field that nearly always differs may differ, and so may one that is
///   written differently, or that agrees no more often than by chance.
/// - What is uncertain must agree. A date or time that is no time of writing is content.
///
/// Records without a text are equal in all fields but those that are left out. These are left out
/// only if they are equal in so much that chance does not explain it; else a record that comes
/// again is an event, and no copy (Fellegi and Sunter 1969: agreement counts by its rarity).
///
/// `given` holds fields that a person excludes; they are never compared. The order of the records
/// changes nothing, apart from counters.
FieldRoles ChooseRoles(std::span<const RecordView> records, std::vector<StudiedField> studied,
                       const RecordOptions& given);

/// The selector that takes the field with this path: the deepest one that is it or a field above
/// it. nullptr: there is none, or the field or one above it is excluded.
const FieldSelector* SelectorFor(const RecordOptions& options, const std::string& path);
bool IsSelected(const RecordOptions& options, const std::string& path);
/// How it is used, for people: compared, must agree, may differ, left out.
const char* UseOf(const RecordOptions& options, const std::string& path);

}  // namespace neardup
