// Ports of a lane that shares nothing with other processes: the system clock, a lease that is
// always held, no changelog.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

#include "detect/record/field_extractor.h"
#include "neardup/verdict.h"
#include "stream/lane/ports.h"

namespace neardup {

class SystemClock : public Clock {
 public:
  int64_t WallMs() const override { return Since(std::chrono::system_clock::now()); }
  int64_t SteadyMs() const override { return Since(std::chrono::steady_clock::now()); }
  void SleepMs(int64_t ms) override { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

 private:
  template <class TimePoint>
  static int64_t Since(TimePoint now) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count();
  }
};

class OwnLease : public Lease {
 public:
  void Join() override {}
  void Leave() override {}
  Result<bool> Held() override { return true; }
  void Release() override {}
};

/// Keeps nothing: the lane starts empty each time.
class EmptyChangelog : public Changelog {
 public:
  std::string name() const override { return "none"; }
  Result<void> Open(int64_t) override { return {}; }
  void Close() override {}
  Result<void> Poll(int, const std::function<Result<void>(const ChangelogRecord&)>&) override {
    return {};
  }
  int64_t next_offset() const override { return 0; }
  Result<int64_t> End() override { return int64_t{0}; }
  bool keeps_deltas() const override { return false; }
  Result<int64_t> CommittedEnd() override { return int64_t{0}; }
  int64_t known_end() const override { return 0; }
  Result<bool> Holds(const ChangelogMark&) override { return true; }
  Result<bool> Purge(int64_t, const ChangelogMark&) override { return true; }
};

// What several lanes would miss: the duplicates of a file whose originals would be in other lanes.

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
