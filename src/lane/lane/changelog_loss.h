// Whether a changelog still holds what a lane committed to it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "neardup/result.h"
#include "state/lane_state.h"

namespace neardup {

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
