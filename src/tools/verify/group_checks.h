// The checks on the groups of a lane that keeps the newest record of each (Keep::kNewest).
#pragma once

#include <cstdint>
#include <vector>

#include "lane/route_header.h"
#include "verify/ledger.h"
#include "verify/report.h"

namespace neardup {

/// Follows each group through the verdicts that the headers state, in the order of seq. The newest
/// record of a group is its original at first, and then each duplicate whose header says that it
/// replaces the newest. One owner thread.
class GroupChecks {
 public:
  /// `part`: AuditOptions::part.
  GroupChecks(AuditLedger& ledger, AuditReport& report, bool part)
      : ledger_(ledger), report_(report), part_(part) {}

  /// Adds a covered duplicate. `checked` is false for one that was decided under other settings:
  /// what it replaces counts, and is not checked.
  void Add(uint32_t input, const AuditRow& row, const ParsedHeader& header, bool checked);
  /// Runs the checks. Call it once, after the last output.
  void Finish();
  size_t bytes() const { return claims_.size() * sizeof(Claim); }

 private:
  /// What the header of a duplicate says of its group.
  struct Claim {
    const AuditRow* row = nullptr;
    uint32_t input = 0;
    uint32_t original_input = 0;
    int64_t original_offset = 0;
    uint32_t newest_input = 0;
    bool replaces = false;
    bool checked = false;
    int64_t newest_offset = 0;
  };

  void Check(const Claim& claim, uint32_t newest_input, int64_t newest_offset);

  AuditLedger& ledger_;
  AuditReport& report_;
  bool part_;
  std::vector<Claim> claims_;
};

}  // namespace neardup
