#include "commands/verify/group_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

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
    // If only a part of the records is audited, the group may already have had a newer record than
    // its original. The first claim names that record.
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

void GroupCounts::AddCopy(const ParsedOriginal& original, uint64_t seq) {
  const uint32_t input = ledger_.Find(original.partition);
  if (input != AuditLedger::kNoInput) copies_.push_back({{input, original.offset}, seq});
}

Result<GroupCounts::Stated> GroupCounts::Parse(const Message& record) {
  using nlohmann::json;
  Stated stated;
  try {
    const json group = json::parse(record.value.value_or(""));
    const auto position = [&group](const char* name) -> ParsedPosition {
      const json& at = group.at(name);
      return {{at.at("topic").get<std::string>(), at.at("partition").get<int32_t>()},
              at.at("offset").get<int64_t>()};
    };
    stated.original = position("original");
    stated.last = position("last");
    stated.copies = group.at("copies").get<uint64_t>();
  } catch (const json::exception& error) {
    return Error{ErrorCode::kCorrupt, fmt::format("is no record of a group: {}", error.what())};
  }
  stated.key = GroupKey(stated.original.partition, stated.original.offset);
  if (record.key == stated.key) return stated;
  return Error{ErrorCode::kCorrupt,
               fmt::format("has the key {}, expected {}", record.key.value_or("null"), stated.key)};
}

uint64_t GroupCounts::CopiesUpTo(const Original& original, uint64_t seq) {
  if (!sorted_) std::sort(copies_.begin(), copies_.end());
  sorted_ = true;
  const auto begin = std::lower_bound(copies_.begin(), copies_.end(), Copy{original, 0});
  const auto end = std::upper_bound(begin, copies_.end(), Copy{original, seq});
  return static_cast<uint64_t>(end - begin);
}

void GroupCounts::Add(const Message& record, const std::string& where) {
  const auto violated = [&](std::string text) {
    report_.Add(AuditCheck::kGroups, where, std::move(text));
  };
  const Result<Stated> stated = Parse(record);
  if (!stated.ok()) {
    violated(stated.error().text);
    return;
  }
  const uint32_t input = ledger_.Find(stated->original.partition);
  const uint32_t last_input = ledger_.Find(stated->last.partition);
  if (input == AuditLedger::kNoInput || last_input == AuditLedger::kNoInput) return;
  ++report_[AuditCheck::kGroups].looked_at;
  const Original original{input, stated->original.offset};
  newest_.erase(original);
  if (stated->last.offset >= ledger_.partitions()[last_input].end) return;  // not audited yet
  const AuditRow* last = ledger_.Row(last_input, stated->last.offset);
  const uint64_t seq = last != nullptr && last->covered ? last->output.seq : 0;
  const uint64_t copies = CopiesUpTo(original, seq);
  if (seq == 0 || !std::binary_search(copies_.begin(), copies_.end(), Copy{original, seq})) {
    violated(fmt::format("group {}: its last copy {} is no copy of it", stated->key,
                         ledger_.Origin(last_input, stated->last.offset)));
    return;
  }
  if (stated->copies > copies) {
    violated(fmt::format("group {}: states {} copies, and the outputs have {} up to {}",
                         stated->key, stated->copies, copies,
                         ledger_.Origin(last_input, stated->last.offset)));
    return;
  }
  if (stated->copies < copies) ++counted_later_;
  newest_[original] = copies;
}

void GroupCounts::Finish() {
  uint64_t later = 0;
  for (const auto& [original, copies] : newest_) later += CopiesUpTo(original, UINT64_MAX) - copies;
  const auto note = [this](uint64_t count, const char* what) {
    if (count > 0) report_.notes.push_back(fmt::format("the groups topic: {} {}", count, what));
  };
  note(counted_later_,
       "records state fewer copies than the outputs have; the lane may have begun to count later");
  note(later, "copies in the outputs are newer than the records of their groups");
}

}  // namespace neardup
