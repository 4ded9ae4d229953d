// What an audit found.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace neardup {

enum class AuditCheck : uint8_t {
  kHeader,        ///< every output names its origin and verdict, in the documented form
  kCoverage,      ///< every input record is in exactly one output, once
  kPayload,       ///< key, value, headers and timestamp are those of the input
  kRoute,         ///< the topic is that of the verdict, the partition that of the input
  kSeq,           ///< gapless from 1 on, and unique
  kOrder,         ///< an input partition's order is kept within each output and by seq
  kSoundness,     ///< a duplicate is one, of the original it names
  kCompleteness,  ///< no two uniques are duplicates of each other
  kDeadLetter,    ///< dead letters are bad for the reason they state, and no others are
};
inline constexpr size_t kAuditCheckCount = 9;

/// Short lower-case name, for tables and JSON.
const char* Name(AuditCheck check);

/// Violations of each check that are kept in words; all are counted.
inline constexpr size_t kViolationsKept = 20;

struct Violation {
  std::string where;  ///< topic/partition/offset
  std::string text;
};

struct CheckOutcome {
  uint64_t looked_at = 0;  ///< records the check was made on
  uint64_t violations = 0;
  std::vector<Violation> first;
};

struct AuditReport {
  std::array<CheckOutcome, kAuditCheckCount> checks;  ///< by AuditCheck
  uint64_t inputs = 0;
  uint64_t unique = 0;  ///< with those that passed
  uint64_t duplicates = 0;
  uint64_t dead_letters = 0;
  /// Outputs of input records behind the audited end; not judged.
  uint64_t newer_outputs = 0;
  /// Outputs whose input record is deleted; judged by what the output itself holds.
  uint64_t outputs_without_input = 0;
  /// Pairs of near uniques that are no violation: an event time was clamped, or the first may have
  /// been forgotten, by time or by capacity, when the second came.
  uint64_t pairs_excused = 0;
  /// What these checks cannot see, for a person.
  std::vector<std::string> notes;

  const CheckOutcome& operator[](AuditCheck check) const {
    return checks[static_cast<size_t>(check)];
  }
  CheckOutcome& operator[](AuditCheck check) { return checks[static_cast<size_t>(check)]; }
  bool ok() const;
  void Add(AuditCheck check, std::string where, std::string text);
};

/// A table of the checks and the first violations of each, for a person.
std::string ReportText(const AuditReport& report);

}  // namespace neardup
