#include "audit/report.h"

#include <algorithm>
#include <utility>

namespace neardup {

namespace {

constexpr size_t kNameWidth = 14;
constexpr size_t kNumberWidth = 14;

void AppendLeft(std::string& out, const std::string& text, size_t width) {
  out += text;
  out.append(width - std::min(width, text.size()), ' ');
}

void AppendRight(std::string& out, const std::string& text, size_t width) {
  out.append(width - std::min(width, text.size()), ' ');
  out += text;
}

void AppendRow(std::string& out, const std::string& name, const std::string& looked_at,
               const std::string& violations) {
  AppendLeft(out, name, kNameWidth);
  AppendRight(out, looked_at, kNumberWidth);
  AppendRight(out, violations, kNumberWidth);
  out += '\n';
}

}  // namespace

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
  }
  return "header";
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
  std::string out;
  AppendRow(out, "check", "records", "violations");
  for (size_t i = 0; i < kAuditCheckCount; ++i) {
    const CheckOutcome& outcome = report.checks[i];
    AppendRow(out, Name(static_cast<AuditCheck>(i)), std::to_string(outcome.looked_at),
              std::to_string(outcome.violations));
  }
  out += "\ninput records " + std::to_string(report.inputs) + ": unique " +
         std::to_string(report.unique) + ", duplicate " + std::to_string(report.duplicates) +
         ", dead-letter " + std::to_string(report.dead_letters) + '\n';
  if (report.newer_outputs > 0) {
    out += "outputs newer than the audited end: " + std::to_string(report.newer_outputs) + '\n';
  }
  if (report.outputs_without_input > 0) {
    out +=
        "outputs whose input record is deleted: " + std::to_string(report.outputs_without_input) +
        '\n';
  }
  if (report.pairs_excused > 0) {
    out += "near uniques, the first forgotten or clamped: " + std::to_string(report.pairs_excused) +
           '\n';
  }
  for (size_t i = 0; i < kAuditCheckCount; ++i) {
    const CheckOutcome& outcome = report.checks[i];
    if (outcome.violations == 0) continue;
    out += '\n';
    out += Name(static_cast<AuditCheck>(i));
    out += ": " + std::to_string(outcome.violations) + " violation(s)\n";
    for (const Violation& violation : outcome.first) {
      out += "  " + violation.where + ": " + violation.text + '\n';
    }
    const uint64_t more = outcome.violations - outcome.first.size();
    if (more > 0) out += "  and " + std::to_string(more) + " more\n";
  }
  return out;
}

}  // namespace neardup
