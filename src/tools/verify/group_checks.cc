#include "verify/group_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace neardup {

void GroupChecks::Add(uint32_t input, const AuditRow& row, const ParsedHeader& header,
                      bool checked) {
  const std::optional<ParsedPosition>& newest = header.replaces ? header.replaces : header.newest;
  if (!newest || !header.original) return;
  claims_.push_back({.row = &row,
                     .input = input,
                     .original_input = ledger_.Find(header.original->partition),
                     .original_offset = header.original->offset,
                     .newest_input = ledger_.Find(newest->partition),
                     .replaces = header.replaces.has_value(),
                     .checked = checked,
                     .newest_offset = newest->offset});
}

void GroupChecks::Finish() {
  std::sort(claims_.begin(), claims_.end(),
            [](const Claim& a, const Claim& b) { return a.row->output.seq < b.row->output.seq; });
  using Place = std::pair<uint32_t, int64_t>;
  std::map<Place, Place> newest_of;
  for (const Claim& claim : claims_) {
    const Place original{claim.original_input, claim.original_offset};
    const Place claimed{claim.newest_input, claim.newest_offset};
    // Of a part of the records, the first claim tells what stood for the group before.
    const Place before = part_ ? claimed : original;
    const auto group = newest_of.try_emplace(original, before).first;
    if (claim.checked) Check(claim, group->second.first, group->second.second);
    if (claim.replaces) group->second = {claim.input, claim.row->offset};
  }
  claims_ = {};
}

void GroupChecks::Check(const Claim& claim, uint32_t newest_input, int64_t newest_offset) {
  const AuditRow& row = *claim.row;
  const auto violated = [&](const std::string& text) {
    report_.Add(AuditCheck::kSoundness, ledger_.Place(claim.input, row), text);
  };
  const char* const states = claim.replaces ? "replaces" : "names as the newest of its group";
  if (claim.newest_input == AuditLedger::kNoInput) {
    violated(fmt::format("{} a record that is in no input partition", states));
    return;
  }
  if (claim.newest_input != newest_input || claim.newest_offset != newest_offset) {
    violated(fmt::format(
        "{} {}, expected {}", states, ledger_.Origin(claim.newest_input, claim.newest_offset),
        newest_input == AuditLedger::kNoInput ? "another"
                                              : ledger_.Origin(newest_input, newest_offset)));
    return;
  }
  const AuditRow* newest = ledger_.Row(newest_input, newest_offset);
  // A clamped time is stated nowhere.
  if (newest == nullptr || !newest->covered || newest->clamped || row.clamped) return;
  // Of equal times, the one that was decided later is newer; earlier versions kept the first.
  if (row.time_ms == newest->time_ms) return;
  const bool later = row.time_ms > newest->time_ms;
  if (later == claim.replaces) return;
  violated(fmt::format("{} {} of event time {}, and its own event time {} is {}", states,
                       ledger_.Origin(newest_input, newest_offset), newest->time_ms, row.time_ms,
                       later ? "later, so that it should replace it" : "not later"));
}

}  // namespace neardup
