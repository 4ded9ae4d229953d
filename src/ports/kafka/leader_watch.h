// What the library's statistics say about brokers that do not answer.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>

#include "state/input.h"

namespace neardup {

/// Reads the library's statistics, because the library reports no event when an idle partition
/// loses its leader. One thread.
class LeaderWatch {
 public:
  /// `statistics`: JSON of the library. Other text is ignored.
  void Take(std::string_view statistics);
  /// True if the partition had no leader that answered in the last two statistics.
  bool IsSilent(const InputPartition& partition) const;

 private:
  /// By partition whose leader does not answer: for how many statistics in a row.
  std::map<InputPartition, uint32_t> silent_for_;
};

/// Whether a broker is connected and has sent something in the last `silent_us` microseconds. The
/// client must have asked for something meanwhile. False if the text is not statistics.
bool AnyBrokerAnswers(std::string_view statistics, int64_t silent_us);

}  // namespace neardup
