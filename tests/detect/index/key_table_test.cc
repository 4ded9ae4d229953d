#include "detect/index/key_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace neardup {
namespace {

std::vector<uint32_t> IdsOf(const KeyTable& table, uint32_t key, LiveIds live) {
  std::vector<uint32_t> ids;
  table.ForEach({&key, 1}, live, [&](uint32_t id) { ids.push_back(id); });
  std::sort(ids.begin(), ids.end());
  return ids;
}

/// The smallest number of lines is 65,536, so that the upper half of a key is its line.
constexpr uint32_t KeyOf(uint32_t line, uint32_t tag) { return line << 16 | tag; }

TEST(KeyTable, WithoutRoomTheOldestPostingIsReplaced) {
  KeyTable table(1000);
  constexpr uint32_t kBegin = UINT32_MAX - 4;  // the numbers wrap around on the way
  constexpr LiveIds kLive{kBegin, 100};
  for (uint32_t i = 0; i < 13; ++i) table.Insert(KeyOf(5, i + 1), kBegin + i, kLive);
  for (uint32_t i = 0; i < 13; ++i) {
    EXPECT_EQ(IdsOf(table, KeyOf(5, i + 1), kLive).size(), i < 3 ? 0U : 1U) << i;
  }
}

TEST(KeyTable, ASweptTableForgetsNumbersBeforeTheyRepeat) {
  KeyTable table(1000);
  table.Insert(KeyOf(65535, 1), 50, {0, 100});
  table.Insert(KeyOf(0, 1), 50, {0, 100});
  const uint64_t lines = table.bytes() / 64;
  for (uint64_t i = 0; i < lines; ++i) table.SweepNext({100, 50});
  for (const uint32_t line : {0U, 65535U}) {
    EXPECT_TRUE(IdsOf(table, KeyOf(line, 1), {0, 100}).empty()) << line;
  }
}

TEST(KeyTable, GrowsWithTheCapacityAlone) {
  EXPECT_EQ(KeyTable(0).bytes(), 65536U * 64);
  for (const uint64_t postings : {1'000ULL, 3'000'000ULL, 10'000'001ULL}) {
    const KeyTable table(postings);
    EXPECT_EQ(table.bytes(), KeyTable::Bytes(postings));
    EXPECT_GE(table.bytes() / 64 * 10, postings) << "a place for each";
  }
  EXPECT_LT(KeyTable::Bytes(30'000'000), 30'000'000U * 64 / 9);
}

struct Posting {
  uint32_t key = 0;
  uint32_t id = 0;
};

TEST(KeyLine, VectorInstructionsFindTheSamePlacesAsALoop) {
  std::mt19937_64 random(13);
  KeyLine line;
  for (int round = 0; round < 20'000; ++round) {
    const LiveIds live{static_cast<uint32_t>(random()), static_cast<uint32_t>(random())};
    line.used = static_cast<uint16_t>(random() & KeyLine::kAllPlaces);
    uint32_t with_tag = 0;
    uint32_t alive = 0;
    for (size_t i = 0; i < KeyLine::kPostings; ++i) {
      line.tags[i] = random() % 2 == 0 ? 7 : static_cast<uint16_t>(random());
      // Any age, and the ages at both ends of the live range.
      const uint32_t end = random() % 2 == 0 ? live.begin : live.begin + live.count;
      line.ids[i] = random() % 2 == 0 ? static_cast<uint32_t>(random())
                                      : end + static_cast<uint32_t>(random() % 5) - 2;
      const bool used = (line.used >> i & 1) != 0;
      with_tag |= uint32_t{used && line.tags[i] == 7} << i;
      alive |= uint32_t{used && live.Holds(line.ids[i])} << i;
    }
    ASSERT_EQ(line.WithTag(7), with_tag);
    ASSERT_EQ(line.Live(live), alive);
  }
}

class KeyTableModel : public testing::TestWithParam<uint64_t> {};

TEST_P(KeyTableModel, HoldsEveryPostingThatHadRoom) {
  const uint64_t postings_max = GetParam();
  SCOPED_TRACE("seed " + std::to_string(postings_max));
  std::mt19937_64 random(postings_max);
  KeyTable table(postings_max);
  std::vector<Posting> model;  // by age
  LiveIds live{UINT32_MAX - 3000, 0};
  // A few lines, so that they fill up, and a few tags, some of them similar.
  const auto any_key = [&] {
    const auto line = static_cast<uint32_t>(random() % 20);
    const auto tag = static_cast<uint32_t>(random() % 6);
    return (line * 0x0C10'0000) ^ (tag < 3 ? tag + 1 : tag << 13);
  };
  size_t refused = 0;
  for (int step = 0; step < 30'000; ++step) {
    const uint32_t key = any_key();
    const uint64_t dice = random() % 1000;
    if (dice < 600) {
      if (table.Room(key, live) > 0) {
        const uint32_t id = live.begin + live.count++;
        table.Insert(key, id, live);
        model.push_back({key, id});
      } else {
        ++refused;
      }
    } else if (dice < 700 && !model.empty()) {  // a rollback
      table.Remove(model.back().key, model.back().id);
      model.pop_back();
      --live.count;
    } else if (dice < 710) {
      const auto dead = static_cast<uint32_t>(random() % (live.count / 4 + 1));
      live = {live.begin + dead, live.count - dead};
      model.erase(model.begin(), model.begin() + dead);
    } else {
      table.SweepNext(live);
    }
    std::vector<uint32_t> expected;
    size_t line_taken = 0;
    for (const Posting& posting : model) {
      if (posting.key == key) expected.push_back(posting.id);
      line_taken += table.SameLine(posting.key, key) ? 1 : 0;
    }
    std::sort(expected.begin(), expected.end());
    ASSERT_EQ(IdsOf(table, key, live), expected) << "step " << step;
    ASSERT_EQ(table.Room(key, live), expected.size() < 8 ? 10 - line_taken : 0) << "step " << step;
  }
  EXPECT_GT(refused, 300U);
}

INSTANTIATE_TEST_SUITE_P(Capacities, KeyTableModel, testing::Values(10, 3'000'000));

}  // namespace
}  // namespace neardup
