#include "lane/changelog_loss.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace neardup {
namespace {

/// A message names this many inputs at most.
constexpr size_t kNamedMax = 5;

bool IsAhead(const LaneState& state, const GroupPosition& group) {
  return group.offset >= 0 && (state.empty() || group.offset > state.committed_offset(group.input));
}

std::optional<std::string> FindLostHead(const LaneState& state,
                                        std::optional<int64_t> begin_offset) {
  const std::optional<uint64_t> missing = state.entries_missing();
  if (missing && *missing > 0) {
    return fmt::format(
        "{} live entries are missing: records were deleted at its beginning, which now is at "
        "offset {} and seq {}; `neardup reindex --execute`, with all instances stopped, computes "
        "them again from the unique topic",
        *missing, begin_offset.value_or(0), state.seq_first());
  }
  if (missing || begin_offset != 0 || state.seq_first() <= state.settings_seq()) return {};
  return fmt::format("its first delta, at offset 0, begins with seq {}; expected seq {}",
                     state.seq_first(), state.settings_seq());
}

std::optional<std::string> FindLostTail(const LaneState& state,
                                        const std::vector<GroupPosition>& group) {
  std::vector<std::string> named;
  size_t ahead = 0;
  for (const GroupPosition& row : group) {
    if (!IsAhead(state, row) || ++ahead > kNamedMax) continue;
    const InputPartition& input = state.inputs()[row.input].partition;
    named.push_back(
        fmt::format("{}/{} at offset {}", input.topic, input.partition, row.offset) +
        (state.empty() ? "" : fmt::format(" (changelog: {})", state.committed_offset(row.input))));
  }
  if (ahead == 0) return {};
  if (ahead > named.size()) named.push_back(fmt::format("{} more", ahead - named.size()));
  const char* const what =
      state.empty() ? "it holds no delta, but the consumer group has offsets, so this is no first "
                      "start: the topic was deleted and created again, or emptied"
                    : "it ends before the offsets of the consumer group: its newest records are "
                      "lost, or somebody moved these offsets";
  return fmt::format("{}; the group has {}", what, fmt::join(named, ", "));
}

}  // namespace

std::optional<std::string> FindChangelogLoss(const LaneState& state,
                                             std::optional<int64_t> begin_offset,
                                             const std::vector<GroupPosition>& group,
                                             const std::optional<LogPlace>& known) {
  const std::optional<std::string> head =
      state.empty() ? std::nullopt : FindLostHead(state, begin_offset);
  std::optional<std::string> tail = FindLostTail(state, group);
  if (!tail && known && !state.empty() && HasLostItsEnd(state.place(), *known)) {
    tail = fmt::format("it ends at seq {}, but this instance knew it up to seq {}", state.seq(),
                       known->seq);
  }
  if (head && tail) return *head + "; " + *tail;
  return head ? head : tail;
}

void GoOnAtTheGroup(LaneState& state, const std::vector<GroupPosition>& group) {
  for (const GroupPosition& row : group) {
    if (!IsAhead(state, row)) continue;
    const int64_t known = state.empty() ? 0 : state.committed_offset(row.input);
    state.SkipTo(row.input, row.offset, static_cast<uint64_t>(row.offset - known));
  }
}

Error ChangelogLossRefused(std::string_view name, std::string_view what) {
  return Fatal(
      ErrorCode::kCorrupt,
      fmt::format("changelog {} lost records: {}. Restore the topic from a copy. If somebody moved "
                  "the offsets of the group, set them back. If neither is possible, set "
                  "state.on_changelog_loss to continue: no record is written twice, but records "
                  "that repeat the lost ones count as unique. See docs/recovery.md",
                  name, what));
}

}  // namespace neardup
