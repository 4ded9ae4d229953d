#include "index/text_key_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace neardup {
namespace {

using Model = std::multimap<uint32_t, uint32_t>;

std::vector<uint32_t> IdsOf(const TextKeyTable& table, uint32_t key) {
  std::vector<uint32_t> ids;
  table.ForEach(key, [&](uint32_t id) { ids.push_back(id); });
  std::sort(ids.begin(), ids.end());
  return ids;
}

std::vector<uint32_t> IdsOf(const Model& model, uint32_t key) {
  std::vector<uint32_t> ids;
  const auto [begin, end] = model.equal_range(key);
  for (auto at = begin; at != end; ++at) ids.push_back(at->second);
  std::sort(ids.begin(), ids.end());
  return ids;
}

TEST(TextKeyTable, AnEmptyOneHasRoomAndNoMemory) {
  const TextKeyTable table;
  EXPECT_TRUE(IdsOf(table, 1).empty());
  EXPECT_TRUE(table.HasRoom(1));
  EXPECT_EQ(table.bytes(), 0U);
}

TEST(TextKeyTable, AKeyHasRoomForEightEntries) {
  TextKeyTable table;
  for (uint32_t id = 0; id < 8; ++id) {
    EXPECT_TRUE(table.HasRoom(77));
    table.Insert(77, id);
  }
  EXPECT_FALSE(table.HasRoom(77));
  EXPECT_TRUE(table.HasRoom(78));
  table.Remove(77, 3);
  EXPECT_TRUE(table.HasRoom(77));
  EXPECT_EQ(IdsOf(table, 77), (std::vector<uint32_t>{0, 1, 2, 4, 5, 6, 7}));
}

TEST(TextKeyTable, AChainThatWrapsAroundTheEndStaysWhole) {
  // All these keys have their home in the last of the 1,024 slots, so the chain goes on at slot 0.
  TextKeyTable table;
  Model model;
  std::mt19937_64 random(7);
  for (uint32_t id = 0; id < 60; ++id) {
    const uint32_t key = UINT32_MAX - static_cast<uint32_t>(random() % 40);
    table.Insert(key, id);
    model.emplace(key, id);
  }
  table.Insert(1, 1000);  // at home in slot 0, where the chain is
  model.emplace(1, 1000);
  while (!model.empty()) {
    const auto gone = std::next(model.begin(), static_cast<int64_t>(random() % model.size()));
    table.Remove(gone->first, gone->second);
    model.erase(gone);
    for (uint32_t key = UINT32_MAX - 40; key != 2; ++key) {
      ASSERT_EQ(IdsOf(table, key), IdsOf(model, key)) << key;
    }
  }
}

class TextKeyTableModel : public testing::TestWithParam<std::pair<uint64_t, uint32_t>> {};

TEST_P(TextKeyTableModel, HoldsWhatAMultimapHolds) {
  const auto [seed, keys] = GetParam();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  TextKeyTable table;
  Model model;
  std::vector<std::pair<uint32_t, uint32_t>> pairs;
  // Keys spread evenly, and as many close to both ends of the table.
  const auto any_key = [&, keys = keys] {
    const auto number = static_cast<uint32_t>(random() % keys);
    switch (random() % 3) {
      case 0:
        return number + 1;
      case 1:
        return UINT32_MAX - number;
      default:
        return std::max<uint32_t>(number * 0x9E3779B1, 1);
    }
  };
  for (int step = 0; step < 40'000; ++step) {
    // Fills, empties, fills again: through every load up to a doubling.
    const uint64_t insert_percent = step / 8000 % 2 == 0 ? 70 : 30;
    if (pairs.empty() || random() % 100 < insert_percent) {
      pairs.emplace_back(any_key(), static_cast<uint32_t>(random() % 1000));
      table.Insert(pairs.back().first, pairs.back().second);
      model.emplace(pairs.back().first, pairs.back().second);
    } else {
      const size_t at = random() % pairs.size();
      const auto [key, id] = pairs[at];
      pairs[at] = pairs.back();
      pairs.pop_back();
      table.Remove(key, id);
      const auto [begin, end] = model.equal_range(key);
      model.erase(std::find_if(begin, end, [id = id](const auto& p) { return p.second == id; }));
    }
    const uint32_t key = any_key();
    ASSERT_EQ(IdsOf(table, key), IdsOf(model, key)) << "step " << step;
    ASSERT_EQ(table.HasRoom(key), model.count(key) < 8) << "step " << step;
  }
  for (const auto& [key, id] : model) ASSERT_EQ(IdsOf(table, key), IdsOf(model, key));
  // At most two thirds full, and grown by doubling only.
  EXPECT_GE(table.bytes() / 8 * 2, model.size() * 3);
  EXPECT_EQ(table.bytes() & (table.bytes() - 1), 0U);
}

INSTANTIATE_TEST_SUITE_P(FewAndManyKeys, TextKeyTableModel,
                         testing::Values(std::pair{1, 3}, std::pair{2, 100}, std::pair{3, 1500},
                                         std::pair{4, 1'000'000}));

TEST(TextKeyTable, NeverHoldsMoreThanTheDoublingItNeeds) {
  TextKeyTable table;
  for (uint32_t n = 1; n <= 20'000; ++n) {
    table.Insert(n * 0x9E3779B1, n);
    uint64_t slots = 1024;
    while (2 * slots < 3 * uint64_t{n}) slots *= 2;
    ASSERT_EQ(table.bytes(), slots * 8) << n;
  }
}

}  // namespace
}  // namespace neardup
