// The checks on each record and its verdict, made when all outputs are in.
#pragma once

#include <vector>

#include "stream/audit.h"
#include "stream/audit_ledger.h"
#include "stream/audit_report.h"

namespace neardup {

/// Coverage, seq, order by seq, soundness of duplicates, reasons of dead letters. Returns the
/// covered rows in order of seq.
std::vector<AuditRef> CheckVerdicts(const AuditOptions& options, const ChosenScheme& chosen,
                                    AuditLedger& ledger, AuditReport& report);

}  // namespace neardup
