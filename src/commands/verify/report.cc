#include "commands/verify/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace neardup {

const char* Name(AuditCheck check) {
  constexpr std::array kNames = {"header", "coverage",  "payload",      "route",       "seq",
                                 "order",  "soundness", "completeness", "dead_letter", "groups"};
  static_assert(kNames.size() == kAuditCheckCount);
  return kNames[static_cast<size_t>(check)];
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
  const std::pair<uint64_t, std::string_view> counts[] = {
      {report.suspects, "suspects among the unique records"},
      {report.dropped, "dropped duplicates, counted and not checked"},
      {report.replacing, "duplicates that took the place of an older record"},
      {report.released, "duplicates that were released to the unique topic"},
      {report.observed, "on the unique topic because the lane observed"},
      {report.newer_outputs, "outputs newer than the audited end"},
      {report.older_outputs, "outputs older than the audited begin"},
      {report.originals_left_out,
       "duplicates whose original is outside of the audited records, verdict not checked"},
      {report.originals_of_history, "duplicates whose original is of the imported history"},
      {report.outputs_deleted, "input records whose output may be deleted, not checked"},
      {report.outputs_without_input, "outputs whose input record is deleted"},
      {report.pairs_excused,
       "pairs of near uniques whose first was forgotten or whose event time was clamped"},
  };
  for (const auto& [count, what] : counts) {
    if (count > 0) text += fmt::format("{}: {}\n", what, count);
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
