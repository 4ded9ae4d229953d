// The checks on groups: which record stands for each, and how many copies it has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "commands/verify/ledger.h"
#include "commands/verify/report.h"
#include "neardup/result.h"
#include "stream/lane/ports.h"
#include "stream/lane/route_header.h"

namespace neardup {

/// Checks a lane that keeps the newest record of each group (Keep::kNewest). Follows each group
/// through the verdicts that the headers state, in the order of seq. The newest record of a group
/// is its original at first, and then each duplicate whose header says that it replaces the newest.
/// One owner thread.
class GroupChecks {
 public:
  /// `part`: AuditOptions::part.
  GroupChecks(AuditLedger& ledger, AuditReport& report, bool part)
      : ledger_(ledger), report_(report), part_(part) {}

  /// Adds a covered duplicate. `checked` is false for a duplicate that was decided under other
  /// settings: the group follows its claim, but the claim is not checked.
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

/// Compares the groups topic with the duplicates in the outputs. A record of the groups topic names
/// a copy, and says how many copies the original has up to that copy. So each record can be checked
/// alone, also while the lane runs. One owner thread.
class GroupCounts {
 public:
  GroupCounts(AuditLedger& ledger, AuditReport& report) : ledger_(ledger), report_(report) {}

  /// Adds a covered duplicate.
  void AddCopy(const ParsedOriginal& original, uint64_t seq);
  /// Adds a record of the groups topic; `where` is its position. Call this after all calls of
  /// AddCopy. A record is left out if its original or its last copy is in a partition that is not
  /// audited, which may belong to another lane.
  void Add(const Message& record, const std::string& where);
  /// Notes the copies that no record counts. Call it once.
  void Finish();
  size_t bytes() const { return copies_.size() * sizeof(Copy) + newest_.size() * kBytesPerGroup; }

 private:
  /// About what an entry of newest_ takes.
  static constexpr size_t kBytesPerGroup = 72;
  using Original = std::pair<uint32_t, int64_t>;  ///< input and offset
  struct Copy {
    Original original;
    uint64_t seq = 0;
    auto operator<=>(const Copy&) const = default;
  };
  /// A record of the groups topic.
  struct Stated {
    std::string key;
    ParsedPosition original;
    ParsedPosition last;
    uint64_t copies = 0;
  };

  static Result<Stated> Parse(const Message& record);
  /// How many copies of the original have this seq or a smaller one; all with UINT64_MAX.
  uint64_t CopiesUpTo(const Original& original, uint64_t seq);

  AuditLedger& ledger_;
  AuditReport& report_;
  std::vector<Copy> copies_;  ///< sorted at the first record of the groups topic
  bool sorted_ = false;
  uint64_t counted_later_ = 0;  ///< records that state fewer copies than the outputs have
  /// By group: how many copies of the outputs its newest record covers.
  std::map<Original, uint64_t> newest_;
};

}  // namespace neardup
