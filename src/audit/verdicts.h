// The checks on each record and its verdict, made when all outputs are in.
#pragma once

#include <vector>

#include "audit/audit.h"
#include "audit/ledger.h"
#include "audit/report.h"

namespace neardup {

/// Coverage, seq, order by seq, soundness of duplicates, reasons of dead letters. Returns the
/// covered rows in order of seq.
std::vector<AuditRef> CheckVerdicts(const AuditOptions& options, const ChosenScheme& chosen,
                                    AuditLedger& ledger, AuditReport& report);

}  // namespace neardup
