// When an instance is a candidate for the lease. It joins once it has caught up with the changelog,
// so that a cold instance does not win against one that is ready. It leaves for a while when the
// lane has been in trouble for too long, so that another instance gets its turn.
//
// A candidate may take the lane before it has the lease, if the active process has ended
// (Lease::WatchedHasEnded). That may be a mistake. The fence keeps the outputs right then, but two
// instances that run must not take the lane from each other for ever. So an instance does this at
// most once for each process, and never again once it has seen that it was wrong: the process
// became active again. Each instance therefore takes the lane at most once from a process that runs
// and that becomes active again, whatever the network says.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "stream/lane/lane_options.h"
#include "stream/lane/ports.h"

namespace neardup {

/// One owner thread; the options and the ports must outlive it.
class Candidacy {
 public:
  Candidacy(const LaneOptions& options, Lease& lease, const Clock& clock)
      : options_(options), lease_(lease), clock_(clock), good_at_ms_(clock.SteadyMs()) {}

  bool is_candidate() const { return is_candidate_; }
  /// Call it when the instance has caught up. Does nothing while the instance stays out.
  void Join();

  /// The newest delta that this instance has read is of this epoch, and of the process at this
  /// endpoint; empty: not known. True if this shows that the instance was wrong when it took the
  /// lane from that process.
  bool Follows(const std::string& endpoint, uint64_t epoch);
  /// True if the process that Follows named has ended, and this instance may take the lane from it.
  bool MayTakeOver() const;
  /// Call it before the lane is taken, because MayTakeOver.
  void TakesOver();

  /// A step of the lane went well.
  void StepDone();
  void Committed() { aborting_since_ms_.reset(); }
  /// A transaction was aborted. True if none was committed for so long that the lane must be given
  /// up.
  bool Aborted();
  /// The lane was lost. Leaves the lease to another instance if the trouble has lasted for
  /// LaneOptions::lease_give_up_ms, and then returns the time that it has lasted.
  std::optional<int64_t> Lost(const Error& error);

 private:
  const LaneOptions& options_;
  Lease& lease_;
  const Clock& clock_;

  bool is_candidate_ = false;
  std::string followed_;
  uint64_t followed_epoch_ = 0;
  /// Processes that this instance took the lane from, and the epoch that they had then.
  std::map<std::string, uint64_t> ended_;
  bool was_wrong_ = false;
  int64_t stay_out_until_ms_ = 0;
  int64_t good_at_ms_;  ///< end of the last step that went well, or the beginning
  std::optional<int64_t> aborting_since_ms_;
  std::optional<int64_t> trouble_since_ms_;
  std::optional<int64_t> well_since_ms_;  ///< known only in trouble
};

}  // namespace neardup
