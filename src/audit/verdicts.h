// The checks on each record and its verdict. They run when all outputs have been added.
#pragma once

#include <vector>

#include "audit/audit.h"
#include "audit/ledger.h"
#include "audit/report.h"

namespace neardup {

/// Checks coverage, seq, order by seq, soundness of duplicates, and reasons of dead letters.
/// Returns the covered rows in order of seq.
std::vector<AuditRef> CheckVerdicts(const AuditOptions& options, const ChosenScheme& chosen,
                                    AuditLedger& ledger, AuditReport& report);

}  // namespace neardup
