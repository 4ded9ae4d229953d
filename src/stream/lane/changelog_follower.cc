#include "stream/lane/changelog_follower.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "detect/base/hash.h"

namespace neardup {

void ChangelogFollower::StartOver() {
  open_ = false;
  foreign_.reset();
  mark_.reset();
  newest_.reset();
  resume_offset_.reset();
}

Result<bool> ChangelogFollower::StillHoldsNewest() {
  if (!newest_) return false;
  return log_.Holds(*newest_);
}

void ChangelogFollower::StartBehind(const ChangelogMark& mark) {
  mark_ = mark;
  resume_offset_ = mark.offset + 1;
  open_ = false;
}

Result<bool> ChangelogFollower::Poll(
    int timeout_ms, const std::function<Result<void>(const ChangelogRecord&)>& visit) {
  if (!open_) {
    NEARDUP_ASSIGN(const bool opened, Open());
    if (!opened) return false;
  }
  const Result<void> polled =
      log_.Poll(timeout_ms, [&](const ChangelogRecord& record) -> Result<void> {
        if (foreign_) return {};
        if (mark_) {
          Compare(record);
          return {};
        }
        NEARDUP_TRY(visit(record));
        newest_ = {record.offset, Hash64(record.bytes)};
        KnowBelow(record.offset + 1);
        return {};
      });
  if (foreign_) {
    return GiveUp(
        fmt::format(
            "it was deleted and created again, or it belongs to another app (expected checksum "
            "{:016x} at offset {}, found checksum {:016x} at offset {}); "
            "docs/recovery.md says what to do",
            mark_->checksum, mark_->offset, foreign_->checksum, foreign_->offset),
        /*is_another_log=*/true);
  }
  if (!polled.ok() && polled.error().code == ErrorCode::kNotFound && !polled.error().fatal) {
    open_ = false;  // purged while it was read; Open finds out how far
    return true;
  }
  if (!polled.ok()) return polled.error();
  if (mark_ && log_.next_offset() > mark_->offset) {
    return GiveUp(
        fmt::format("it was deleted and created again, or it belongs to another app (expected a "
                    "record at offset {}, found none); docs/recovery.md says what to do",
                    mark_->offset),
        /*is_another_log=*/true);
  }
  if (!mark_) KnowBelow(log_.next_offset());
  return true;
}

Result<bool> ChangelogFollower::Open() {
  if (mark_) return OpenAtMark();
  if (resume_offset_) {
    NEARDUP_ASSIGN(const int64_t end, log_.End());
    if (end < *resume_offset_) {
      return GiveUp(
          fmt::format("it was deleted and created again, or truncated (it ends at offset {}, but "
                      "was read up to offset {} before)",
                      end, *resume_offset_),
          /*is_another_log=*/true);
    }
  }
  NEARDUP_TRY(log_.Open(resume_offset_.value_or(0)));
  if (!resume_offset_) {
    begin_offset_ = log_.next_offset();
  } else if (log_.next_offset() > *resume_offset_) {
    return GiveUp(Purged(*resume_offset_), /*is_another_log=*/false);
  }
  open_ = true;
  return true;
}

Result<bool> ChangelogFollower::OpenAtMark() {
  NEARDUP_ASSIGN(const int64_t end, log_.End());
  if (end <= mark_->offset) {
    return GiveUp(
        fmt::format("it was deleted and created again, or truncated, or it belongs to another app "
                    "(expected a record at offset {}, but it ends at offset {}); "
                    "docs/recovery.md says what to do",
                    mark_->offset, end),
        /*is_another_log=*/true);
  }
  NEARDUP_TRY(log_.Open(mark_->offset));
  if (log_.next_offset() > mark_->offset) {
    return GiveUp(Purged(mark_->offset + 1), /*is_another_log=*/false);
  }
  open_ = true;
  return true;
}

void ChangelogFollower::KnowBelow(int64_t offset) {
  resume_offset_ = std::max(resume_offset_.value_or(0), offset);
}

void ChangelogFollower::Compare(const ChangelogRecord& record) {
  const ChangelogMark found{record.offset, Hash64(record.bytes)};
  if (found == *mark_) {
    newest_ = found;
    mark_.reset();
  } else {
    foreign_ = found;
  }
}

std::string ChangelogFollower::Purged(int64_t read_to) const {
  return fmt::format(
      "it was purged up to offset {}, but only read to offset {}; if this happens often, this "
      "instance is too slow, or was stopped for longer than the window",
      log_.next_offset(), read_to);
}

bool ChangelogFollower::GiveUp(std::string why, bool is_another_log) {
  is_another_log_ = is_another_log;
  why_ = "cannot resume the changelog: " + std::move(why);
  StartOver();
  return false;
}

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
                      "start: the topic was deleted and created again, or emptied; `neardup "
                      "reindex --execute`, with all instances stopped, computes its entries again "
                      "from the unique topic"
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
