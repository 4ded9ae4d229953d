#include "stream/lane/ports.h"

#include <fmt/format.h>

#include <utility>

#include "detect/base/hash.h"

namespace neardup {

uint64_t ChecksumOf(const Message& message) {
  const uint64_t key = Hash64(message.key.value_or(""), message.key.has_value());
  return Hash64(message.value.value_or(""), key ^ static_cast<uint64_t>(message.timestamp_ms));
}

Result<std::vector<InputPartition>> Source::Partitions() {
  NEARDUP_ASSIGN(FoundInputs found, Find());
  if (found.missing_topics.empty()) return std::move(found.partitions);
  return Error{ErrorCode::kNotFound,
               fmt::format("topic {} does not exist; create it, or correct its name in the "
                           "configuration",
                           found.missing_topics.front())};
}

Result<int64_t> Source::StartOffset(const InputPartition& partition, StartAt at) {
  NEARDUP_ASSIGN(const OffsetBounds bounds, Bounds(partition));
  return at == StartAt::kEarliest ? bounds.begin : bounds.end;
}

}  // namespace neardup
