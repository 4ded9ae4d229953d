#include <fmt/format.h>

#include <utility>

#include "lane/ports.h"

namespace neardup {

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
