// A reader's place in a changelog that is purged at its beginning and may be deleted and recreated.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "neardup/result.h"
#include "stream/lane/ports.h"
#include "stream/state/lane_state.h"
#include "stream/state/snapshot.h"

namespace neardup {

/// Opens the log when Poll needs it. After an error that its owner wants to recover from, and when
/// it does not need the log for some time, the owner calls Close. One owner thread.
class ChangelogFollower {
 public:
  explicit ChangelogFollower(Changelog& log) : log_(log) {}

  /// The next Poll begins at the beginning of the log.
  void StartOver();
  /// The next Poll begins after the record of `mark`, once it has found that record in the log.
  void StartBehind(const ChangelogMark& mark);
  /// The caller knows everything below `offset`, and has written what follows. The log is opened
  /// there the next time.
  void MoveTo(int64_t offset) {
    resume_offset_ = offset;
    newest_.reset();
  }
  /// The next Poll opens the log again. Until then nothing is read ahead.
  void Close() {
    open_ = false;
    log_.Close();
  }

  /// Hands records to `visit`, as Changelog::Poll does. False when reading cannot resume, because
  /// records that were not read yet are purged or because this is another log. why() and
  /// is_another_log() then explain it, the caller must drop what it knows, and the next Poll begins
  /// at the beginning of the log.
  Result<bool> Poll(int timeout_ms,
                    const std::function<Result<void>(const ChangelogRecord&)>& visit);
  const std::string& why() const { return why_; }
  /// The record of the mark is not in the log.
  bool is_another_log() const { return is_another_log_; }
  /// Where the log began when it was last read from its beginning.
  int64_t begin_offset() const { return begin_offset_; }

  bool is_open() const { return open_; }
  /// The last record that was handed out, or the mark that was found in the log; nullopt after
  /// MoveTo and StartOver, until a record is handed out or a mark is found.
  const std::optional<ChangelogMark>& newest() const { return newest_; }
  /// True if the log holds newest() now, no matter what was read ahead. False without newest().
  Result<bool> StillHoldsNewest();
  /// Every record below was handed out, or was known before.
  int64_t next_offset() const { return open_ ? log_.next_offset() : resume_offset_.value_or(0); }
  Result<int64_t> End() { return log_.End(); }
  Result<int64_t> CommittedEnd() { return log_.CommittedEnd(); }
  int64_t known_end() const { return log_.known_end(); }

 private:
  Result<bool> Open();
  Result<bool> OpenAtMark();
  void KnowBelow(int64_t offset);
  void Compare(const ChangelogRecord& record);
  std::string Purged(int64_t read_to) const;
  bool GiveUp(std::string why, bool is_another_log);

  Changelog& log_;
  bool open_ = false;
  /// Where the next Poll opens the log. None: at the first record that the log still holds.
  std::optional<int64_t> resume_offset_;
  /// The record to find before anything is handed out.
  std::optional<ChangelogMark> mark_;
  std::optional<ChangelogMark> newest_;
  /// What was found instead of `mark_`.
  std::optional<ChangelogMark> foreign_;
  int64_t begin_offset_ = 0;
  std::string why_;
  bool is_another_log_ = false;
};

// Whether a changelog still holds what a lane committed to it.

/// An input that a lane reads, and where the lane's consumer group is; -1: nowhere.
struct GroupPosition {
  uint32_t input = 0;
  int64_t offset = -1;
};

/// Says what is missing in the changelog that `state` was read from, or nullopt. `known`: where
/// the changelog ended, as far as this process knew, before it was read again, if it was.
///
/// A delta and the group's offsets are committed in one transaction, so a group that is ahead of
/// LaneState::committed_offset has seen deltas that are gone. The newest delta counts the live
/// entries, and a purge removes none of them, so a changelog that holds fewer has lost its
/// beginning. Older versions of neardup did not count: there, a log that begins at offset 0 must
/// hold the first delta. `begin_offset`: where the log begins; nullopt if `state` was not read from
/// its beginning.
std::optional<std::string> FindChangelogLoss(const LaneState& state,
                                             std::optional<int64_t> begin_offset,
                                             const std::vector<GroupPosition>& group,
                                             const std::optional<LogPlace>& known = {});

/// The inputs go on where the group is, if it is ahead: the records below are in the outputs
/// already. The records count as decided, so that no seq is given twice. To be committed.
void GoOnAtTheGroup(LaneState& state, const std::vector<GroupPosition>& group);

/// Ends the process. `what` is missing in the changelog `name`.
Error ChangelogLossRefused(std::string_view name, std::string_view what);

}  // namespace neardup
