// Loading many entries at once, as a restore does.
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "detect/index/index.h"

namespace neardup {
namespace {

/// Families of near codes, of different sizes, so that buckets differ in length.
std::vector<Entry> Families(uint64_t seed, size_t count) {
  std::mt19937_64 random(seed);
  std::vector<Entry> entries;
  uint64_t code = 0;
  uint32_t key = 0;
  for (size_t i = 0; i < count; ++i) {
    if (i % (1 + i / 50) == 0) code = random();
    if (i % 5 == 0) key = static_cast<uint32_t>(random()) | 1;
    Entry entry;
    entry.fingerprint = {code ^ (uint64_t{1} << random() % 64), random(), random()};
    entry.origin = {7, static_cast<int64_t>(i)};
    entry.text_keys.Add(key);
    entry.text_keys.Add(static_cast<uint32_t>(random()) | 1);
    entries.push_back(entry);
  }
  return entries;
}

TEST(IndexLoad, AnswersAsAnIndexThatTookTheEntriesOneByOne) {
  const std::vector<Entry> entries = Families(1, 2000);
  const IndexOptions options{
      .match = {.similarity = 0, .distance_max = 12, .distance_sum_max = 128}, .entries_max = 2000};
  Index one_by_one(options);
  Index loaded(options);
  loaded.BeginLoad();
  for (size_t begin = 0; begin < entries.size(); begin += 500) {
    const std::span<const Entry> some = std::span(entries).subspan(begin, 500);
    for (const Entry& entry : some) one_by_one.Insert(entry);
    loaded.Insert(some);
    one_by_one.Expire(begin / 4);
    loaded.Expire(begin / 4);
  }
  loaded.EndLoad();
  ASSERT_EQ(loaded.begin_id(), one_by_one.begin_id());
  ASSERT_EQ(loaded.end_id(), one_by_one.end_id());
  EXPECT_LE(loaded.bytes(), Index::BytesMax(options, entries.size()));
  size_t met = 0;
  const auto expect_same = [&] {
    for (const Entry& entry : Families(1, 2000)) {
      IndexQuery query;
      query.fingerprint = entry.fingerprint;
      query.fingerprint.simhash ^= 5;
      query.position = {1, 1};
      query.features = 100;
      for (const uint32_t key : entry.text_keys.keys()) query.text_keys.Add(key);
      const std::vector<EntryMatch> expected = one_by_one.FindAll(query);
      ASSERT_EQ(loaded.FindAll(query), expected);
      met += expected.size();
    }
  };
  expect_same();
  EXPECT_GT(met, 5000U);
  // Both still agree after further insertions.
  for (const Entry& entry : Families(2, 700)) {
    one_by_one.Insert(entry);
    loaded.Insert(entry);
  }
  one_by_one.Expire(1500);
  loaded.Expire(1500);
  expect_same();
}

}  // namespace
}  // namespace neardup
