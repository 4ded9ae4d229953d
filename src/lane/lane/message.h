// A record on its way through the lane, with everything that must come out unchanged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "neardup/record.h"
#include "neardup/verdict.h"
#include "state/groups.h"
#include "state/input.h"
#include "state/route.h"

namespace neardup {

/// Borrowed views. Message::owner keeps those of an input record alive.
struct HeaderView {
  std::string_view name;
  std::optional<std::string_view> value;
};

/// One input record. Its views live as long as `owner`.
struct Message {
  Position position;
  /// Milliseconds since 1970; -1 if the record has none.
  int64_t timestamp_ms = -1;
  std::optional<std::string_view> key;
  std::optional<std::string_view> value;
  /// How many bytes of the value the source left out after those in `value`, which are already too
  /// many. Such a record is a dead letter.
  uint64_t bytes_left_out = 0;
  std::vector<HeaderView> headers;
  std::shared_ptr<const void> owner;
};

/// Size of key, value and headers.
inline size_t BytesOf(const Message& message) {
  size_t bytes = 0;
  if (message.key) bytes += message.key->size();
  if (message.value) bytes += message.value->size();
  for (const HeaderView& header : message.headers) {
    bytes += header.name.size() + (header.value ? header.value->size() : 0);
  }
  return bytes;
}

/// Tells one log from another: a checksum of the key, the value and the timestamp of a record.
uint64_t ChecksumOf(const Message& message);

/// What a lane says of a group of records that repeat one another, in UTF-8 JSON.
struct GroupRecord {
  std::string key;
  std::string value;
};

/// A record with its verdict, ready to be written.
struct RoutedRecord {
  const Message& message;
  const InputPartition& input;
  const Verdict& verdict;
  Route route = Route::kUnique;
  uint64_t seq = 0;
  /// Input partition of verdict.match.original; nullptr without a match.
  const InputPartition* original_input = nullptr;
  /// Our headers, which follow the record's own.
  const std::vector<HeaderView>& headers;
  /// A dead letter by reference goes out without its key, value and headers; our headers name its
  /// origin.
  bool by_reference = false;
  /// Must not share a batch with other records: a refusal of the batch then means this record.
  bool alone = false;
  /// Fingerprint::exact of a record that was compared, otherwise 0.
  uint64_t exact = 0;
  /// What became of a duplicate in its group; nullptr if the lane has no groups.
  const JoinedGroup* joined = nullptr;
  /// Replaces the key of the record, if UniqueKey::kGroup demands it.
  std::optional<std::string_view> group_key{};
  /// Of a duplicate with a group key: the input partition of the group's original. The output
  /// partition of that one takes the record, so that all records of a key are together.
  const InputPartition* group_input = nullptr;

  /// The input partition whose output partition takes the record.
  const InputPartition& target() const { return group_input == nullptr ? input : *group_input; }
};

}  // namespace neardup
