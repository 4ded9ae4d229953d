#include "bindings/join_pass.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "bindings/batch_filter.h"
#include "detect/base/random.h"
#include "detect/index/processor.h"

namespace neardup {
namespace {

constexpr int64_t kCommitRecords = 50;
constexpr int64_t kStartMs = 1'700'000'000'000;
constexpr int64_t kNone = -1;
/// Short stretches, and long ones with more records than a pass follows while nothing is decided.
constexpr JoinLimits kShortStretch = {.stretch_bits = 5, .holders_max = 4, .open_max = 8};
constexpr JoinLimits kLongStretch = {.stretch_bits = 10, .holders_max = 4, .open_max = 16};

FilterOptions Options() {
  FilterOptions options;
  options.match.text_keys = false;
  options.window.window_ms = 200'000;
  options.window.lateness_ms = 5'000;
  options.window.ahead_max_ms = 0;
  return options;
}

uint64_t Flipped(SeededRandom& random, uint64_t bits, uint64_t errors_max) {
  for (uint64_t errors = random.Below(errors_max + 1); errors > 0; --errors) {
    bits ^= uint64_t{1} << random.Below(64);
  }
  return bits;
}

/// Near and equal copies of earlier records, one family that is a fifth of all, records that are
/// very late, and some that cannot be compared.
FingerprintColumns SomeFingerprints(uint64_t seed, size_t count) {
  SeededRandom random(seed);
  FingerprintColumns columns;
  const Fingerprint family{random.Next(), random.Next(), 0, 0};
  std::array<uint32_t, ProbedKeys::kMax> family_keys{};
  for (uint32_t& key : family_keys) key = static_cast<uint32_t>(random.Next()) | 1;
  for (size_t i = 0; i < count; ++i) {
    FingerprintedRecord record;
    record.fingerprint = {random.Next(), random.Next(), random.Next(), 0};
    for (int key = 0; key < 6; ++key) {
      record.text_keys.Add(static_cast<uint32_t>(random.Next()) | 1);
    }
    const uint64_t chance = random.Below(100);
    const size_t source = i == 0 ? 0 : i - 1 - random.Below(std::min<size_t>(i, 300));
    if (chance < 20 || (chance < 50 && i > 0)) {
      const bool of_family = chance < 20;
      const uint64_t simhash = of_family ? family.simhash : columns.simhash[source];
      const uint64_t order = of_family ? family.order : columns.order[source];
      record.fingerprint.simhash = Flipped(random, simhash, 8);
      record.fingerprint.order = Flipped(random, order, 10);
      record.text_keys = {};
      for (const uint32_t key : of_family ? family_keys : columns.text_keys[source]) {
        if (key != 0 && random.Below(3) > 0) record.text_keys.Add(key);
      }
    } else if (chance < 60 && i > 0) {
      record.fingerprint = {columns.simhash[source], columns.order[source], columns.exact[source],
                            columns.numbers[source]};
    }
    if (chance < 50) record.fingerprint.numbers = 1 + random.Below(3);  // 1 and 2 conflict
    record.features = static_cast<uint32_t>(10 + random.Below(40));
    // Now and then time leaps, so that everything is forgotten.
    record.outcome.time_ms =
        kStartMs + static_cast<int64_t>(i * 500 + i / 700 * 1'000'000 + random.Below(2000));
    if (random.Below(20) == 0) {
      record.outcome.time_ms -= static_cast<int64_t>(random.Below(400'000));
    } else if (chance >= 40 && chance < 60 && i > 0) {
      record.outcome.time_ms = columns.time_ms[source] + static_cast<int64_t>(random.Below(2000));
    }
    if (random.Below(50) == 0) record.outcome.reason = static_cast<Reason>(1);
    if (random.Below(50) == 0) record.outcome.passed = true;
    columns.Add(record);
  }
  return columns;
}

bool IsComparable(const FingerprintColumns& columns, size_t i) {
  return columns.reason[i] == 0 && columns.passed[i] == 0;
}

/// The horizon of each interval between two commits.
std::vector<int64_t> HorizonsOf(const FilterOptions& options, const FingerprintColumns& columns) {
  std::vector<int64_t> horizons;
  int64_t newest_ms = INT64_MIN;
  for (size_t i = 0; i < columns.size(); ++i) {
    if (i % kCommitRecords == 0) {
      const int64_t kept_ms = options.window.window_ms + options.window.lateness_ms;
      horizons.push_back(newest_ms == INT64_MIN ? INT64_MIN : newest_ms - kept_ms);
    }
    if (IsComparable(columns, i)) newest_ms = std::max(newest_ms, columns.time_ms[i]);
  }
  return horizons;
}

/// The original of each duplicate; kNone for all others.
using Originals = std::vector<int64_t>;

Originals FilterOriginals(const FilterOptions& options, const FingerprintColumns& columns) {
  auto filter = BatchFilter::New({options, 1, kCommitRecords});
  EXPECT_TRUE(filter.ok());
  VerdictColumns verdicts;
  (*filter)->Decide(columns, 0, columns.size(), verdicts);
  return verdicts.original;
}

/// Runs the rounds over parts that are cut at random.
class Rounds {
 public:
  Rounds(const FilterOptions& options, const FingerprintColumns& columns, uint64_t seed,
         size_t parts, const JoinLimits& limits = kShortStretch)
      : options_(options), columns_(columns), random_(seed), limits_(limits) {
    state_.commit_records = kCommitRecords;
    state_.horizons_ms = HorizonsOf(options, columns);
    Cut(parts);
  }

  Originals Decide() {
    std::vector<JoinMatches> found;
    {
      const JoinPass pass(options_, state_, limits_);
      for (JoinRows& part : parts_) {
        JoinRows kept;
        found.push_back(pass.Match(part, kept));
        part = std::move(kept);
      }
    }
    Settle(found);
    while (std::find(decided_.begin(), decided_.end(), Decided::kOpen) != decided_.end()) {
      EXPECT_LT(++rounds_, 2000);
      SetState();
      if (random_.Below(4) == 0) {
        Finish();
        break;
      }
      const JoinPass pass(options_, state_, limits_);
      found.clear();
      for (size_t i = 0; i < parts_.size(); ++i) {
        found.push_back(pass.FindWitnesses(parts_[i], Before(pass, i, false)));
      }
      Settle(found);
    }
    return Best();
  }
  size_t rows_kept() const {
    size_t rows = 0;
    for (const JoinRows& part : parts_) rows += part.size();
    return rows;
  }

 private:
  enum class Decided : uint8_t { kOpen, kUnique, kDuplicate };

  void Cut(size_t parts) {
    JoinRows all;
    JoinKeys(options_).AddRows(columns_, 0, INT64_MAX, all);
    std::vector<size_t> order(all.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return std::tie(all.rows[a].key, all.rows[a].number) <
             std::tie(all.rows[b].key, all.rows[b].number);
    });
    parts_.emplace_back();
    for (size_t i = 0; i < order.size(); ++i) {
      const JoinRow& row = all.rows[order[i]];
      const JoinRow* const before = i == 0 ? nullptr : &all.rows[order[i - 1]];
      const bool same_key = before != nullptr && row.key == before->key;
      const bool may_cut =
          before != nullptr && (!same_key || row.number >> limits_.stretch_bits !=
                                                 before->number >> limits_.stretch_bits);
      // Many cuts lie within groups.
      const bool cut = random_.Below(order.size()) < parts || (same_key && random_.Below(3) == 0);
      if (parts > 1 && may_cut && cut) parts_.emplace_back();
      parts_.back().Add(row, all.keys_of(order[i]));
    }
  }

  JoinTail Before(const JoinPass& pass, size_t part, bool all) const {
    JoinTail before;
    if (parts_[part].size() == 0) return before;
    const int64_t key = parts_[part].rows.front().key;
    std::vector<size_t> earlier;
    while (part > 0 && parts_[part - 1].rows.back().key == key) {
      earlier.push_back(--part);
      if (parts_[part].rows.front().key != key) break;
    }
    std::reverse(earlier.begin(), earlier.end());
    for (const size_t i : earlier) {
      const JoinTail tail = pass.TailOf(parts_[i], all);
      before.complete = before.complete && tail.complete;
      for (size_t row = 0; row < tail.rows.size(); ++row) {
        before.rows.Add(tail.rows.rows[row], tail.rows.keys_of(row));
      }
    }
    return before;
  }

  void Settle(const std::vector<JoinMatches>& found) {
    std::vector<bool> matched(decided_.size());
    for (const JoinMatches& part : found) {
      for (const int64_t number : part.number) matched[static_cast<size_t>(number)] = true;
    }
    for (size_t i = 0; i < decided_.size(); ++i) {
      if (decided_[i] == Decided::kOpen && !matched[i]) decided_[i] = Decided::kUnique;
    }
    for (const JoinMatches& part : found) {
      for (size_t i = 0; i < part.number.size(); ++i) {
        Decided& record = decided_[static_cast<size_t>(part.number[i])];
        if (part.earlier[i] == JoinMatches::kUnknown || record != Decided::kOpen) continue;
        const Decided earlier = decided_[static_cast<size_t>(part.earlier[i])];
        if (earlier == Decided::kUnique) record = Decided::kDuplicate;
      }
    }
  }

  void Finish() {
    const JoinPass pass(options_, state_, limits_);
    std::map<std::pair<int64_t, int64_t>, std::pair<JoinRow, std::optional<JoinRows::Keys>>> left;
    for (size_t i = 0; i < parts_.size(); ++i) {
      const JoinRows rows = pass.RowsLeft(parts_[i], Before(pass, i, true));
      for (size_t row = 0; row < rows.size(); ++row) {
        const JoinRows::Keys* const keys = rows.keys_of(row);
        left[{rows.rows[row].key, rows.rows[row].number}] = {
            rows.rows[row], keys == nullptr ? std::nullopt : std::optional(*keys)};
      }
    }
    JoinRows rows;
    for (const auto& [place, row] : left) rows.Add(row.first, row.second ? &*row.second : nullptr);
    std::vector<int64_t> undecided;
    for (size_t i = 0; i < decided_.size(); ++i) {
      if (decided_[i] == Decided::kOpen) undecided.push_back(static_cast<int64_t>(i));
    }
    JoinFinish finish(options_, state_, limits_);
    const std::vector<uint8_t> duplicate = finish.Decide(rows, undecided);
    ASSERT_EQ(duplicate.size(), undecided.size());
    for (size_t i = 0; i < undecided.size(); ++i) {
      decided_[static_cast<size_t>(undecided[i])] =
          duplicate[i] != 0 ? Decided::kDuplicate : Decided::kUnique;
    }
  }

  void SetState() {
    state_.unique.assign(decided_.size() / 8 + 1, '\0');
    state_.duplicate = state_.unique;
    for (size_t i = 0; i < decided_.size(); ++i) {
      if (decided_[i] == Decided::kOpen) continue;
      std::string& bits = decided_[i] == Decided::kUnique ? state_.unique : state_.duplicate;
      bits[i / 8] = static_cast<char>(bits[i / 8] | (1 << (i % 8)));
    }
    state_.first_unique.assign(state_.horizons_ms.size(), INT64_MAX);
    state_.first_possible = state_.first_unique;
    for (size_t interval = 0; interval < state_.horizons_ms.size(); ++interval) {
      for (size_t i = columns_.size(); i-- > 0;) {
        if (!IsComparable(columns_, i)) continue;
        if (columns_.time_ms[i] < state_.horizons_ms[interval]) continue;
        const auto number = static_cast<int64_t>(i);
        if (decided_[i] == Decided::kUnique) state_.first_unique[interval] = number;
        if (decided_[i] != Decided::kDuplicate) state_.first_possible[interval] = number;
      }
    }
  }

  Originals Best() {
    SetState();
    const JoinPass pass(options_, state_, limits_);
    std::map<int64_t, std::tuple<uint8_t, int16_t, int64_t>> best;
    for (size_t i = 0; i < parts_.size(); ++i) {
      const JoinBest found = pass.FindBest(parts_[i], Before(pass, i, true));
      for (size_t row = 0; row < found.number.size(); ++row) {
        const std::tuple match{found.kind[row], found.sum[row], found.original[row]};
        const auto [at, added] = best.try_emplace(found.number[row], match);
        if (!added) at->second = std::min(at->second, match);
      }
    }
    Originals originals(columns_.size(), kNone);
    for (const auto& [number, match] : best) {
      originals[static_cast<size_t>(number)] = std::get<2>(match);
    }
    for (size_t i = 0; i < decided_.size(); ++i) {
      EXPECT_EQ(decided_[i] == Decided::kDuplicate, originals[i] != kNone) << i;
    }
    return originals;
  }

  FilterOptions options_;
  const FingerprintColumns& columns_;
  SeededRandom random_;
  const JoinLimits limits_;
  JoinState state_;
  std::vector<JoinRows> parts_;
  std::vector<Decided> decided_ = std::vector<Decided>(columns_.size());
  int rounds_ = 0;
};

/// The rule, record by record: all unique records are compared whose blocks are near, and the
/// holders of text keys.
class Model {
 public:
  Model(const FilterOptions& options, const FingerprintColumns& columns,
        const JoinLimits& limits = kShortStretch)
      : options_(options),
        columns_(columns),
        limits_(limits),
        horizons_ms_(HorizonsOf(options, columns)) {}

  Originals Decide() {
    Originals originals(columns_.size(), kNone);
    for (size_t i = 0; i < columns_.size(); ++i) {
      if (i % kCommitRecords == 0) Forget(horizons_ms_[i / kCommitRecords]);
      if (!IsComparable(columns_, i)) continue;
      std::optional<std::tuple<bool, int, size_t>> best;
      for (size_t at = begin_; at < uniques_.size(); ++at) {
        const size_t earlier = uniques_[at];
        if (!IsNearBlock(i, earlier) && !IsHolder(i, earlier)) continue;
        const auto match = Compare(i, earlier);
        if (match && (!best || *match < *best)) best = match;
      }
      if (best) {
        originals[i] = static_cast<int64_t>(std::get<2>(*best));
      } else {
        Remember(i);
      }
    }
    return originals;
  }

 private:
  struct Key {
    size_t stretch = 0;
    std::vector<size_t> here;
    std::vector<size_t> before;
  };

  void Forget(int64_t horizon_ms) {
    while (begin_ < uniques_.size() && columns_.time_ms[uniques_[begin_]] < horizon_ms) ++begin_;
  }

  bool IsNearBlock(size_t a, size_t b) const {
    const uint64_t errors = columns_.simhash[a] ^ columns_.simhash[b];
    return BitCount(errors & UINT32_MAX) <= 1 || BitCount(errors >> 32) <= 1;
  }

  std::optional<std::tuple<bool, int, size_t>> Compare(size_t a, size_t b) const {
    const int distance = BitCount(columns_.simhash[a] ^ columns_.simhash[b]);
    const int sum = distance + BitCount(columns_.order[a] ^ columns_.order[b]);
    const bool equal =
        sum == 0 && static_cast<uint16_t>(columns_.exact[a] ^ columns_.exact[b]) == 0;
    const auto by_features =
        static_cast<int>(columns_.features[a] / options_.match.features_per_bit);
    const int distance_max = std::min(options_.match.distance_max, by_features);
    const uint64_t a_alone = columns_.numbers[a] & ~columns_.numbers[b];
    const uint64_t b_alone = columns_.numbers[b] & ~columns_.numbers[a];
    const bool conflict = a_alone != 0 && b_alone != 0 && columns_.features[a] < 50;
    if (!equal && (distance > distance_max || sum > options_.match.distance_sum_max || conflict)) {
      return {};
    }
    const int64_t apart_ms = columns_.time_ms[a] - columns_.time_ms[b];
    if (std::abs(apart_ms) > options_.window.window_ms) return {};
    return std::tuple{!equal, sum, b};
  }

  Key& At(uint32_t key, size_t record) {
    Key& at = keys_[key];
    const size_t stretch = record >> limits_.stretch_bits;
    if (at.stretch == stretch) return at;
    const size_t after = std::min((at.stretch + 1) << limits_.stretch_bits, columns_.size() - 1);
    const int64_t horizon_ms = horizons_ms_[after / kCommitRecords];
    for (const size_t holder : std::exchange(at.here, {})) {
      if (columns_.time_ms[holder] >= horizon_ms) Hold(at.before, holder, horizon_ms);
    }
    at.stretch = stretch;
    return at;
  }

  void Hold(std::vector<size_t>& holders, size_t record, int64_t horizon_ms) const {
    std::erase_if(holders, [&](size_t one) { return columns_.time_ms[one] < horizon_ms; });
    if (holders.size() < limits_.holders_max) holders.push_back(record);
  }

  bool IsHolder(size_t record, size_t earlier) {
    if (!options_.match.text_keys) return false;
    if (columns_.time_ms[earlier] < horizons_ms_[record / kCommitRecords]) return false;
    for (const uint32_t key : columns_.text_keys[record]) {
      if (key == 0) continue;
      const Key& at = At(key, record);
      for (const auto* holders : {&at.here, &at.before}) {
        if (std::find(holders->begin(), holders->end(), earlier) != holders->end()) return true;
      }
    }
    return false;
  }

  void Remember(size_t record) {
    uniques_.push_back(record);
    if (!options_.match.text_keys) return;
    for (const uint32_t key : columns_.text_keys[record]) {
      if (key != 0) Hold(At(key, record).here, record, horizons_ms_[record / kCommitRecords]);
    }
  }

  FilterOptions options_;
  const FingerprintColumns& columns_;
  const JoinLimits limits_;
  std::vector<int64_t> horizons_ms_;
  std::vector<size_t> uniques_;
  size_t begin_ = 0;  ///< the first that is not forgotten
  std::map<uint32_t, Key> keys_;
};

size_t DuplicatesIn(const Originals& originals) {
  return originals.size() -
         static_cast<size_t>(std::count(originals.begin(), originals.end(), kNone));
}

TEST(JoinPass, GivesTheVerdictsOfAFilterWithoutTextKeysWhateverTheParts) {
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    const FingerprintColumns columns = SomeFingerprints(seed, 3000);
    const Originals expected = FilterOriginals(Options(), columns);
    EXPECT_GT(DuplicatesIn(expected), 800U);
    for (const size_t parts : {1, 3, 40, 400}) {
      Rounds rounds(Options(), columns, seed, parts);
      EXPECT_EQ(rounds.Decide(), expected) << "seed " << seed << ", " << parts << " parts";
      EXPECT_LT(rounds.rows_kept(), 12'000U);
    }
  }
}

TEST(JoinPass, GivesTheVerdictsOfAFilterInWhichOnlyEqualRecordsMatch) {
  FilterOptions options = Options();
  options.match.distance_max = 0;
  const FingerprintColumns columns = SomeFingerprints(7, 3000);
  const Originals expected = FilterOriginals(options, columns);
  EXPECT_GT(DuplicatesIn(expected), 100U);
  for (const size_t parts : {1, 30}) {
    EXPECT_EQ(Rounds(options, columns, 7, parts).Decide(), expected);
  }
}

TEST(JoinPass, AgreesWithItsModelWithoutTextKeys) {
  const FingerprintColumns columns = SomeFingerprints(8, 3000);
  EXPECT_EQ(Model(Options(), columns).Decide(), FilterOriginals(Options(), columns));
}

TEST(JoinPass, FollowsTextKeysToTheirHoldersWhateverTheParts) {
  FilterOptions options = Options();
  for (uint64_t seed = 11; seed <= 14; ++seed) {
    const FingerprintColumns columns = SomeFingerprints(seed, 3000);
    options.match.text_keys = false;
    const size_t without = DuplicatesIn(FilterOriginals(options, columns));
    options.match.text_keys = true;
    for (const JoinLimits& limits : {kShortStretch, kLongStretch, JoinLimits()}) {
      const Originals expected = Model(options, columns, limits).Decide();
      EXPECT_GT(DuplicatesIn(expected), without + 100);
      for (const size_t parts : {1, 3, 40, 400}) {
        Rounds rounds(options, columns, seed, parts, limits);
        EXPECT_EQ(rounds.Decide(), expected)
            << "seed " << seed << ", " << parts << " parts, stretches of 2^" << limits.stretch_bits;
      }
    }
  }
}

TEST(JoinPass, AllowsMoreToRecordsThatShareTextKeysIfWidened) {
  FilterOptions options = Options();
  options.match.text_keys = true;
  const FingerprintColumns columns = SomeFingerprints(17, 3000);
  const Originals narrow = Rounds(options, columns, 1, 1, {}).Decide();
  options.match.widen = true;
  const Originals wide = Rounds(options, columns, 1, 1, {}).Decide();
  EXPECT_GT(DuplicatesIn(wide), DuplicatesIn(narrow) + 50);
  EXPECT_EQ(Rounds(options, columns, 2, 60, {}).Decide(), wide);
  // A filter with room for the keys of all records agrees on nearly all.
  const Originals filter = FilterOriginals(options, columns);
  size_t differ = 0;
  for (size_t i = 0; i < wide.size(); ++i) {
    differ += (wide[i] == kNone) != (filter[i] == kNone) ? 1 : 0;
  }
  EXPECT_LT(differ, 100U);
}

}  // namespace
}  // namespace neardup
