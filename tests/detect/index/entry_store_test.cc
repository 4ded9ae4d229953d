#include "detect/index/entry_store.h"

#include <gtest/gtest.h>

#include <deque>
#include <random>
#include <string>

namespace neardup {
namespace {

constexpr uint64_t kChunk = EntryStore::kChunkEntries;

StoredEntry Numbered(uint64_t number) { return {{number, ~number, number}, 0, {0, 1}}; }

TEST(StoredEntry, ReturnsTheValuesItWasGiven) {
  for (const int64_t time_ms : {int64_t{0}, int64_t{-1}, int64_t{1'700'000'000'123},
                                int64_t{-28'000'000'000'000}, int64_t{253'402'300'799'999}}) {
    const StoredEntry entry({11, 22, 33}, time_ms, {kInputMax, kOffsetMax});
    EXPECT_EQ(entry.simhash(), 11U);
    EXPECT_EQ(entry.order(), 22U);
    EXPECT_EQ(entry.time_ms(), time_ms);
    EXPECT_EQ(entry.origin(), (Position{kInputMax, kOffsetMax}));
  }
  EXPECT_EQ(StoredEntry({}, 0, {0, 0}).origin(), (Position{0, 0}));
}

TEST(StoredEntry, KeepsTheNearestTimeInItsRange) {
  EXPECT_EQ(StoredEntry({}, INT64_MAX, {}).time_ms(), 253'402'300'799'999);
  EXPECT_EQ(StoredEntry({}, INT64_MIN, {}).time_ms(), 253'402'300'799'999 - kOffsetMax);
  EXPECT_EQ(StoredEntry::KeptTime(INT64_MIN), StoredEntry({}, INT64_MIN, {}).time_ms());
}

TEST(StoredEntry, IsExactComparesSimhashOrderAndSixteenBitsOfTheExactHash) {
  const StoredEntry entry({11, 22, 0x1234'5678}, 0, {});
  EXPECT_TRUE(entry.IsExact({11, 22, 0x1234'5678}));
  EXPECT_TRUE(entry.IsExact({11, 22, 0x9999'5678}));
  EXPECT_FALSE(entry.IsExact({10, 22, 0x1234'5678}));
  EXPECT_FALSE(entry.IsExact({11, 23, 0x1234'5678}));
  EXPECT_FALSE(entry.IsExact({11, 22, 0x1234'5679}));
}

TEST(EntryStore, HoldsTheSameEntriesAsADeque) {
  constexpr uint64_t kSeed = 21;
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  std::mt19937_64 random(kSeed);
  uint64_t begin_id = (uint64_t{1} << 32) - 3 * kChunk - 5;
  EntryStore store(begin_id, true);
  std::deque<uint64_t> model;
  uint64_t next = 1;
  for (int step = 0; step < 200; ++step) {
    const uint64_t grown = random() % 3 == 0 ? kChunk - store.end_id() % kChunk : random() % 90'000;
    for (uint64_t i = 0; i < grown; ++i, ++next) {
      store.PushBack(Numbered(next), 3 * next);
      model.push_back(next);
    }
    // The store alternately grows over many chunks and shrinks to a few, sometimes to none.
    const uint64_t most = step / 40 % 2 == 0 ? kChunk / 4 : 2 * kChunk;
    uint64_t gone = std::min<uint64_t>(model.size(), random() % most);
    if (random() % 20 == 0) gone = model.size();
    if (random() % 3 == 0) {
      store.TruncateBack(store.end_id() - gone);
      model.erase(model.end() - static_cast<int64_t>(gone), model.end());
    } else {
      begin_id += gone;
      store.TruncateFront(begin_id);
      model.erase(model.begin(), model.begin() + static_cast<int64_t>(gone));
    }
    ASSERT_EQ(store.begin_id(), begin_id);
    ASSERT_EQ(store.size(), model.size());
    for (uint64_t i = 0; i < model.size(); i += 1 + random() % 50) {
      ASSERT_EQ(store[begin_id + i].simhash(), model[i]) << "step " << step << " place " << i;
      ASSERT_EQ(store.numbers(begin_id + i), 3 * model[i]) << "step " << step << " place " << i;
    }
  }
  EXPECT_GT(store.end_id(), uint64_t{1} << 32);
}

TEST(EntryStore, ReturnsChunksAndStaysWithinItsBound) {
  for (const bool with_numbers : {false, true}) {
    EntryStore store(7, with_numbers);
    EXPECT_EQ(store.bytes(), EntryStore(0, with_numbers).bytes());
    for (const uint64_t window : {kChunk / 2, 3 * kChunk + 1}) {
      for (uint64_t i = 0; i < 10 * kChunk; ++i) {
        if (store.size() >= window) store.TruncateFront(store.end_id() - window + 1);
        store.PushBack(Numbered(i), i);
        ASSERT_LE(store.bytes(), EntryStore::BytesMax(window, with_numbers));
      }
      ASSERT_GE(store.bytes(), window * (with_numbers ? 40 : 32));
    }
    store.TruncateFront(store.end_id());
    EXPECT_LE(store.bytes(), EntryStore::BytesMax(1, with_numbers));
  }
}

}  // namespace
}  // namespace neardup
