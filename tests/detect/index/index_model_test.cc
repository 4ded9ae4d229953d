// Compares the index with a full scan of a vector: clustered and uniform codes, hot and rare text
// keys, insertions, expiry and rollbacks in random order, every distance. Every promised candidate
// is met, every match is right, and the best match is at least as good as the best promised one.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "detect/index/index.h"
#include "detect/index/search.h"

namespace neardup {
namespace {

bool Surpasses(const EntryMatch& a, const EntryMatch& b) {
  const int sum_a = a.distance + a.order_distance;
  const int sum_b = b.distance + b.order_distance;
  return std::tuple(a.kind, sum_a, a.id) < std::tuple(b.kind, sum_b, b.id);
}

/// The contract of the index in its simplest form.
class ScannedIndex {
 public:
  ScannedIndex(const MatchOptions& match, uint64_t begin_id) : match_(match), begin_id_(begin_id) {}

  /// The table has its smallest number of lines, so that the upper half of a key is its line.
  StoredKeys ChooseKeys(const ProbedKeys& probed) const {
    StoredKeys chosen;
    if (!LooksUpKeys()) return chosen;
    for (const uint32_t key : probed.keys()) {
      int of_key = 0;
      int of_line = 0;
      const auto count = [&](const StoredKeys& keys) {
        for (const uint32_t other : keys.keys()) {
          of_key += other == key ? 1 : 0;
          of_line += other >> 16 == key >> 16 ? 1 : 0;
        }
      };
      for (const Entry& entry : entries_) count(entry.text_keys);
      count(chosen);
      if (of_key < 8 && of_line < 10 && !chosen.full()) chosen.Add(key);
    }
    return chosen;
  }
  uint64_t Insert(const Entry& entry) {
    entries_.push_back(entry);
    return begin_id_ + entries_.size() - 1;
  }
  void Rollback(uint64_t end_id) { entries_.resize(end_id - begin_id_); }
  std::vector<Entry> Newest(uint64_t count) const {
    return {entries_.end() - static_cast<int64_t>(count), entries_.end()};
  }
  void Expire(uint64_t begin_id) {
    entries_.erase(entries_.begin(), entries_.begin() + static_cast<int64_t>(begin_id - begin_id_));
    begin_id_ = begin_id;
  }

  /// The match with the entry `id`, if it is one.
  std::optional<EntryMatch> MatchOf(uint64_t id, const IndexQuery& query) const {
    if (id < begin_id() || id >= end_id()) return std::nullopt;
    const Entry& entry = entries_[id - begin_id_];
    const int64_t gap_ms = entry.time_ms - query.time_ms;
    if (entry.origin == query.position) return std::nullopt;
    if (gap_ms > query.window_ms || -gap_ms > query.window_ms) return std::nullopt;
    if (entry.fingerprint.exact == query.fingerprint.exact) {
      return EntryMatch{id, 0, 0, MatchKind::kExact};
    }
    const Nearness nearness = NearnessOf(entry, query);
    if (!Accepts(match_, nearness)) return std::nullopt;
    return EntryMatch{id, nearness.distance, nearness.order_distance, MatchKind::kNear};
  }
  /// The matches that every look-up must find, the best first.
  std::vector<EntryMatch> FindPromised(const IndexQuery& query) const {
    std::vector<EntryMatch> promised;
    for (uint64_t id = begin_id(); id < end_id(); ++id) {
      const Nearness nearness = NearnessOf(entries_[id - begin_id_], query);
      if (nearness.distance > GuaranteedDistance(match_) && nearness.shared_keys == 0) continue;
      if (const std::optional<EntryMatch> match = MatchOf(id, query)) promised.push_back(*match);
    }
    std::sort(promised.begin(), promised.end(), Surpasses);
    return promised;
  }
  uint64_t begin_id() const { return begin_id_; }
  uint64_t end_id() const { return begin_id_ + entries_.size(); }

