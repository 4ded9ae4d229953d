// What can be proven of a lane that writes no headers (HeaderStyle::kNone): nothing tells an
// output's origin and verdict, so inputs and outputs are compared as wholes. Every input must be in
// the outputs as often as it is in the inputs, in its partition, with its key, value, headers and
// timestamp.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "audit/report.h"
#include "neardup/verdict.h"
#include "stream/message.h"

namespace neardup {

/// Fills the checks coverage and payload of a report and leaves the others empty. Keeps about 80
/// bytes a record. One owner thread; all inputs come before the first output.
class PayloadAudit {
 public:
  /// Records of this partition are deleted: its outputs may be of them.
  void AddDeleted(int32_t partition) { deleted_.insert(partition); }
  /// `demanded`: it must be in an output; otherwise it may be.
  void AddInput(const InputPartition& place, const Message& message, bool demanded);
  /// `decision`: that of the topic it was read from.
  void AddOutput(const InputPartition& place, const Message& message, Decision decision);
  /// To be called once.
  AuditReport Finish();

 private:
  /// All inputs that are equal, and the outputs equal to them.
  struct Equals {
    InputPartition place;  ///< of the first input
    int64_t offset = 0;
    uint64_t demanded = 0;
    uint64_t allowed = 0;  ///< with those demanded
    uint64_t found = 0;
  };
  /// Of one partition number: records that no output repeats, and outputs that name none.
  struct Unmatched {
    std::vector<const Equals*> missing;
    uint64_t allowed = 0;
    uint64_t by_reference = 0;
  };

  uint64_t KeyOf(int32_t partition, const Message& message);

  std::unordered_map<uint64_t, Equals> records_;
  std::map<int32_t, Unmatched> unmatched_;
  std::set<int32_t> deleted_;
  AuditReport report_;
  std::string bytes_;
};

}  // namespace neardup
