// All fields of a record, by their paths.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "detect/record/field_selection.h"

namespace neardup {

/// A field, at any depth. The elements of an array are one field, and so are their members.
struct RecordField {
  std::string path;  ///< as record.fields takes it
  /// The scalars of the field in the order of the document, one on each line. Empty: null or empty.
  std::string text;
  size_t items = 0;     ///< number of scalars
  bool number = false;  ///< the first of them is a JSON number
};

/// Reads the fields of payloads. Keeps scratch memory: one instance per thread.
class RecordFields {
 public:
  /// The fields in the order in which they first occur; if the record has hundreds of members, by
  /// name. None if the payload is no JSON object. Valid until the next call.
  const std::vector<RecordField>& Read(std::string_view payload);

 private:
  std::vector<RecordField> fields_;
};

/// The shortest selector of a path: a top-level name, or else a JSON Pointer.
std::string SelectorOf(const FieldPath& path);

// What the name of a field says about its values.

/// The name of a field is only a hint: a role follows from it together with the form of the values.
/// Names are read as words, whatever joins them: createdAt, created_at and `created at` are equal.
struct FieldName {
  /// When a record was written, sent, seen or changed: created_at, timestamp, crawled.
  bool written = false;
  /// When something happens that the record is about: starts_at, due, birth_date.
  bool event_time = false;
  /// A name of the record or of a delivery: id, uuid, message_id, md5.
  bool identifier = false;
  /// A number that a machine gave: pid, port, offset, attempt.
  bool machine_number = false;
  /// How often a record was looked at or liked: views, retweet_count.
  bool counter = false;
  /// Where a record came from: source, host, mirror, feed, section.
  bool provenance = false;
  /// How serious a message of a program is: level, severity.
  bool severity = false;
  /// The message of a program or a person: message, body, text.
  bool message = false;
};

/// `path` is a top-level name or a JSON Pointer. The last part counts; `message` looks at all
/// parts.
FieldName ReadFieldName(std::string_view path);

}  // namespace neardup
