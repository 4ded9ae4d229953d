// When an instance is a candidate for the lease. It joins once it has caught up with the changelog,
// so that a cold instance does not win against one that is ready. It leaves for a while when the
// lane has been in trouble for too long, so that another instance gets its turn.
#pragma once

#include <cstdint>
#include <optional>

#include "lane/lane_options.h"
#include "lane/ports.h"

namespace neardup {

/// One owner thread; the options and the ports must outlive it.
class Candidacy {
 public:
  Candidacy(const LaneOptions& options, Lease& lease, const Clock& clock)
      : options_(options), lease_(lease), clock_(clock), good_at_ms_(clock.SteadyMs()) {}

  bool is_candidate() const { return is_candidate_; }
  /// Call it when the instance has caught up. Does nothing while the instance stays out.
  void Join();

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
  int64_t stay_out_until_ms_ = 0;
  int64_t good_at_ms_;  ///< end of the last step that went well, or the beginning
  std::optional<int64_t> aborting_since_ms_;
  std::optional<int64_t> trouble_since_ms_;
  std::optional<int64_t> well_since_ms_;  ///< known only in trouble
};

}  // namespace neardup
