// What several lanes would miss: the duplicates of a file whose originals would be in other lanes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "neardup/verdict.h"
#include "record/field_extractor.h"

namespace neardup {

/// Shares the records between lanes by the hash of a field, as producers share them between the
/// partitions of a topic by their key. Takes one byte for each line, and 8 for each original.
class LaneShares {
 public:
  /// `lanes`: 2 to 64. `field`: a field selector. A record without the field goes to any lane.
  LaneShares(int lanes, std::string field);

  /// Adds the next line of the file, with the verdict of one lane for all.
  void Add(const Verdict& verdict, int64_t line, std::string_view payload);

  int lanes() const { return static_cast<int>(records_.size()); }
  const std::string& field() const { return field_; }
  uint64_t duplicates() const { return duplicates_; }
  /// Duplicates that would be unique: each is the first of its group in its lane, and the original
  /// is in another one.
  uint64_t lost() const { return lost_; }
  /// The records of the lane with the most, as a share of all: 0 to 1.
  double LargestShare() const;

 private:
  std::string field_;
  RecordIdReader key_;
  std::vector<uint64_t> records_;                      ///< by lane
  std::vector<uint8_t> lane_of_;                       ///< by line
  std::unordered_map<int64_t, uint64_t> group_lanes_;  ///< by the line of the original: bits
  uint64_t duplicates_ = 0;
  uint64_t lost_ = 0;
};

}  // namespace neardup