 private:
  template <class Keys>
  static bool Holds(const Keys& keys, uint32_t key) {
    return std::count(keys.keys().begin(), keys.keys().end(), key) > 0;
  }
  bool LooksUpKeys() const { return match_.text_keys && match_.distance_max > 0; }
  Nearness NearnessOf(const Entry& entry, const IndexQuery& query) const {
    Nearness nearness;
    nearness.distance = std::popcount(entry.fingerprint.simhash ^ query.fingerprint.simhash);
    nearness.order_distance = std::popcount(entry.fingerprint.order ^ query.fingerprint.order);
    for (const uint32_t key : entry.text_keys.keys()) {
      if (LooksUpKeys() && Holds(query.text_keys, key)) ++nearness.shared_keys;
    }
    nearness.features = query.features;
    const uint64_t ours = entry.fingerprint.numbers;
    const uint64_t theirs = query.fingerprint.numbers;
    nearness.conflict_bits = std::min(std::popcount(ours & ~theirs), std::popcount(theirs & ~ours));
    return nearness;
  }

  MatchOptions match_;
  uint64_t begin_id_;
  std::vector<Entry> entries_;
};

uint64_t ExactOf(const Fingerprint& fingerprint) {
  return fingerprint.simhash * 0x9e3779b97f4a7c15 ^ fingerprint.order * 0xc2b2ae3d27d4eb4f;
}

struct Record {
  Fingerprint fingerprint;
  ProbedKeys text_keys;
};

/// Either records around a few centres, each some bits away from its centre and with keys of its
/// own, or uniform records.
class RecordSource {
 public:
  RecordSource(std::mt19937_64& random, bool clustered) : random_(random), clustered_(clustered) {
    for (uint64_t& centre : centres_) centre = random_();
  }
  Record Next() {
    const uint64_t cluster = random_() % std::size(centres_);
    uint64_t code = clustered_ ? centres_[cluster] : random_();
    Record record;
    record.fingerprint.order = Flipped(~code, random_() % 12);
    if (clustered_) code = Flipped(code, random_() % 9);
    record.fingerprint.simhash = code;
    // Equal `exact` implies equal `simhash` and `order`, but not the reverse.
    record.fingerprint.exact = ExactOf(record.fingerprint) ^ random_() % 4;
    // Equal records have equal numbers, and others often have.
    record.fingerprint.numbers = uint64_t{1} << record.fingerprint.exact % 3;
    AddKeys(cluster, record.text_keys);
    return record;
  }
  uint64_t Flipped(uint64_t code, uint64_t flips) {
    for (; flips > 0; --flips) code ^= uint64_t{1} << (random_() % 64);
    return code;
  }

 private:
  /// Some keys of the cluster, which are hot, and some of a larger shared stock, which share lines.
  void AddKeys(uint64_t cluster, ProbedKeys& keys) {
    for (uint64_t count = random_() % 9; count > 0; --count) {
      const bool own = random_() % 3 == 0;
      const auto key = static_cast<uint32_t>(own ? (1000 + cluster % 3) << 16
                                                 : (random_() % 300) << 16 | (1 + random_() % 9));
      const auto taken = keys.keys();
      if (std::find(taken.begin(), taken.end(), key) == taken.end()) keys.Add(key);
    }
  }

  std::mt19937_64& random_;
  bool clustered_;
  uint64_t centres_[12];
};

/// What a run met, so that the test can check that it covered enough.
struct Found {
  size_t promised = 0;
  size_t beyond_the_promise = 0;
  size_t nothing = 0;
  size_t keys_passed_over = 0;
  size_t among_the_newest = 0;
};

class ModelRun {
 public:
  ModelRun(const MatchOptions& match, const std::optional<BlockLayout>& layout, bool clustered,
           uint64_t seed)
      : random_(seed),
        index_({.match = match, .entries_max = 1000, .layout = layout, .begin_id = kBeginId}),
        model_(match, kBeginId),
        records_(random_, clustered) {}

