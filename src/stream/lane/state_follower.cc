#include "stream/lane/state_follower.h"

#include <fmt/format.h>

#include <algorithm>

#include "detect/base/hash.h"
#include "stream/state/delta.h"

namespace neardup {
namespace {

constexpr int kFollowerPollMs = 100;
// How often the offset is moved from which the changelog is read after the lane is lost.
constexpr int64_t kMarkPeriodMs = 60'000;
// How often a standby asks again how far it must read.
constexpr int64_t kGoalPeriodMs = 5'000;

/// How much of [begin, end) lies below `next`: 0 to 1.
double ShareOf(int64_t next, int64_t begin, int64_t end) {
  const auto total = static_cast<double>(std::max<int64_t>(1, end - begin));
  return std::clamp(static_cast<double>(next - begin) / total, 0.0, 1.0);
}

}  // namespace

StateFollower::StateFollower(const LaneOptions& options, Changelog& changelog, LaneState& state,
                             const Clock& clock, Probe& probe)
    : options_(options),
      changelog_(changelog),
      state_(state),
      clock_(clock),
      probe_(probe),
      log_(changelog) {}

Result<void> StateFollower::StartBehind(const SnapshotManifest& manifest) {
  const std::string& of = manifest.changelog;
  if (!of.empty() && of != changelog_.name()) {
    return DiscardState(
        fmt::format("the snapshot is of changelog {}, this is {}", of, changelog_.name()));
  }
  log_.StartBehind(manifest.end);
  newest_delta_ = manifest.end.checksum;
  from_snapshot_ = true;
  return {};
}

// ---- following

Result<void> StateFollower::Follow(int timeout_ms) {
  const Result<bool> resumed =
      log_.Poll(timeout_ms, [this](const ChangelogRecord& record) { return Fold(record); });
  if (std::exchange(found_hole_, false)) return LeaveLog(resumed.error().text);
  if (!resumed.ok()) return resumed.error();
  if (*resumed) return CheckSettings();
  return log_.is_another_log() ? LeaveLog(log_.why()) : DiscardState(log_.why());
}

Result<void> StateFollower::AskGoal() {
  const int64_t now_ms = clock_.SteadyMs();
  if (goal_ && now_ms - goal_->asked_at_ms < kGoalPeriodMs) return {};
  NEARDUP_ASSIGN(const int64_t end, log_.CommittedEnd());
  // The goal does not run away from a slow reader. It may come nearer, if a broker that no longer
  // led the partition has named it.
  goal_ = goal_ ? Goal{goal_->begin, std::min(goal_->end, end), now_ms}
                : Goal{log_.next_offset(), end, now_ms};
  return {};
}

std::optional<double> StateFollower::ShareRead() const {
  const int64_t next = log_.next_offset();
  const bool checked = log_.is_open() || next == 0;  // a snapshot may not fit this changelog
  if (next >= goal_->end && checked) return std::nullopt;
  return ShareOf(next, goal_->begin, goal_->end);
}

Result<bool> StateFollower::HasReadAll() {
  NEARDUP_ASSIGN(const int64_t end, log_.CommittedEnd());
  return log_.next_offset() >= end;
}

PipelineTopics StateFollower::topics() const {
  return state_.empty() ? PipelineTopics() : state_.lane_topics();
}

/// A delta that changes to the topics of this pipeline may follow deltas of another pipeline.
Result<void> StateFollower::CheckPipeline() {
  const PipelineTopics found = topics();
  if (Compare(options_.pipeline, found) != PipelineMatch::kOther) return {};
  NEARDUP_ASSIGN(const bool all, HasReadAll());
  if (!all) return {};
  return OtherPipeline(options_.pipeline, found, changelog_.name());
}

/// What this instance remembers no longer counts, only what the log says. If it is the same log
/// and has lost its end, the next promotion finds out.
Result<void> StateFollower::LeaveLog(const std::string& why) {
  log_.StartOver();
  if (!state_.empty() && !left_log_) left_log_ = state_.place();
  return DiscardState(why);
}

/// Costs time and loses nothing: the changelog holds everything that is live.
Result<void> StateFollower::DiscardState(const std::string& why) {
  probe_.On(event::StateDiscarded{why});
  renumbered_ = true;
  other_settings_.reset();
  from_snapshot_ = false;
  newest_delta_ = 0;
  return state_.Clear();
}

/// Deltas of other settings may only be followed by a fresh delta of these settings.
Result<void> StateFollower::CheckSettings() {
  if (!other_settings_ || !log_.is_open()) return {};
  NEARDUP_ASSIGN(const int64_t end, log_.End());
  return log_.next_offset() < end ? Result<void>() : *other_settings_;
}

Result<void> StateFollower::Fold(const ChangelogRecord& record) {
  const auto at_offset = [&](Error error) {
    error.text = fmt::format("changelog offset {}: {}", record.offset, error.text);
    error.fatal = true;
    return error;
  };
  const Result<Delta> delta = DecodeDelta(record.bytes);
  if (!delta.ok()) return at_offset(delta.error());
  const bool decided_any = delta->seq_first <= delta->seq_last;
  const bool known =
      delta->writer == state_.writer() &&
      (delta->seq_last < state_.seq() || (decided_any && delta->seq_last == state_.seq()));
  if (other_settings_ && !delta->fresh) return {};
  // Committed by this instance before it lost the lane.
  if (!state_.empty() && known && !delta->fresh) return {};
  const ChangelogMark mark{record.offset, Hash64(record.bytes)};
  const bool follows =
      state_.empty() || delta->fresh || FollowsDelta(*delta, state_.writer(), state_.seq());
  if (!follows && delta->lane == options_.lane && hole_ != mark) {
    hole_ = mark;
    found_hole_ = true;
    return DeltaDoesNotFollow(record.offset);
  }
  const Result<void> applied = state_.Apply(*delta);
  if (applied.ok()) {
    newest_delta_ = mark.checksum;
    if (delta->fresh) {
      renumbered_ = true;
      other_settings_.reset();
    }
    return {};
  }
  if (applied.error().code != ErrorCode::kMismatch || delta->lane != options_.lane) {
    return at_offset(applied.error());
  }
  if (!other_settings_) other_settings_ = at_offset(applied.error());
  return {};
}

// ---- promotion

Result<std::optional<int64_t>> StateFollower::Restore(const std::atomic<bool>& stop) {
  // What it has read held nothing, and does not show that this is still the same log.
  if (state_.empty()) log_.StartOver();
  for (int tries = 0; tries < 2; ++tries) {
    NEARDUP_ASSIGN(const std::optional<int64_t> end, ReadAll(stop));
    if (!end) return end;
    NEARDUP_ASSIGN(const bool is_our_log, ConfirmLog());
    if (!is_our_log) continue;
    if (!state_.beginning().unfinished) return end;
    return BeginningIsUnfinished(state_.beginning(), state_.lane_topics().lanes, changelog_.name());
  }
  return Retriable(ErrorCode::kUnavailable,
                   "the changelog was replaced while it was read; reading it again");
}

Result<std::optional<int64_t>> StateFollower::ReadAll(const std::atomic<bool>& stop) {
  NEARDUP_ASSIGN(const std::optional<int64_t> end, ReadToEnd(stop));
  if (!end) return end;
  NEARDUP_ASSIGN(const bool reads_again, ReadAgainIfIncomplete());
  return reads_again ? ReadToEnd(stop) : end;
}

Result<bool> StateFollower::ReadAgainIfIncomplete() {
  if (!from_snapshot_ || state_.entries_missing().value_or(0) == 0) return false;
  log_.StartOver();
  NEARDUP_TRY(
      DiscardState("the snapshot holds fewer entries than are live; it was kept by an "
                   "instance with another window.entries_max"));
  return true;
}

Result<std::optional<int64_t>> StateFollower::ReadToEnd(const std::atomic<bool>& stop) {
  NEARDUP_ASSIGN(const int64_t end, log_.End());
  const int64_t begin = log_.next_offset();
  int64_t moved_at_ms = clock_.SteadyMs();
  int64_t before = -1;
  while (!log_.is_open() || log_.next_offset() < end) {
    if (stop.load(std::memory_order_relaxed)) return {std::nullopt};
    NEARDUP_TRY(Follow(kFollowerPollMs));
    const int64_t now_ms = clock_.SteadyMs();
    const int64_t next = log_.next_offset();
    if (next != before) {
      before = next;
      moved_at_ms = now_ms;
      probe_.On(event::Restoring{ShareOf(next, begin, end), state_.filter().entries()});
    } else if (now_ms - moved_at_ms > options_.lease_give_up_ms) {
      return Retriable(
          ErrorCode::kUnavailable,
          fmt::format("reading the changelog: no record arrived for {} s; expected to read up to "
                      "offset {}, stopped at offset {}; check that its partition has a leader",
                      options_.lease_give_up_ms / 1000, end, before));
    }
  }
  return {end};
}

/// The records may have been read ahead, and an instance that was paused may have read all of them
/// before the log was deleted and created again. So the brokers are asked once more, after the
/// fence.
Result<bool> StateFollower::ConfirmLog() {
  if (!changelog_.keeps_deltas() || state_.empty()) return true;
  const std::optional<ChangelogMark>& newest = log_.newest();
  const bool is_read = newest && newest->checksum == newest_delta_;
  if (is_read) {
    NEARDUP_ASSIGN(const bool held, log_.StillHoldsNewest());
    if (held) return true;
  }
  NEARDUP_TRY(LeaveLog(
      "the changelog does not end with the delta that this instance knows as its newest: it was "
      "deleted and created again, or restored from a copy, or truncated; reading it from its "
      "beginning"));
  return false;
}

/// Without the offsets of the group, a changelog that lost its end looks like an older one, and
/// records would be decided again.
Result<void> StateFollower::CheckLoss(int64_t end, const std::vector<GroupPosition>& group) {
  const std::optional<std::string> loss = FindChangelogLoss(
      state_, from_snapshot_ ? std::nullopt : std::optional(log_.begin_offset()), group, left_log_);
  if (!loss) return {};
  // A broker that no longer leads the changelog names an end that lies before the true one.
  NEARDUP_ASSIGN(const int64_t end_now, log_.End());
  if (end_now > end) {
    return Retriable(ErrorCode::kUnavailable,
                     fmt::format("the changelog ended at offset {} when it was read, and ends at "
                                 "offset {} now; reading on",
                                 end, end_now));
  }
  // A reset, and an instance that began anew, may have come since the log was read.
  NEARDUP_ASSIGN(const bool is_our_log, ConfirmLog());
  if (!is_our_log) {
    return Retriable(ErrorCode::kUnavailable,
                     "the changelog was replaced after it was read; reading the new one");
  }
  if (options_.on_changelog_loss == OnLoss::kFail) {
    return ChangelogLossRefused(changelog_.name(), *loss);
  }
  probe_.On(event::ChangelogLost{changelog_.name(), *loss});
  GoOnAtTheGroup(state_, group);
  return {};
}

Result<void> StateFollower::ConfirmEnd(int64_t end, int64_t opening_deltas) {
  if (!changelog_.keeps_deltas()) return {};
  NEARDUP_ASSIGN(const int64_t now, log_.End());
  // The marker of the commit follows the deltas, soon after the commit.
  const int64_t most = end + opening_deltas + 1;
  if (now >= end + opening_deltas && now <= most) return {};
  NEARDUP_TRY(DiscardState(fmt::format(
      "the changelog ended at offset {} when it was read, and after {} more deltas at offset {}; a "
      "broker that no longer led the partition has named one of these ends",
      end, opening_deltas, now)));
  log_.StartOver();
  return Retriable(
      ErrorCode::kUnavailable,
      fmt::format("the changelog grew from offset {} to {}, expected at most {}", end, now, most));
}

void StateFollower::BeginToOwn() {
  left_log_.reset();
  hole_.reset();
  log_.Close();
}

// ---- the deltas of this lane

/// Once the commit succeeds, no other instance can have written before this end, and the deltas
/// come after it. Without an answer the lane would only read more after it is lost; it asks again
/// at the next mark.
Result<void> StateFollower::BeforeDeltas() {
  mark_.reset();
  if (clock_.SteadyMs() < mark_at_ms_) return {};
  mark_at_ms_ = clock_.SteadyMs() + kMarkPeriodMs;
  const Result<int64_t> end = log_.End();
  if (!end.ok()) return {};
  if (*end < log_.next_offset()) {
    return Retriable(ErrorCode::kUnavailable,
                     fmt::format("the changelog ends at offset {}, but used to end at {} or "
                                 "higher; taking the lane again to find out why",
                                 *end, log_.next_offset()));
  }
  mark_ = *end;
  return {};
}

void StateFollower::Committed(uint64_t newest_delta) {
  newest_delta_ = newest_delta;
  if (mark_) log_.MoveTo(*mark_);
}

int64_t StateFollower::lag() const {
  return std::max<int64_t>(0, log_.known_end() - log_.next_offset());
}

}  // namespace neardup
