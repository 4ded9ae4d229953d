// No two uniques are duplicates of each other.
#pragma once

#include <vector>

#include "stream/audit.h"
#include "stream/audit_ledger.h"
#include "stream/audit_report.h"

namespace neardup {

/// `by_seq`: covered rows in order of seq. A pair of near uniques is excused where the earlier one
/// may have been forgotten when the later one was decided: more than entries_max uniques lie
/// between, or its time may have been below the horizon; or where one of the times was clamped, to
/// a value that is not written down. With another scheme than the filter's own all pairs that share
/// a key are looked at.
void CheckCompleteness(const AuditOptions& options, const ChosenScheme& chosen,
                       const AuditLedger& ledger, const std::vector<AuditRef>& by_seq,
                       AuditReport& report);

}  // namespace neardup
