#include "bindings/join_rows.h"

#include <algorithm>
#include <limits>
#include <span>

#include "detect/index/block_layout.h"
#include "detect/index/entry_store.h"
#include "detect/index/processor.h"

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

namespace {

bool BitOf(const std::string& bits, int64_t number) {
  if (bits.empty()) return false;
  const auto byte = static_cast<uint8_t>(bits[static_cast<size_t>(number / 8)]);
  return (byte >> (number % 8) & 1) != 0;
}

/// How many of the keys that the later record is looked up under lead to the earlier one.
int SharedKeys(const JoinRows::Keys& later, const JoinRows::Keys& earlier) {
  int shared = 0;
  for (const uint32_t key : std::span(earlier).first(StoredKeys::kMax)) {
    if (key != 0 && std::ranges::find(later, key) != later.end()) ++shared;
  }
  return shared;
}

/// The rule for duplicates alone: a suspect is a unique record.
MatchOptions WithoutSuspects(MatchOptions match) {
  match.suspect_distance_max = 0;
  return match;
}

}  // namespace

JoinRule::JoinRule(const FilterOptions& options, const JoinState& state)
    : match_(WithoutSuspects(options.match)),
      window_ms_(options.window.window_ms),
      distance_max_(DistanceMax(match_)),
      state_(state) {}

std::optional<EntryMatch> JoinRule::Compare(const JoinRow& later, const JoinRows::Keys* later_keys,
                                            const JoinRow& earlier,
                                            const JoinRows::Keys* earlier_keys) const {
  const int distance = BitCount(later.simhash ^ earlier.simhash);
  if (distance > distance_max_) return std::nullopt;  // as it is for most
  const int order_distance = BitCount(later.order ^ earlier.order);
  EntryMatch match{static_cast<uint64_t>(earlier.number), distance, order_distance,
                   MatchKind::kExact};
  if (distance + order_distance != 0 || later.exact != earlier.exact) {
    match.kind = MatchKind::kNear;
    Nearness nearness{distance, order_distance, 0, later.features,
                      ConflictBits(later.numbers, earlier.numbers)};
    if (later_keys != nullptr && earlier_keys != nullptr) {
      nearness.shared_keys = SharedKeys(*later_keys, *earlier_keys);
    }
    if (!Accepts(match_, nearness)) return std::nullopt;
  }
  if (!WithinWindow(earlier.time_ms, later.time_ms, window_ms_)) return std::nullopt;
  return match;
}

Remembered JoinRule::IsRemembered(const JoinRow& earlier, const JoinRow& later) const {
  const size_t interval = IntervalOf(later.number);
  if (IntervalOf(earlier.number) == interval) return Remembered::kYes;  // there was no commit
  if (earlier.time_ms >= state_.horizons_ms[interval]) return Remembered::kYes;
  if (state_.first_unique.empty()) return Remembered::kOpen;
  if (state_.first_unique[interval] <= earlier.number) return Remembered::kYes;
  return state_.first_possible[interval] > earlier.number ? Remembered::kNo : Remembered::kOpen;
}

int64_t JoinRule::HorizonOf(int64_t number) const {
  return state_.horizons_ms[std::min(IntervalOf(number), state_.horizons_ms.size() - 1)];
}
bool JoinRule::IsUnique(int64_t number) const { return BitOf(state_.unique, number); }
bool JoinRule::IsDuplicate(int64_t number) const { return BitOf(state_.duplicate, number); }

size_t JoinRule::IntervalOf(int64_t number) const {
  return static_cast<size_t>(number / state_.commit_records);
}

}  // namespace neardup
