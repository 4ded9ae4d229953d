// The records that indexes are measured with, and the plainer indexes.
#include "bench/index_peers.h"

#include <gtest/gtest.h>

#include <bit>
#include <map>
#include <vector>

namespace neardup {
namespace {

constexpr uint64_t kWindow = 2000;

using Record = IndexWorkload::Record;

TEST(IndexWorkload, MakesAFifthOfTheRecordsCopiesAndHalfOfTheCopiesNear) {
  for (const auto kind : {IndexWorkload::Kind::kUniform, IndexWorkload::Kind::kClustered}) {
    IndexWorkload workload(kind, kWindow, 1);
    std::vector<Record> originals = workload.Next(kWindow, false);
    size_t near = 0;
    size_t far = 0;
    for (const Record& record : workload.Next(2000)) {
      int nearest = 64;
      size_t shared_keys = 0;
      for (const Record& original : originals) {
        const int distance =
            std::popcount(original.fingerprint.simhash ^ record.fingerprint.simhash);
        if (distance >= nearest) continue;
        nearest = distance;
        shared_keys = 0;
        for (size_t i = 0; i < 8; ++i) {
          shared_keys += original.text_keys.keys()[i] == record.text_keys.keys()[i] ? 1 : 0;
        }
      }
      EXPECT_EQ(record.near_copy, nearest <= 3);
      near += record.near_copy ? 1 : 0;
      far += !record.near_copy && nearest <= 8 && shared_keys > 0 ? 1 : 0;
      originals.push_back(record);
    }
    EXPECT_NEAR(static_cast<double>(near), 200, 50);
    EXPECT_NEAR(static_cast<double>(far), 200, 60);
  }
}

TEST(IndexWorkload, MakesFamiliesThatShareKeysButAreNotNearEachOther) {
  IndexWorkload workload(IndexWorkload::Kind::kFamily, kWindow, 1);
  std::map<uint32_t, size_t> records_of_key;
  const std::vector<Record> records = workload.Next(kWindow, false);
  for (const Record& record : records) {
    for (const uint32_t key : record.text_keys.keys()) ++records_of_key[key];
  }
  size_t frequent = 0;
  for (const auto& [key, count] : records_of_key) frequent += count > kWindow / 10 ? 1 : 0;
  EXPECT_EQ(frequent, 20U);
  size_t near = 0;
  for (size_t i = 1; i < records.size(); ++i) {
    const uint64_t differing = records[i].fingerprint.simhash ^ records[i - 1].fingerprint.simhash;
    EXPECT_LT(std::popcount(differing), 48);
    near += std::popcount(differing) <= 8 ? 1 : 0;
  }
  EXPECT_LT(near, 5U);
}

template <class Peer>
void ExpectFindsNearCopiesUntilTheyExpire(const MatchOptions& match) {
  IndexWorkload workload(IndexWorkload::Kind::kUniform, kWindow, 2);
  Peer peer(match, kWindow);
  const std::vector<Record> first = workload.Next(kWindow, false);
  for (const Record& record : first) peer.Insert(record);
  size_t near = 0;
  for (int batch = 0; batch < 3; ++batch) {
    for (const Record& record : workload.NextSought(1000)) {
      near += record.near_copy ? 1 : 0;
      if (record.near_copy) {
        EXPECT_TRUE(peer.Find(record));
      }
    }
  }
  EXPECT_GT(near, 200U);
  for (const Record& record : first) EXPECT_TRUE(peer.Find(record));
  const std::vector<Record> second = workload.Next(kWindow + 10, false);
  for (const Record& record : second) peer.Insert(record);
  for (const Record& record : first) EXPECT_FALSE(peer.Find(record));
}

TEST(IndexPeers, FindNearCopiesUntilTheyExpire) {
  MatchOptions match;
  ExpectFindsNearCopiesUntilTheyExpire<NaiveIndex>(match);
  match.text_keys = false;
  ExpectFindsNearCopiesUntilTheyExpire<NaiveIndex>(match);
  ExpectFindsNearCopiesUntilTheyExpire<FlatIndex>(match);
}

}  // namespace
}  // namespace neardup
