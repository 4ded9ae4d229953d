// What an audit keeps of each record: hashes and the verdict, never payloads.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "neardup/fingerprint.h"
#include "neardup/verdict.h"
#include "state/input.h"

namespace neardup {

/// The parts of a record that must come out as they went in.
struct PayloadDigest {
  uint64_t key = 0;
  uint64_t value = 0;
  uint64_t headers = 0;

  bool operator==(const PayloadDigest&) const = default;
};

/// An input record, and the first output that names it as its origin.
struct AuditRow {
  // Of the input, recomputed.
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

  // Of the output, as it states.
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

  /// The filter remembers it: later records may be its duplicates.
  bool remembered() const {
    return covered && decision == Decision::kUnique && !stated_passed && reason == Reason::kNone;
  }
};

struct AuditPartition {
  InputPartition partition;
  int64_t begin = 0;                  ///< first offset that still existed
  int64_t end = 0;                    ///< audited up to here
  std::array<std::string, 3> topics;  ///< of its outputs, by Decision
  std::vector<AuditRow> rows;         ///< by offset
  /// Records below `begin` that outputs name, built from these.
  std::map<int64_t, AuditRow> deleted;
  /// Largest origin offset seen on each topic; topics of one name share the first's.
  std::array<int64_t, 3> last_offset = {-1, -1, -1};
};

/// Partitions have running numbers. Rows stay where they are once all inputs are in.
class AuditLedger {
 public:
  static constexpr uint32_t kNoInput = UINT32_MAX;

  uint32_t AddPartition(AuditPartition partition);
  /// kNoInput when it was never added.
  uint32_t Find(const InputPartition& partition) const;
  /// nullptr when there is no such record.
  AuditRow* Row(uint32_t input, int64_t offset);

  std::vector<AuditPartition>& partitions() { return partitions_; }
  /// topic/partition/offset of the row's output, or of the input where it has none.
  std::string Place(uint32_t input, const AuditRow& row) const;
  std::string Origin(uint32_t input, int64_t offset) const;

 private:
  std::vector<AuditPartition> partitions_;
  std::map<InputPartition, uint32_t> numbers_;
};

/// A row together with its partition's number.
struct AuditRef {
  uint32_t input = 0;
  AuditRow* row = nullptr;
};

std::string PositionText(const InputPartition& partition, int64_t offset);

}  // namespace neardup
