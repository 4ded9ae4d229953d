#include "service/topics/topic_reading.h"

#include <fmt/format.h>

#include <chrono>
#include <limits>
#include <utility>
#include <vector>

#include "detect/base/quantity.h"

namespace neardup {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr size_t kRecordsPerPoll = 5000;
constexpr int kPollTimeoutMs = 200;
constexpr std::chrono::milliseconds kReadStall(60'000);

/// A range that has not been read to its end; nullptr if there is none.
const ReadRange* FirstOpen(Source& source, std::span<const ReadRange> ranges,
                           const std::vector<int64_t>& next_offsets) {
  for (const InputStatus& status : source.Status()) {
    const ReadRange& range = ranges[status.input];
    if (!status.at_end && next_offsets[status.input] < range.end) return &range;
  }
  return nullptr;
}

Result<void> CheckReadable(Source& source, std::span<const ReadRange> ranges) {
  for (const InputStatus& status : source.Status()) {
    const std::string partition = TextOf(ranges[status.input].partition);
    if (status.trouble == InputTrouble::kOffsetGone) {
      return Error{ErrorCode::kNotFound,
                   fmt::format("{}: offset {} was deleted while the topics were read; try again",
                               partition, status.next_offset)};
    }
    if (status.trouble == InputTrouble::kMissing) {
      return Error{ErrorCode::kNotFound,
                   fmt::format("{} was deleted while the topics were read", partition)};
    }
  }
  return {};
}

}  // namespace

std::string TextOf(const InputPartition& partition) {
  return fmt::format("{}/{}", partition.topic, partition.partition);
}

std::string TextOf(const InputPartition& partition, int64_t offset) {
  return fmt::format("{}/{}", TextOf(partition), offset);
}

// Topic names hold no '/'.
std::optional<TopicOffset> ParseTopicOffset(std::string_view text) {
  const size_t last = text.rfind('/');
  const size_t first = text.find('/');
  if (first == text.npos || first == last || first == 0) return std::nullopt;
  const auto partition = ParseInteger(text.substr(first + 1, last - first - 1));
  const auto offset = ParseInteger(text.substr(last + 1));
  if (!partition || *partition < 0 || *partition > std::numeric_limits<int32_t>::max()) {
    return std::nullopt;
  }
  if (!offset || *offset < 0) return std::nullopt;
  return TopicOffset{{std::string(text.substr(0, first)), static_cast<int32_t>(*partition)},
                     *offset};
}

Result<void> ReadRanges(Source& source, std::span<const ReadRange> ranges,
                        const std::function<Result<void>(const Message&)>& visit) {
  std::vector<InputAssignment> assignments;
  std::vector<int64_t> next_offsets;
  for (uint32_t i = 0; i < ranges.size(); ++i) {
    next_offsets.push_back(ranges[i].begin);
    if (ranges[i].begin >= ranges[i].end) continue;
    assignments.push_back({i, ranges[i].partition, ranges[i].begin});
  }
  if (assignments.empty()) return {};
  NEARDUP_TRY(source.Assign(assignments));
  auto moved_at = SteadyClock::now();
  std::vector<Message> batch;
  while (const ReadRange* open = FirstOpen(source, ranges, next_offsets)) {
    batch.clear();
    NEARDUP_TRY(source.Poll(kRecordsPerPoll, kPollTimeoutMs, batch));
    NEARDUP_TRY(CheckReadable(source, ranges));
    for (const Message& message : batch) {
      next_offsets[message.position.input] = message.position.offset + 1;
      NEARDUP_TRY(visit(message));
    }
    if (!batch.empty()) moved_at = SteadyClock::now();
    if (SteadyClock::now() - moved_at > kReadStall) {
      return Retriable(ErrorCode::kUnavailable,
                       fmt::format("read no record for {} ms and have not reached the end of {} "
                                   "(offset {})",
                                   kReadStall.count(), TextOf(open->partition), open->end));
    }
  }
  return {};
}

Result<std::optional<Message>> ReadOne(Source& source, const TopicOffset& at,
                                       const OffsetBounds& bounds) {
  if (at.offset < bounds.begin || at.offset >= bounds.end) return {std::nullopt};
  std::optional<Message> found;
  const ReadRange one = {at.partition, at.offset, at.offset + 1};
  NEARDUP_TRY(ReadRanges(source, {&one, 1}, [&](const Message& message) -> Result<void> {
    if (message.position.offset == at.offset) found = message;
    return {};
  }));
  return {std::move(found)};
}

namespace {

constexpr int kChangelogPollMs = 200;
constexpr std::chrono::milliseconds kChangelogStall(60'000);
/// How often a purge may overtake the reader.
constexpr int kPurgesMax = 10;

}  // namespace

Result<void> ReadDeltas(Changelog& changelog, int64_t begin, int64_t end,
                        const std::function<bool(Delta)>& visit) {
  using SteadyClock = std::chrono::steady_clock;
  NEARDUP_TRY(changelog.Open(begin));
  auto moved_at = SteadyClock::now();
  bool wanted = true;
  while (wanted && changelog.next_offset() < end) {
    const int64_t before = changelog.next_offset();
    NEARDUP_TRY(
        changelog.Poll(kChangelogPollMs, [&](const ChangelogRecord& record) -> Result<void> {
          if (!wanted) return {};
          Result<Delta> delta = DecodeDelta(record.bytes);
          if (!delta.ok()) {
            Error error = delta.error();
            error.text = fmt::format("changelog offset {}: {}", record.offset, error.text);
            return error;
          }
          wanted = visit(std::move(*delta));
          return {};
        }));
    if (changelog.next_offset() > before) moved_at = SteadyClock::now();
    if (SteadyClock::now() - moved_at > kChangelogStall) {
      return Retriable(
          ErrorCode::kUnavailable,
          fmt::format(
              "reading changelog {}: no record arrived for {} ms; expected to read up to offset "
              "{}, stopped at offset {}; check that its partition has a leader, and that no "
              "transaction is open",
              changelog.name(), kChangelogStall.count(), end, changelog.next_offset()));
    }
  }
  return {};
}

Result<void> ReadOldestDeltas(Changelog& changelog, int64_t end,
                              const std::function<bool(Delta)>& visit) {
  int64_t begin = 0;
  for (int purges = 0;; ++purges) {
    const Result<void> read = ReadDeltas(changelog, begin, end, visit);
    const bool purged =
        !read.ok() && read.error().code == ErrorCode::kNotFound && !read.error().fatal;
    if (!purged || purges == kPurgesMax) return read;
    begin = changelog.next_offset();
  }
}

}  // namespace neardup