  void Steps(int count) {
    for (int step = 0; step < count; ++step) {
      SCOPED_TRACE("step " + std::to_string(step));
      const uint64_t dice = random_() % 1000;
      if (dice < 400) {
        Insert();
      } else if (dice < 990) {
        Query();
      } else {
        Forget(dice < 995);
      }
      ASSERT_EQ(index_.begin_id(), model_.begin_id());
      ASSERT_EQ(index_.end_id(), model_.end_id());
      if (testing::Test::HasFatalFailure()) return;
    }
    EXPECT_GT(index_.end_id(), uint64_t{1} << 32);
  }
  const Found& found() const { return found_; }

 private:
  static constexpr uint64_t kBeginId = (uint64_t{1} << 32) - 200;

  int64_t AnyTime() { return static_cast<int64_t>(random_() % 100); }
  Position AnyPosition() {
    return {static_cast<uint32_t>(random_() % 2), static_cast<int64_t>(random_() % 50)};
  }
  void Insert() {
    const Record record = records_.Next();
    const StoredKeys keys = index_.ChooseKeys(record.text_keys);
    ASSERT_EQ(keys, model_.ChooseKeys(record.text_keys));
    const auto wanted = record.text_keys.keys();
    const bool all_had_room =
        std::equal(keys.keys().begin(), keys.keys().end(), wanted.begin(),
                   wanted.begin() + static_cast<int64_t>(std::min<size_t>(3, wanted.size())));
    found_.keys_passed_over += all_had_room ? 0 : 1;
    const Entry entry{record.fingerprint, AnyTime(), AnyPosition(), keys};
    seen_.push_back(record);
    ASSERT_EQ(index_.Insert(entry), model_.Insert(entry));
  }
  void Query() {
    Record sought = records_.Next();
    if (!seen_.empty() && random_() % 2 == 0) {
      sought = seen_[seen_.size() - 1 - random_() % std::min<size_t>(seen_.size(), 300)];
    }
    if (random_() % 4 != 0) {
      Fingerprint& changed = sought.fingerprint;
      changed.exact ^= ExactOf(changed);
      changed.simhash = records_.Flipped(changed.simhash, random_() % 4 == 0 ? 0 : random_() % 18);
      changed.order = records_.Flipped(changed.order, random_() % 20);
      changed.exact ^= ExactOf(changed);
      changed.numbers = uint64_t{1} << changed.exact % 3;
    }
    const IndexQuery query{
        sought.fingerprint, sought.text_keys, static_cast<uint32_t>(random_() % 60),
        AnyPosition(),      AnyTime(),        AnyTime()};
    Judge(query, index_.FindNearest(query));
    JudgeAll(query);
  }
  void Judge(const IndexQuery& query, const std::optional<EntryMatch>& match) {
    const std::vector<EntryMatch> all = model_.FindPromised(query);
    const std::optional<EntryMatch> promised =
        all.empty() ? std::nullopt : std::optional(all.front());
    if (match) {
      ASSERT_EQ(match, model_.MatchOf(match->id, query)) << "what is found is a match";
    }
    if (promised) {
      ASSERT_TRUE(match) << "entry " << promised->id << " is overlooked";
      ASSERT_FALSE(Surpasses(*promised, *match)) << "entry " << promised->id << " is better";
    }
    ++(match == promised ? (match ? found_.promised : found_.nothing) : found_.beyond_the_promise);
  }
  /// FindAll returns exactly the right matches, among all entries and among the newest.
  void JudgeAll(IndexQuery query) {
    const std::vector<EntryMatch> all = index_.FindAll(query);
    ASSERT_TRUE(std::is_sorted(all.begin(), all.end(), Surpasses));
    for (size_t i = 0; i < all.size(); ++i) {
      ASSERT_EQ(all[i], model_.MatchOf(all[i].id, query));
      ASSERT_TRUE(i == 0 || all[i].id != all[i - 1].id) << "twice";
    }
    for (const EntryMatch& promised : model_.FindPromised(query)) {
      ASSERT_EQ(std::count(all.begin(), all.end(), promised), 1) << promised.id;
    }
    query.since_id = AnySince();
    const auto newest = std::find_if(all.begin(), all.end(), [&](const EntryMatch& match) {
      return match.id >= query.since_id;
    });
    found_.among_the_newest += newest == all.end() ? 0 : 1;
    ASSERT_EQ(index_.FindNearest(query),
              newest == all.end() ? std::nullopt : std::optional(*newest));
  }
  /// Any number, or one of the newest, as for records that were looked up ahead.
  uint64_t AnySince() {
    if (random_() % 4 == 0) return kBeginId + random_() % (model_.end_id() - kBeginId + 2);
    const uint64_t back = std::min(random_() % 150, model_.end_id() - kBeginId);
    return model_.end_id() - back;
  }
  void Forget(bool newest) {
    const uint64_t live = model_.end_id() - model_.begin_id();
    const uint64_t count = random_() % (std::min<uint64_t>(live, 150) + 1);
    if (newest) {
      index_.Rollback(model_.Newest(count));
      model_.Rollback(model_.end_id() - count);
    } else {
      index_.Expire(model_.begin_id() + count);
      model_.Expire(model_.begin_id() + count);
    }
  }

