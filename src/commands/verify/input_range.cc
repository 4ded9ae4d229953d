#include "commands/verify/input_range.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string_view>

#include "detect/base/quantity.h"
#include "detect/record/event_time.h"
#include "service/topics/topic_reading.h"
#include "stream/lane/route_header.h"

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
      return Refused("--to", TextOf(partition, offset), "an offset after --from");
    }
  }
  return range;
}

namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr size_t kRecordsPerPoll = 100;
constexpr int kPollTimeoutMs = 200;
constexpr std::chrono::milliseconds kStepMax(60'000);

/// The range that holds the sought offset: before `low` all origins are too small, and from `high`
/// on none is.
struct Halving {
  int64_t low = 0;
  int64_t high = 0;
  bool open() const { return high - low > kOutputSearchSlack; }
  int64_t middle() const { return low + (high - low) / 2; }
};

/// The first output at or after an offset that states its origin.
struct FoundOutput {
  int64_t offset = 0;
  int64_t origin_offset = 0;
  uint64_t seq = 0;
};

/// Returns, for each open search, the first output at or after its middle.
Result<std::vector<std::optional<FoundOutput>>> ReadMiddles(Source& source,
                                                            std::span<const OutputSearch> searches,
                                                            std::span<const Halving> halvings) {
  std::vector<InputAssignment> assignments;
  std::vector<bool> waits(searches.size(), false);
  for (uint32_t i = 0; i < searches.size(); ++i) {
    if (!halvings[i].open()) continue;
    assignments.push_back({i, searches[i].output, halvings[i].middle()});
    waits[i] = true;
  }
  NEARDUP_TRY(source.Assign(assignments));
  std::vector<std::optional<FoundOutput>> found(searches.size());
  const auto begin = SteadyClock::now();
  std::vector<Message> batch;
  while (std::find(waits.begin(), waits.end(), true) != waits.end()) {
    batch.clear();
    NEARDUP_TRY(source.Poll(kRecordsPerPoll, kPollTimeoutMs, batch));
    for (const Message& message : batch) {
      const uint32_t i = message.position.input;
      if (!waits[i]) continue;
      if (message.position.offset >= halvings[i].high) {
        waits[i] = false;
        continue;
      }
      const Result<ParsedHeader> header = ParseRouteHeader(message.headers);
      if (!header.ok()) continue;
      found[i] = {message.position.offset, header->origin_offset, header->seq};
      waits[i] = false;
    }
    for (const InputStatus& status : source.Status()) {
      if (status.trouble == InputTrouble::kOffsetGone || status.trouble == InputTrouble::kMissing) {
        return Error{ErrorCode::kNotFound,
                     fmt::format("{}: offset {} was deleted while the topics were read; try again",
                                 TextOf(searches[status.input].output), status.next_offset)};
      }
      if (status.at_end || status.next_offset >= halvings[status.input].high) {
        waits[status.input] = false;
      }
    }
    if (SteadyClock::now() - begin > kStepMax) {
      return Retriable(ErrorCode::kUnavailable,
                       fmt::format("the outputs did not answer for {} ms", kStepMax.count()));
    }
  }
  return found;
}

}  // namespace

Result<void> SearchOutputs(Source& source, std::span<OutputSearch> searches) {
  std::vector<Halving> halvings;
  for (const OutputSearch& search : searches) halvings.push_back({search.begin, search.end});
  const auto open = [](const Halving& halving) { return halving.open(); };
  while (std::any_of(halvings.begin(), halvings.end(), open)) {
    NEARDUP_ASSIGN(const auto found, ReadMiddles(source, searches, halvings));
    for (size_t i = 0; i < searches.size(); ++i) {
      Halving& halving = halvings[i];
      if (!halving.open()) continue;
      if (found[i] && found[i]->origin_offset < searches[i].origin_offset) {
        halving.low = found[i]->offset + 1;
        continue;
      }
      halving.high = halving.middle();
      if (found[i]) searches[i].seq_behind = found[i]->seq;
    }
  }
  for (size_t i = 0; i < searches.size(); ++i) searches[i].found = halvings[i].low;
  return {};
}

}  // namespace neardup
