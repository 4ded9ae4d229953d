// Compares BlockTable with plain lists, under insertions, rollbacks, expiry and sweeps in random
// order, in buckets so long that their rings wrap around beyond the first cache line.
#include "detect/index/block_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <deque>
#include <random>
#include <string>
#include <vector>

namespace neardup {
namespace {

constexpr size_t kBuckets = 3;

struct Posting {
  uint32_t id;
  uint32_t bucket;
  uint16_t tag;
};

/// What a run did, so that the test can check that it covered enough.
struct Done {
  size_t found_in_wrapped = 0;
  size_t rolled_back = 0;
  size_t given_back = 0;
};

class TableRun {
 public:
  TableRun(uint64_t seed, size_t live_max) : random_(seed), live_max_(live_max) {}

  void Steps(int count) {
    for (int step = 0; step < count; ++step) {
      SCOPED_TRACE("step " + std::to_string(step));
      const uint64_t dice = random_() % 100;
      if (dice < 80) Insert();
      if (dice >= 80 && dice < 84) Rollback();
      if (dice >= 84 && dice < 90) Expire(1 + random_() % 4);
      if (dice >= 90 && dice < 92) Sweep();
      if (live_.size() > live_max_) Expire(live_.size() - live_max_);
      Compare();
      if (testing::Test::HasFatalFailure()) return;
    }
  }
  const Done& done() const { return done_; }

 private:
  LiveIds live() const { return {next_id_ - static_cast<uint32_t>(live_.size()), Count()}; }
  uint32_t Count() const { return static_cast<uint32_t>(live_.size()); }
  uint16_t NearTagOf(uint16_t tag) {
    for (uint64_t flips = random_() % 4; flips > 0; --flips) {
      tag = static_cast<uint16_t>(tag ^ 1U << random_() % 16);
    }
    return tag;
  }

  void Insert() {
    const auto bucket = static_cast<uint32_t>(random_() % 5 == 0 ? random_() % kBuckets : 1);
    const Posting added{next_id_++, bucket, NearTagOf(kTag)};
    live_.push_back(added);
    table_.Insert(added.bucket, added.tag, added.id, live());
  }
  void Rollback() {
    for (uint64_t count = random_() % 30; count > 0 && !live_.empty(); --count) {
      table_.RemoveNewest(live_.back().bucket, live_.back().id);
      live_.pop_back();
      --next_id_;
      ++done_.rolled_back;
    }
  }
  void Expire(uint64_t count) {
    for (; count > 0 && !live_.empty(); --count) live_.pop_front();
    if (random_() % 500 == 0) live_.clear();
  }
  void Sweep() {
    const uint64_t before = table_.bytes();
    for (uint32_t bucket = 0; bucket < kBuckets; ++bucket) table_.Sweep(bucket, live());
    done_.given_back += table_.bytes() < before ? 1 : 0;
  }

  /// Numbers wrap around at 2^32.
  auto Older() const {
    return [this](uint32_t a, uint32_t b) { return a - live().begin < b - live().begin; };
  }

  void Compare() {
    const auto bucket = static_cast<uint32_t>(random_() % kBuckets);
    const uint16_t sought = NearTagOf(kTag);
    const int bits = static_cast<int>(random_() % 4);
    std::vector<uint32_t> expected;
    const uint32_t newest_count = static_cast<uint32_t>(random_() % (live_.size() + 1));
    const LiveIds newest{next_id_ - newest_count, newest_count};
    std::vector<uint32_t> expected_newest;
    for (const Posting& posting : live_) {
      const int errors = std::popcount(static_cast<unsigned>(posting.tag ^ sought));
      if (posting.bucket != bucket || errors > bits) continue;
      expected.push_back(posting.id);
      if (newest.Holds(posting.id)) expected_newest.push_back(posting.id);
    }
    std::vector<uint32_t> found;
    table_.ForEachNear(bucket, sought, bits, [&](const uint32_t* id) {
      if (live().Holds(*id)) found.push_back(*id);
    });
    ASSERT_EQ(found.size(), expected.size());
    const bool wrapped = !std::is_sorted(found.begin(), found.end(), Older());
    done_.found_in_wrapped += wrapped && table_.size(bucket) > kFirstTags ? 1 : 0;
    std::sort(found.begin(), found.end(), Older());
    ASSERT_EQ(found, expected);
    std::vector<uint32_t> found_newest;
    table_.ForEachNearAmong(newest, bucket, sought, bits,
                            [&](uint32_t id) { found_newest.push_back(id); });
    std::reverse(found_newest.begin(), found_newest.end());
    ASSERT_EQ(found_newest, expected_newest) << "the newest first";
  }
  static constexpr uint16_t kTag = 0x5aa5;

  std::mt19937_64 random_;
  size_t live_max_;
  LineHeap heap_;
  BlockTable table_{kBuckets, heap_};
  uint32_t next_id_ = UINT32_MAX - 2000;
  std::deque<Posting> live_;
  Done done_;
};

class BlockTableModel : public testing::TestWithParam<size_t> {};

TEST_P(BlockTableModel, FindsWhatAPlainListHolds) {
  TableRun run(GetParam(), GetParam());
  run.Steps(30'000);
  if (HasFatalFailure()) return;
  EXPECT_GT(run.done().rolled_back, 1000U);
  EXPECT_GT(run.done().given_back, 10U);
  if (GetParam() > 100) {
    EXPECT_GT(run.done().found_in_wrapped, 1000U);
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, BlockTableModel, testing::Values(10, 60, 150, 400));

TEST(BlockTable, SweepingReturnsTheMemoryOfDeadPostings) {
  LineHeap heap;
  BlockTable table(kBuckets, heap);
  const uint64_t empty = table.bytes();
  for (uint32_t id = 0; id < 10'000; ++id) table.Insert(1, 7, id, {0, id + 1});
  EXPECT_GT(table.bytes(), empty + 60'000);
  table.Sweep(1, {0, 10'000});
  EXPECT_GT(table.bytes(), empty + 60'000) << "all are alive";
  table.Sweep(1, {9'990, 10});
  EXPECT_LT(table.bytes(), empty + 200);
  EXPECT_EQ(table.size(1), 10U);
  table.Sweep(1, {10'000, 0});
  EXPECT_EQ(table.bytes(), empty);
}

TEST(BlockTable, ReservingDropsAllPostings) {
  LineHeap heap;
  BlockTable table(kBuckets, heap);
  for (uint32_t id = 0; id < 200; ++id) table.Insert(1, 7, id, {0, id + 1});
  table.Reserve(std::vector<uint32_t>{0, 3, 0});
  EXPECT_EQ(table.size(1), 0U);
  for (uint32_t id = 200; id < 203; ++id) table.Insert(1, 7, id, {200, 3});
  std::vector<uint32_t> ids;
  table.ForEachNear(1, 7, 0, [&](const uint32_t* id) { ids.push_back(*id); });
  EXPECT_EQ(ids, (std::vector<uint32_t>{200, 201, 202}));
}

}  // namespace
}  // namespace neardup
