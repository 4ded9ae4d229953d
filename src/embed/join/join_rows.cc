#include "join/join_rows.h"

#include <algorithm>
#include <limits>

#include "index/block_layout.h"
#include "index/entry_store.h"

namespace neardup {
namespace {

/// Blocks as long as possible, so that as few records as possible share one. Every layout leads to
/// the same comparisons (block_layout.h).
constexpr BlockLayout kLayout = BlockLayout::SixTables(BlockLayout::kBucketBitsMax);
constexpr int kTableShift = 32;
constexpr int64_t kTextTable = 6;  ///< after the tables of the layout

int64_t KeyOf(int64_t table, uint32_t bits) { return table << kTableShift | bits; }

}  // namespace

void JoinRows::Add(const JoinRow& row, const Keys* keys) {
  rows.push_back(row);
  if (keys != nullptr) text_keys.push_back(*keys);
}

JoinKeys::JoinKeys(const FilterOptions& options) : match_(options.match) {}

void JoinKeys::AddRows(const FingerprintColumns& records, int64_t first, int64_t time_max_ms,
                       JoinRows& to) const {
  const bool exact_only = ExactOnly(match_);
  for (size_t i = 0; i < records.size(); ++i) {
    if (records.reason[i] != 0 || records.passed[i] != 0) continue;
    JoinRow row;
    row.number = first + static_cast<int64_t>(i);
    row.simhash = records.simhash[i];
    row.order = exact_only ? records.exact[i] : records.order[i];
    row.numbers = records.numbers[i];
    row.time_ms = StoredEntry::KeptTime(std::min(records.time_ms[i], time_max_ms));
    row.exact = static_cast<uint16_t>(records.exact[i]);
    row.features = static_cast<uint16_t>(
        std::min<uint32_t>(records.features[i], std::numeric_limits<uint16_t>::max()));
    const JoinRows::Keys* const keys = match_.widen ? &records.text_keys[i] : nullptr;
    const auto add = [&](int64_t key) {
      row.key = key;
      to.Add(row, keys);
    };
    if (exact_only) {
      add(static_cast<int64_t>(row.simhash));
      continue;
    }
    for (size_t table = 0; table < kLayout.tables(); ++table) {
      add(KeyOf(static_cast<int64_t>(table), kLayout.BucketOf(row.simhash, table)));
    }
    if (!match_.text_keys) continue;
    for (const uint32_t key : records.text_keys[i]) {
      if (key != 0) add(KeyOf(kTextTable, key));
    }
  }
}

JoinKeyKind JoinKeys::KindOf(int64_t key) const {
  const bool text = !ExactOnly(match_) && key >> kTableShift == kTextTable;
  return text ? JoinKeyKind::kText : JoinKeyKind::kBlock;
}

uint16_t JoinKeys::TagOf(int64_t key, uint64_t simhash) const {
  if (ExactOnly(match_)) return 0;
  return kLayout.TagOf(simhash, static_cast<size_t>(key >> kTableShift));
}

}  // namespace neardup
