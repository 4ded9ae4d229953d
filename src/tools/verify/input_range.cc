#include "verify/input_range.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/quantity.h"
#include "reading/topic_reading.h"
#include "record/event_time.h"

namespace neardup {
namespace {

constexpr char kTimeForms[] = "a time such as 2026-01-31 or 2026-01-31T12:00:00Z";

Error Refused(const char* option, std::string_view found, const std::string& expected) {
  return {ErrorCode::kConfig, fmt::format("{}: found {}, expected {}", option, found, expected)};
}

std::optional<int64_t> ParseTime(const std::string& text) {
  constexpr size_t kDateLength = 10;
  for (const std::string& completed : {text, text + "Z", text + "T00:00:00Z"}) {
    if (completed.size() <= kDateLength) continue;
    if (const auto time_ms = ParseEventTime(completed, TimeFormat::kRfc3339)) return time_ms;
  }
  return std::nullopt;
}

Result<void> ParseEnds(const char* option, const std::vector<std::string>& texts,
                       std::optional<int64_t>& time_ms,
                       std::map<InputPartition, int64_t>& offsets) {
  for (const std::string& text : texts) {
    if (const auto offset = ParseTopicOffset(text)) {
      if (!offsets.emplace(offset->partition, offset->offset).second) {
        return Refused(option, text, "each partition once");
      }
    } else if (const auto parsed_ms = ParseTime(text)) {
      if (time_ms) return Refused(option, text, "one time");
      time_ms = parsed_ms;
    } else {
      return Refused(
          option, text,
          fmt::format("{}, or TOPIC/PARTITION/OFFSET such as articles/0/5000", kTimeForms));
    }
  }
  return {};
}

}  // namespace

Result<InputRange> ParseInputRange(const InputRangeText& text, int64_t now_ms) {
  InputRange range;
  NEARDUP_TRY(ParseEnds("--from", text.from, range.from_ms, range.from_offsets));
  NEARDUP_TRY(ParseEnds("--to", text.to, range.to_ms, range.to_offsets));
  if (!text.since.empty()) {
    if (!text.from.empty()) return Refused("--since", text.since, "either --since or --from");
    if (const auto before_ms = ParseDuration(text.since)) {
      range.from_ms = now_ms - *before_ms;
    } else {
      range.from_ms = ParseTime(text.since);
    }
    if (!range.from_ms) {
      return Refused("--since", text.since,
                     fmt::format("a duration such as 2h or 7d, or {}", kTimeForms));
    }
  }
  if (range.by_offset() && (range.from_ms || range.to_ms)) {
    return Error{ErrorCode::kConfig,
                 "found times and offsets, expected only times or only offsets in --from, --to and "
                 "--since"};
  }
  if (range.from_ms && range.to_ms && *range.from_ms >= *range.to_ms) {
    return Refused("--to", text.to.front(), "a time after --from");
  }
  for (const auto& [partition, offset] : range.to_offsets) {
    const auto from = range.from_offsets.find(partition);
    if (from != range.from_offsets.end() && from->second >= offset) {
      return Refused("--to", fmt::format("{}/{}/{}", partition.topic, partition.partition, offset),
                     "an offset after --from");
    }
  }
  return range;
}

}  // namespace neardup
