#include "audit/ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace neardup {

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
  const auto found =
      std::lower_bound(partition.rows.begin(), partition.rows.end(), offset,
                       [](const AuditRow& row, int64_t wanted) { return row.offset < wanted; });
  return found != partition.rows.end() && found->offset == offset ? &*found : nullptr;
}

std::string AuditLedger::Place(uint32_t input, const AuditRow& row) const {
  const AuditPartition& partition = partitions_[input];
  if (!row.covered) return Origin(input, row.offset);
  const std::string& topic = partition.topics[static_cast<size_t>(row.decision)];
  return PositionText({topic, partition.partition.partition}, row.output_offset);
}

std::string AuditLedger::Origin(uint32_t input, int64_t offset) const {
  return PositionText(partitions_[input].partition, offset);
}

std::string PositionText(const InputPartition& partition, int64_t offset) {
  return fmt::format("{}/{}/{}", partition.topic, partition.partition, offset);
}

}  // namespace neardup
