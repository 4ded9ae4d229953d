#include "commands/verify/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace neardup {

const char* Name(AuditCheck check) {
  switch (check) {
    case AuditCheck::kHeader:
      return "header";
    case AuditCheck::kCoverage:
      return "coverage";
    case AuditCheck::kPayload:
      return "payload";
    case AuditCheck::kRoute:
      return "route";
    case AuditCheck::kSeq:
      return "seq";
    case AuditCheck::kOrder:
      return "order";
    case AuditCheck::kSoundness:
      return "soundness";
    case AuditCheck::kCompleteness:
      return "completeness";
    case AuditCheck::kDeadLetter:
      return "dead_letter";
    case AuditCheck::kGroups:
      return "groups";
  }
  return "none";
}

bool AuditReport::ok() const {
  return std::all_of(checks.begin(), checks.end(),
                     [](const CheckOutcome& outcome) { return outcome.violations == 0; });
}

void AuditReport::Add(AuditCheck check, std::string where, std::string text) {
  CheckOutcome& outcome = (*this)[check];
  ++outcome.violations;
  if (outcome.first.size() < kViolationsKept) {
    outcome.first.push_back({std::move(where), std::move(text)});
  }
}

std::string ReportText(const AuditReport& report) {
  std::string text = fmt::format("{:<14}{:>14}{:>14}\n", "check", "records", "violations");
  for (size_t i = 0; i < kAuditCheckCount; ++i) {
    const CheckOutcome& outcome = report.checks[i];
    text += fmt::format("{:<14}{:>14}{:>14}\n", Name(static_cast<AuditCheck>(i)), outcome.looked_at,
                        outcome.violations);
  }
  text += fmt::format("\ninput records {}: unique {}, duplicate {}, dead-letter {}\n",
                      report.inputs, report.unique, report.duplicates, report.dead_letters);
  if (report.suspects > 0) {
    text += fmt::format("suspects among the unique records: {}\n", report.suspects);
  }
  if (report.dropped > 0) {
    text += fmt::format("dropped duplicates, counted and not checked: {}\n", report.dropped);
  }
  if (report.replacing > 0) {
    text +=
        fmt::format("duplicates that took the place of an older record: {}\n", report.replacing);
  }
  if (report.released > 0) {
    text += fmt::format("duplicates that were released to the unique topic: {}\n", report.released);
  }
  if (report.observed > 0) {
    text += fmt::format("on the unique topic because the lane observed: {}\n", report.observed);
  }
  if (report.newer_outputs > 0) {
    text += fmt::format("outputs newer than the audited end: {}\n", report.newer_outputs);
  }
  if (report.older_outputs > 0) {
    text += fmt::format("outputs older than the audited begin: {}\n", report.older_outputs);
  }
  if (report.originals_left_out > 0) {
    text += fmt::format(
        "duplicates whose original is outside of the audited records, verdict not checked: {}\n",
        report.originals_left_out);
  }
  if (report.originals_of_history > 0) {
    text += fmt::format("duplicates whose original is of the imported history: {}\n",
                        report.originals_of_history);
  }
  if (report.outputs_deleted > 0) {
    text += fmt::format("input records whose output may be deleted, not checked: {}\n",
                        report.outputs_deleted);
  }
  if (report.outputs_without_input > 0) {
    text +=
        fmt::format("outputs whose input record is deleted: {}\n", report.outputs_without_input);
  }
  if (report.pairs_excused > 0) {
    text += fmt::format(
        "pairs of near uniques whose first was forgotten or whose event time was clamped: {}\n",
        report.pairs_excused);
  }
  if (!report.cause.empty()) return text + fmt::format("\ncause: {}\n", report.cause);
  for (size_t i = 0; i < kAuditCheckCount; ++i) {
    const CheckOutcome& outcome = report.checks[i];
    if (outcome.violations == 0) continue;
    text += fmt::format("\n{}: {} violation(s)\n", Name(static_cast<AuditCheck>(i)),
                        outcome.violations);
    for (const Violation& violation : outcome.first) {
      text += fmt::format("  {}: {}\n", violation.where, violation.text);
    }
    const uint64_t more = outcome.violations - outcome.first.size();
    if (more > 0) text += fmt::format("  and {} more\n", more);
  }
  return text;
}

}  // namespace neardup
