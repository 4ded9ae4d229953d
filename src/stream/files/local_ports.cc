#include "stream/files/local_ports.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "detect/base/hash.h"
#include "detect/base/quantity.h"

namespace neardup {

LaneShares::LaneShares(int lanes, std::string field)
    : field_(std::move(field)), key_(field_), records_(static_cast<size_t>(lanes)) {}

void LaneShares::Add(const Verdict& verdict, int64_t line, std::string_view payload) {
  const uint64_t lane = Hash64(key_.Read(payload, line)) % records_.size();
  ++records_[lane];
  lane_of_.resize(std::max(lane_of_.size(), static_cast<size_t>(line) + 1));
  lane_of_[static_cast<size_t>(line)] = static_cast<uint8_t>(lane);
  if (verdict.decision != Decision::kDuplicate) return;
  ++duplicates_;
  const int64_t original = verdict.match.original.offset;
  uint64_t& lanes_with_group = group_lanes_[original];
  lanes_with_group |= uint64_t{1} << lane_of_[static_cast<size_t>(original)];
  const uint64_t bit = uint64_t{1} << lane;
  if ((lanes_with_group & bit) == 0) ++lost_;
  lanes_with_group |= bit;
}

double LaneShares::LargestShare() const {
  const auto all = std::accumulate(records_.begin(), records_.end(), uint64_t{0});
  const uint64_t most = *std::ranges::max_element(records_);
  return ShareAmong(most, all);
}

}  // namespace neardup
