// The audit of a lane that writes no headers (HeaderStyle::kNone). Its outputs state neither origin
// nor verdict, so inputs and outputs are compared as whole records: each input must be in the
// outputs as often as in the inputs, in its partition, with its key, value, headers and timestamp.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "lane/message.h"
#include "state/route.h"
#include "verify/report.h"

namespace neardup {

/// Memory that a PayloadAudit needs at its peak for each input record.
inline constexpr int kPayloadAuditBytesPerRecord = 100;

/// Fills the checks coverage and payload of a report, and leaves the others empty. One owner
/// thread. Add all inputs before the first output.
class PayloadAudit {
 public:
  /// Says that records of this partition are deleted: outputs without an input may be theirs.
  void AddDeleted(int32_t partition) { deleted_.insert(partition); }
  /// `demanded`: the record must be in an output; otherwise it may be in one.
  void AddInput(const InputPartition& place, const Message& message, bool demanded);
  /// `route`: the topic that the record was read from.
  void AddOutput(const InputPartition& place, const Message& message, Route route);
  /// Memory held now for the records.
  size_t bytes() const { return records_.size() * kPayloadAuditBytesPerRecord; }
  /// Call it once, after the last output.
  AuditReport Finish();

 private:
  /// Inputs that are equal, and the outputs equal to them.
  struct Equals {
    int64_t offset = 0;  ///< of the first input
    uint32_t place = 0;  ///< of the first input, in places_
    uint32_t demanded = 0;
    uint32_t allowed = 0;  ///< including the demanded ones
    uint32_t found = 0;
  };
  /// For one partition number: inputs without an output, and outputs that cannot be assigned.
  struct Unmatched {
    std::vector<const Equals*> missing;
    uint64_t allowed = 0;
    uint64_t by_reference = 0;
  };

  uint64_t KeyOf(int32_t partition, const Message& message);
  std::string PlaceOf(const Equals& equals) const;

  std::unordered_map<uint64_t, Equals> records_;
  std::vector<InputPartition> places_;
  std::map<InputPartition, uint32_t> place_numbers_;
  std::map<int32_t, Unmatched> unmatched_;
  std::set<int32_t> deleted_;
  AuditReport report_;
  std::string bytes_;
};

}  // namespace neardup
