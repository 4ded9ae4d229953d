// What an audit remembers of each record: hashes and the verdict, never payloads.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "neardup/fingerprint.h"
#include "neardup/verdict.h"
#include "state/input.h"

namespace neardup {

/// Hashes of the parts that an output must take over unchanged.
struct PayloadDigest {
  uint64_t key = 0;
  uint64_t value = 0;
  uint64_t headers = 0;

  bool operator==(const PayloadDigest&) const = default;
};

/// An input record, and the first output that names it as its origin.
struct AuditRow {
  // Computed from the input record, or from the output if the input record is deleted.
  int64_t offset = 0;
  int64_t timestamp_ms = -1;
  int64_t time_ms = 0;
  PayloadDigest digest;
  Fingerprint fingerprint;
  ProbedKeys text_keys;
  Sketch sketch;
  uint32_t features = 0;
  Reason reason = Reason::kNone;
  bool passed = false;
  bool input_deleted = false;

  // What the header of the output states.
  bool covered = false;
  Decision decision = Decision::kUnique;
  Reason stated_reason = Reason::kNone;
  bool stated_passed = false;
  bool late = false;
  bool clamped = false;
  MatchKind kind = MatchKind::kExact;
  int distance = 0;
  uint32_t original_input = 0;
  int64_t original_offset = 0;
  uint64_t seq = 0;
  int64_t output_offset = -1;

  /// True if the filter remembers the record, so that later records may be its duplicates.
  bool remembered() const {
    return covered && decision == Decision::kUnique && !stated_passed && reason == Reason::kNone;
  }
};

struct AuditPartition {
  InputPartition partition;
  int64_t begin = 0;                  ///< first offset that still exists
  int64_t end = 0;                    ///< records from here on are not audited
  std::array<std::string, 3> topics;  ///< its output topics, by Decision
  /// By offset. A deque grows without copying its rows, and needs no spare capacity.
  std::deque<AuditRow> rows;
  /// Records below `begin` that outputs name, made from these outputs; by offset.
  std::map<int64_t, AuditRow> deleted;
  /// Largest origin offset seen on each of `topics`. Topics of the same name share the first place.
  std::array<int64_t, 3> last_offset = {-1, -1, -1};
};

/// The rows of all input partitions. Partitions are numbered from 0 in the order of AddPartition.
/// Pointers to rows stay valid.
class AuditLedger {
 public:
  static constexpr uint32_t kNoInput = UINT32_MAX;

  uint32_t AddPartition(AuditPartition partition);
  /// kNoInput if the partition was not added.
  uint32_t Find(const InputPartition& partition) const;
  /// nullptr if there is no record at this offset.
  AuditRow* Row(uint32_t input, int64_t offset);

  std::vector<AuditPartition>& partitions() { return partitions_; }
  /// topic/partition/offset of the row's output, or of the input record if it has no output.
  std::string Place(uint32_t input, const AuditRow& row) const;
  /// topic/partition/offset of an input record.
  std::string Origin(uint32_t input, int64_t offset) const;

 private:
  std::vector<AuditPartition> partitions_;
  std::map<InputPartition, uint32_t> numbers_;
};

/// A row and the number of its partition.
struct AuditRef {
  uint32_t input = 0;
  AuditRow* row = nullptr;
};

/// topic/partition/offset.
std::string PositionText(const InputPartition& partition, int64_t offset);

}  // namespace neardup