  std::mt19937_64 random_;
  Index index_;
  ScannedIndex model_;
  RecordSource records_;
  std::vector<Record> seen_;
  Found found_;
};

class IndexModel : public testing::TestWithParam<std::tuple<int, bool, bool>> {};

TEST_P(IndexModel, FindsTheBestOfAllPromisedMatches) {
  const auto [distance_max, clustered, widen] = GetParam();
  const uint64_t seed =
      1000 + static_cast<uint64_t>(distance_max) * 4 + (clustered ? 2 : 0) + (widen ? 1 : 0);
  using Tables = std::pair<bool, std::optional<BlockLayout>>;
  for (const auto& [neighbours, layout] :
       {Tables(false, {}), Tables(true, {}), Tables(false, BlockLayout::FourBlocks()),
        Tables(false, BlockLayout::SixTables(17))}) {
    SCOPED_TRACE("seed " + std::to_string(seed) + (neighbours ? ", neighbours" : "") +
                 (layout ? fmt::format(", {} tables", layout->tables()) : ""));
    const MatchOptions match{.distance_max = distance_max,
                             .distance_sum_max = 24,
                             .features_per_bit = 3,
                             .widen = widen,
                             .text_keys = true,
                             .neighbours = neighbours};
    ModelRun run(match, layout, clustered, seed);
    run.Steps(3000);
    if (HasFatalFailure()) return;
    EXPECT_GT(run.found().promised, 20U);
    EXPECT_GT(run.found().nothing, 20U);
    EXPECT_GT(run.found().among_the_newest, 20U);
    if (clustered && distance_max > 0) {
      EXPECT_GT(run.found().keys_passed_over, 10U);
    }
    // Up to this distance every match is promised, so the answer equals the answer of a full scan.
    if (GuaranteedDistance(match) == distance_max && !widen) {
      EXPECT_EQ(run.found().beyond_the_promise, 0U);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(EveryDistance, IndexModel,
                         testing::Combine(testing::Range(0, 13), testing::Bool(), testing::Bool()));

class IndexModelWithoutKeys : public testing::TestWithParam<std::tuple<int, bool>> {};

TEST_P(IndexModelWithoutKeys, KeepsTheGuarantee) {
  const auto [distance_max, clustered] = GetParam();
  const uint64_t seed = 2000 + static_cast<uint64_t>(distance_max) * 2 + (clustered ? 1 : 0);
  SCOPED_TRACE("seed " + std::to_string(seed));
  const MatchOptions match{.distance_max = distance_max,
                           .distance_sum_max = 128,
                           .features_per_bit = 0,
                           .text_keys = false,
                           .neighbours = distance_max % 2 == 0};
  ModelRun run(match, {}, clustered, seed);
  run.Steps(3000);
  EXPECT_GT(run.found().promised, 20U);
}

INSTANTIATE_TEST_SUITE_P(EveryDistance, IndexModelWithoutKeys,
                         testing::Combine(testing::Range(0, 13), testing::Bool()));

}  // namespace
}  // namespace neardup
