// What the name of a field says about its values.
#pragma once

#include <string_view>

namespace neardup {

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
