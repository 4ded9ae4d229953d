// The result of an audit.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace neardup {

enum class AuditCheck : uint8_t {
  kHeader,        ///< every output states its origin and verdict in the documented form
  kCoverage,      ///< every input record is in the outputs exactly once
  kPayload,       ///< key, value, own headers and timestamp are the same as in the input
  kRoute,         ///< the topic fits the verdict, and the partition is the same as in the input
  kSeq,           ///< seq counts from 1 without gaps or repetitions
  kOrder,         ///< records of a partition keep their order in each output and by seq
  kSoundness,     ///< each duplicate matches the original it names
  kCompleteness,  ///< no two uniques are duplicates of each other
  kDeadLetter,    ///< exactly the records that cannot be compared are dead letters
  kGroups,        ///< each record of the groups topic counts the copies that the outputs have
};
/// Number of checks: one more than the last.
inline constexpr size_t kAuditCheckCount = 10;

/// Short lower-case name, for tables and JSON.
const char* Name(AuditCheck check);

/// Largest number of violations of each check that are kept with a text. All are counted.
inline constexpr size_t kViolationsKept = 20;

struct Violation {
  std::string where;  ///< topic/partition/offset
  std::string text;
};

struct CheckOutcome {
  uint64_t looked_at = 0;  ///< records that were checked
  uint64_t violations = 0;
  std::vector<Violation> first;
};

struct AuditReport {
  std::array<CheckOutcome, kAuditCheckCount> checks;  ///< by AuditCheck
  uint64_t inputs = 0;
  uint64_t unique = 0;  ///< including records that passed by policy
  uint64_t duplicates = 0;
  uint64_t dead_letters = 0;
  /// Number of input records without an output that the lane has dropped. Their verdicts are not
  /// checked.
  uint64_t dropped = 0;
  /// Number of duplicates on the unique topic that took the place of an older record.
  uint64_t replacing = 0;
  /// Number of duplicates that were released to the unique topic.
  uint64_t released = 0;
  /// Number of uniques that are suspects.
  uint64_t suspects = 0;
  /// Number of duplicates and dead letters that are on the unique topic, because the lane observed.
  uint64_t observed = 0;
  /// Number of outputs of input records at or after the audited end. They are not checked.
  uint64_t newer_outputs = 0;
  /// Number of outputs of input records before the audited ones, if these are a part. They are not
  /// checked.
  uint64_t older_outputs = 0;
  /// Number of duplicates in a part whose original is left out. Their verdicts are not checked.
  uint64_t originals_left_out = 0;
  /// Number of duplicates whose original is of the history that the lane began with. Distance and
  /// window are not checked.
  uint64_t originals_of_history = 0;
  /// Number of input records without an output that may have been deleted. They are not checked.
  uint64_t outputs_deleted = 0;
  /// Number of outputs whose input record was deleted. They are checked against their own
  /// content.
  uint64_t outputs_without_input = 0;
  /// Number of pairs of uniques that are near each other and no violation: an event time was
  /// clamped, or the filter may have forgotten the first, by time or by capacity, when the second
  /// arrived.
  uint64_t pairs_excused = 0;
  /// The probable cause of most violations, as a sentence; empty if none is known.
  std::string cause;
  /// What these checks cannot see, as sentences.
  std::vector<std::string> notes;

  const CheckOutcome& operator[](AuditCheck check) const {
    return checks[static_cast<size_t>(check)];
  }
  CheckOutcome& operator[](AuditCheck check) { return checks[static_cast<size_t>(check)]; }
  bool ok() const;
  void Add(AuditCheck check, std::string where, std::string text);
};

/// A table of the checks, the counts and the first violations of each check.
std::string ReportText(const AuditReport& report);

}  // namespace neardup
