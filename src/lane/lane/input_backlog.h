// How many records of the inputs no instance has decided, as the changelog and the ends of the
// inputs show. A standby can tell this just as the active instance can.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "state/delta.h"
#include "state/input.h"

namespace neardup {

/// One owner thread.
class InputBacklog {
 public:
  /// Takes the deltas in order. Inputs that the lane no longer reads are left out.
  void Follow(const Delta& delta);

  size_t inputs() const { return inputs_.size(); }
  /// Returns one input after the other. There must be one.
  InputPartition NextToAsk();
  /// `end`: the offset after the newest record.
  void SetEnd(const InputPartition& input, int64_t end);
  /// Sum over the partitions of the topic whose end is known. Offsets without a record count.
  int64_t undecided(const std::string& topic) const;

 private:
  struct Place {
    int64_t next_offset = 0;
    int64_t end = -1;  ///< -1: not known
  };
  std::map<InputPartition, Place> inputs_;
  InputPartition asked_;
};

}  // namespace neardup
