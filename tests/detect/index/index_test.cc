// What a comparison with a full scan (index_model_test.cc) does not reach: equal records before
// near ones, ends of ranges, the worst spread of errors, keys of one record in one line, crowds,
// batches and counts.
#include "detect/index/index.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <optional>
#include <random>
#include <span>
#include <utility>
#include <vector>

namespace neardup {
namespace {

constexpr uint64_t kCode = 0x0123456789abcdef;

constexpr uint64_t kOrder = 0xfedcba9876543210;

/// Finds by blocks and their neighbours only, and accepts by simhash distance only.
IndexOptions Within(int distance_max) {
  return {.match = {.distance_max = distance_max,
                    .distance_sum_max = 128,
                    .features_per_bit = 0,
                    .text_keys = false,
                    .neighbours = true}};
}

/// Text keys, each in a line of its own.
template <class Keys>
Keys KeysOf(std::initializer_list<uint32_t> list) {
  Keys keys;
  for (const uint32_t key : list) keys.Add(key << 20);
  return keys;
}

Entry MakeEntry(uint64_t simhash, uint64_t exact, int64_t time_ms = 0, int64_t offset = 0) {
  return {{simhash, kOrder, exact}, time_ms, {7, offset}, {}};
}

IndexQuery MakeQuery(uint64_t simhash, uint64_t exact) {
  IndexQuery query;
  query.fingerprint = {simhash, kOrder, exact};
  query.position = {1, 1};
  return query;
}

TEST(Index, EveryPairOfFlippedBitsIsFoundWithinItsDistance) {
  Index index(Within(2));
  index.Insert(MakeEntry(kCode, 1));
  for (int a = 0; a < 64; ++a) {
    for (int b = 0; b < 64; ++b) {
      const uint64_t code = kCode ^ (uint64_t{1} << a) ^ (uint64_t{1} << b);
      const int distance = a == b ? 0 : 2;
      const auto match = index.FindNearest(MakeQuery(code, 2));
      ASSERT_EQ(match, (EntryMatch{0, distance, 0, MatchKind::kNear})) << a << " " << b;
    }
  }
}

TEST(Index, TheWorstSpreadOfErrorsIsFoundAtEveryDistance) {
  // Adds one error to each block in turn, so that the errors are spread as evenly as possible.
  for (int distance_max = 0; distance_max <= 7; ++distance_max) {
    Index index(Within(distance_max));
    index.Insert(MakeEntry(kCode, 1));
    uint64_t code = kCode;
    for (int errors = 0; errors <= 8; ++errors) {
      const bool same = errors == 0;
      const auto match = index.FindNearest(MakeQuery(code, same ? 1 : 2));
      EXPECT_EQ(match.has_value(), errors <= distance_max) << distance_max << " " << errors;
      if (match) {
        EXPECT_EQ(match->distance, errors);
      }
      code ^= uint64_t{1} << ((errors % 4) * 16 + errors / 4 * 5);
    }
  }
}

TEST(Index, ExactComesBeforeNearAndTheOldestBeforeTheRest) {
  Index index(Within(3));
  index.Insert(MakeEntry(kCode, 5));      // 0: distance 0, not equal
  index.Insert(MakeEntry(kCode ^ 1, 6));  // 1: distance 1
  index.Insert(MakeEntry(kCode, 1));      // 2: equal
  index.Insert(MakeEntry(kCode, 1));      // 3: equal, newer
  EXPECT_EQ(index.FindNearest(MakeQuery(kCode, 1)), (EntryMatch{2, 0, 0, MatchKind::kExact}));
  EXPECT_EQ(index.FindNearest(MakeQuery(kCode, 9)), (EntryMatch{0, 0, 0, MatchKind::kNear}));
  index.Expire(1);
  EXPECT_EQ(index.FindNearest(MakeQuery(kCode, 9)), (EntryMatch{2, 0, 0, MatchKind::kNear}));
}

TEST(Index, TheWindowIsInclusiveAndSafeAtTheEndsOfTime) {
  Index index(Within(3));
  index.Insert(MakeEntry(kCode, 1, 1000));
  IndexQuery query = MakeQuery(kCode, 1);
  query.window_ms = 10;
  for (const auto& [time_ms, found] : std::vector<std::pair<int64_t, bool>>{{989, false},
                                                                            {990, true},
                                                                            {1010, true},
                                                                            {1011, false},
                                                                            {INT64_MIN, false},
                                                                            {INT64_MAX, false},
                                                                            {-1, false}}) {
    query.time_ms = time_ms;
    EXPECT_EQ(index.FindNearest(query).has_value(), found) << time_ms;
  }
  index.Insert(MakeEntry(~kCode, 2, INT64_MIN));
  query.fingerprint = {~kCode, kOrder, 2};
  query.time_ms = INT64_MAX;
  EXPECT_EQ(index.FindNearest(query), std::nullopt);
  query.window_ms = INT64_MAX;
  query.time_ms = -1;
  EXPECT_EQ(index.FindNearest(query), (EntryMatch{1, 0, 0, MatchKind::kExact}));
}

TEST(Index, WithoutNeighboursTheGuaranteeIsThreeBits) {
  IndexOptions options = Within(7);
  options.match.neighbours = false;
  Index index(options);
  index.Insert(MakeEntry(kCode, 1));
  const uint64_t three = 0x0000000100010001;  // one error in each of three blocks
  EXPECT_EQ(index.FindNearest(MakeQuery(kCode ^ three, 2)),
            (EntryMatch{0, 3, 0, MatchKind::kNear}));
  const uint64_t four = three | 0x0001000000000000;
  EXPECT_EQ(index.FindNearest(MakeQuery(kCode ^ four, 2)), std::nullopt);
}

/// Finds by text keys only, because the codes used below share no block.
IndexOptions ByKeys(int distance_max) {
  IndexOptions options = Within(distance_max);
  options.match.text_keys = true;
  options.match.neighbours = false;
  return options;
}

constexpr uint64_t kFiveAway = 0x0001000100010003;

TEST(Index, KeysOfOneLineAreChosenWhileTheLineHasRoom) {
  // Keys that share their upper 16 bits share a line of ten places.
  Index index(ByKeys(5));
  Entry entry = MakeEntry(kCode, 1);
  for (uint32_t i = 1; i <= 8; ++i) {
    entry.text_keys = {};
    entry.text_keys.Add(7 << 16 | i);
    index.Insert(entry);
  }
  ProbedKeys probed;
  for (const uint32_t key : {7 << 16 | 21, 7 << 16 | 22, 7 << 16 | 23, 8 << 16}) probed.Add(key);
  entry.text_keys = index.ChooseKeys(probed);
  StoredKeys expected;
  for (const uint32_t key : {7 << 16 | 21, 7 << 16 | 22, 8 << 16}) expected.Add(key);
  EXPECT_EQ(entry.text_keys, expected);
  index.Insert(entry);
  for (uint32_t i = 1; i <= 8; ++i) {  // it took the place of no other
    IndexQuery query = MakeQuery(kCode ^ kFiveAway, 2);
    query.text_keys.Add(7 << 16 | i);
    EXPECT_EQ(index.FindNearest(query), (EntryMatch{i - 1, 5, 0, MatchKind::kNear}));
  }
}

TEST(Index, AtDistanceZeroAllBitsOfTheExactHashAreCompared) {
  constexpr uint64_t kExact = 0x1234'5678'9abc'def0;
  Index index(Within(0));
  index.Insert(MakeEntry(kCode, kExact));
  for (int bit = 0; bit < 64; ++bit) {
    EXPECT_FALSE(index.FindNearest(MakeQuery(kCode, kExact ^ uint64_t{1} << bit))) << bit;
  }
  EXPECT_EQ(index.FindNearest(MakeQuery(kCode, kExact)), (EntryMatch{0, 0, 0, MatchKind::kExact}));
}

TEST(Index, TimesBeyondTheKeptRangeAreEqual) {
  Index index(Within(3));
  index.Insert(MakeEntry(kCode, 1, INT64_MIN + 5));
  IndexQuery query = MakeQuery(kCode, 1);
  query.window_ms = 10;
  query.time_ms = INT64_MIN + 1'000'000;
  EXPECT_TRUE(index.FindNearest(query));
  query.time_ms = 0;
  EXPECT_FALSE(index.FindNearest(query));
}

TEST(Index, SearchesALargeCrowdAroundOneCodeCompletely) {
  // More candidates than one list of put-off reads can hold.
  Index index(Within(3));
  for (uint64_t i = 0; i < 1000; ++i) {
    Entry entry = MakeEntry(kCode, 10 + i);
    entry.fingerprint.order = kOrder ^ (i == 700 ? 1 : 0xff);
    index.Insert(entry);
  }
  EXPECT_EQ(index.FindNearest(MakeQuery(kCode, 1)), (EntryMatch{700, 0, 1, MatchKind::kNear}));
}

TEST(Index, ChoosesNoKeysIfItUsesNone) {
  const auto probed = KeysOf<ProbedKeys>({11, 22});
  EXPECT_EQ(Index(ByKeys(0)).ChooseKeys(probed), StoredKeys());
  EXPECT_EQ(Index(Within(5)).ChooseKeys(probed), StoredKeys());
  EXPECT_EQ(Index(ByKeys(1)).ChooseKeys(probed), KeysOf<StoredKeys>({11, 22}));
}

TEST(Index, IgnoresTheKeysOfALogIfItUsesNone) {
  IndexQuery keyed = MakeQuery(kCode ^ kFiveAway, 2);
  keyed.text_keys = KeysOf<ProbedKeys>({11});
  for (IndexOptions options : {ByKeys(0), Within(5)}) {
    options.match.neighbours = false;
    Index index(options);
    Entry entry = MakeEntry(kCode, 1);
    entry.text_keys = KeysOf<StoredKeys>({11});
    for (int i = 0; i < 1000; ++i) index.Insert(entry);
    EXPECT_LE(index.bytes(), Index::BytesMax(options, 1000));
    EXPECT_FALSE(index.FindNearest(keyed));
    keyed.since_id = index.end_id();
    EXPECT_FALSE(index.FindNearest(keyed));
    index.Insert(entry);
    EXPECT_FALSE(index.FindNearest(keyed)) << "nor among the newest";
    index.Rollback(std::span(&entry, 1));
    keyed.since_id = 0;
    index.Rollback(std::vector(500, entry));
    index.Expire(500);
    EXPECT_EQ(index.size(), 0U);
  }
}

TEST(Index, ABatchFindsWhatItsQueriesFindAlone) {
  for (const bool neighbours : {false, true}) {
    std::mt19937_64 random(4);
    IndexOptions options = ByKeys(8);
    options.match.neighbours = neighbours;
    Index index(options);
    std::vector<IndexQuery> queries;
    for (uint64_t i = 0; i < 3000;
         ++i) {  // crowded: some queries have more candidates than a list holds
      Entry entry = MakeEntry(kCode ^ (random() & random() & random()), i);
      if (i % 3 == 0) entry.fingerprint.simhash = random();
      for (uint32_t key = 1; key <= 3; ++key) {
        entry.text_keys.Add(static_cast<uint32_t>(random() % 40 + 40 * key) << 20);
      }
      index.Insert(entry);
      queries.push_back(MakeQuery(entry.fingerprint.simhash ^ (random() & random() & random()), 7));
      for (const uint32_t key : entry.text_keys.keys()) queries.back().text_keys.Add(key);
      if (i % 5 == 0) queries.back().since_id = random() % 3000;
    }
    for (const size_t batch : {1, 2, 5, 17, 100, 3000}) {
      for (size_t begin = 0; begin + batch <= queries.size(); begin += 211 + batch) {
        const auto slice = std::span(queries).subspan(begin, batch);
        std::vector<Nearest> found(batch);
        std::as_const(index).FindNearest(slice, found);
        for (size_t i = 0; i < batch; ++i) {
          const uint64_t candidates_before = index.candidates();
          ASSERT_EQ(found[i].match, index.FindNearest(slice[i])) << begin + i;
          ASSERT_EQ(found[i].candidates, index.candidates() - candidates_before);
        }
      }
    }
  }
}

TEST(Index, CountsTheEntriesItCompares) {
  IndexOptions options = Within(3);
  options.match.neighbours = false;
  Index index(options);
  index.Insert(MakeEntry(kCode, 1));
  index.Insert(MakeEntry(~kCode, 2));
  index.FindNearest(MakeQuery(kCode, 9));
  EXPECT_EQ(index.candidates(), 4U);  // the first entry, met in each of the four buckets
  index.FindNearest(MakeQuery(kCode ^ 0b11, 9));
  EXPECT_EQ(index.candidates(), 6U);  // one half is equal, the other has two errors
  index.FindNearest(MakeQuery(kCode ^ 0x0000000100000001, 9));
  EXPECT_EQ(index.candidates(), 8U);  // in each half one block is equal, and the other one near
}

}  // namespace
}  // namespace neardup
