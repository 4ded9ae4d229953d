#include "commands/verify/ledger.h"

#include <algorithm>
#include <cassert>
#include <ranges>
#include <utility>

#include "service/topics/topic_reading.h"

namespace neardup {
namespace {

/// The first row at or after the offset; the number of rows if there is none.
size_t FirstFrom(const Column<AuditRow>& rows, int64_t offset) {
  return *std::ranges::lower_bound(std::views::iota(size_t{0}, rows.size()), offset, {},
                                   [&rows](size_t i) { return rows[i].offset; });
}

}  // namespace

uint32_t AuditLedger::AddPartition(AuditPartition partition) {
  const auto input = static_cast<uint32_t>(partitions_.size());
  numbers_.emplace(partition.partition, input);
  partitions_.push_back(std::move(partition));
  return input;
}

uint32_t AuditLedger::Find(const InputPartition& partition) const {
  const auto found = numbers_.find(partition);
  return found == numbers_.end() ? kNoInput : found->second;
}

AuditRow* AuditLedger::Row(uint32_t input, int64_t offset) {
  AuditPartition& partition = partitions_[input];
  if (offset < partition.begin) {
    const auto found = partition.deleted.find(offset);
    return found == partition.deleted.end() ? nullptr : &found->second;
  }
  const size_t i = FirstFrom(partition.rows, offset);
  if (i == partition.rows.size() || partition.rows[i].offset != offset) return nullptr;
  return &partition.rows[i];
}

std::string AuditLedger::Place(uint32_t input, const AuditRow& row) const {
  const AuditPartition& partition = partitions_[input];
  if (!row.covered || row.moved) return Origin(input, row.offset);
  return TextOf({partition.topics[static_cast<size_t>(row.route)], partition.partition.partition},
                row.output.offset);
}

uint32_t AuditLedger::InputOf(const AuditRow& row) const {
  for (uint32_t input = 0; input < partitions_.size(); ++input) {
    const AuditPartition& partition = partitions_[input];
    const auto deleted = partition.deleted.find(row.offset);
    if (deleted != partition.deleted.end() && &deleted->second == &row) return input;
    const size_t i = FirstFrom(partition.rows, row.offset);
    if (i < partition.rows.size() && &partition.rows[i] == &row) return input;
  }
  assert(false);
  return kNoInput;
}

std::string AuditLedger::Origin(uint32_t input, int64_t offset) const {
  return TextOf(partitions_[input].partition, offset);
}

}  // namespace neardup
