// Reads ranges of topics to their ends, for commands.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "neardup/result.h"
#include "stream/lane/ports.h"
#include "stream/state/delta.h"
#include "stream/state/route.h"

namespace neardup {

/// topic/partition.
std::string TextOf(const InputPartition& partition);
/// topic/partition/offset.
std::string TextOf(const InputPartition& partition, int64_t offset);

struct TopicOffset {
  InputPartition partition;
  int64_t offset = 0;
};

/// TOPIC/PARTITION/OFFSET; nullopt if the text has another form.
std::optional<TopicOffset> ParseTopicOffset(std::string_view text);

/// A partition, and which of its records are read.
struct ReadRange {
  InputPartition partition;
  int64_t begin = 0;
  int64_t end = 0;
};

/// Hands the committed records of all ranges to `visit`, each range in order of its offsets.
/// Position::input is an index into `ranges`. Records at or after the end of a range may be handed
/// out, too. Returns an error of `visit` unchanged. kUnavailable if no record comes for a minute.
Result<void> ReadRanges(Source& source, std::span<const ReadRange> ranges,
                        const std::function<Result<void>(const Message&)>& visit);

/// The committed record at an offset; nullopt if there is none, because it was deleted or the
/// offset never held one. `bounds`: what the partition holds now.
Result<std::optional<Message>> ReadOne(Source& source, const TopicOffset& at,
                                       const OffsetBounds& bounds);

// Reads a range of a changelog. The lane may be running, and may purge what is read.

/// Hands the deltas from `begin` up to `end` to `visit`, until it returns false. kNotFound if the
/// next delta is purged; Changelog::next_offset says which. kUnavailable if no record comes for a
/// minute.
Result<void> ReadDeltas(Changelog& changelog, int64_t begin, int64_t end,
                        const std::function<bool(Delta)>& visit);

/// Hands the deltas from the oldest up to `end` to `visit`, until it returns false. Passes over
/// deltas that are purged before they are read.
Result<void> ReadOldestDeltas(Changelog& changelog, int64_t end,
                              const std::function<bool(Delta)>& visit);

}  // namespace neardup
