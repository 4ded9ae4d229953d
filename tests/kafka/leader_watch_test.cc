#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "kafka/partition_reader.h"

namespace neardup {
namespace {

const InputPartition kNews0{"news", 0};
const InputPartition kNews1{"news", 1};

/// The members of the library's statistics that count. Broker 1 leads news/0, `leader` news/1.
std::string Statistics(const std::string& state_of_2, int64_t rxidle_of_2, int leader = 2) {
  return fmt::format(R"({{"brokers":{{
      "one:9092/1":{{"nodeid":1,"state":"UP","rxidle":400000}},
      "two:9092/2":{{"nodeid":2,"state":"{}","rxidle":{}}}}},
    "topics":{{"news":{{"topic":"news","partitions":{{
      "0":{{"partition":0,"leader":1}},
      "1":{{"partition":1,"leader":{}}},
      "-1":{{"partition":-1,"leader":0}}}}}}}}}})",
                     state_of_2, rxidle_of_2, leader);
}

TEST(LeaderWatch, NoLeaderIsSilentBeforeTheFirstStatistics) {
  LeaderWatch watch;
  EXPECT_FALSE(watch.IsSilent(kNews0));
  watch.Take("not JSON");
  EXPECT_FALSE(watch.IsSilent(kNews0));
}

TEST(LeaderWatch, ALeaderIsSilentWhenTwoStatisticsInARowSaySo) {
  LeaderWatch watch;
  watch.Take(Statistics("DOWN", -1));
  EXPECT_FALSE(watch.IsSilent(kNews1));
  watch.Take(Statistics("TRY_CONNECT", -1));
  EXPECT_TRUE(watch.IsSilent(kNews1));
  EXPECT_FALSE(watch.IsSilent(kNews0));
  watch.Take(Statistics("UP", 1000));
  EXPECT_FALSE(watch.IsSilent(kNews1));
  watch.Take(Statistics("DOWN", -1));
  EXPECT_FALSE(watch.IsSilent(kNews1));
}

TEST(LeaderWatch, ABrokerThatIsConnectedAndSaysNothingIsSilent) {
  LeaderWatch watch;
  for (int i = 0; i < 2; ++i) watch.Take(Statistics("UP", 60'000'000));
  EXPECT_TRUE(watch.IsSilent(kNews1));
}

TEST(LeaderWatch, APartitionWithoutALeaderIsSilent) {
  LeaderWatch watch;
  for (int i = 0; i < 2; ++i) watch.Take(Statistics("UP", 1000, -1));
  EXPECT_TRUE(watch.IsSilent(kNews1));
  EXPECT_FALSE(watch.IsSilent(kNews0));
}

TEST(AnyBrokerAnswers, NeedsAConnectedBrokerThatHasSentSomethingLately) {
  EXPECT_TRUE(AnyBrokerAnswers(Statistics("DOWN", -1), 500'000));
  EXPECT_TRUE(AnyBrokerAnswers(Statistics("UP", 100'000), 300'000));
  EXPECT_FALSE(AnyBrokerAnswers(Statistics("UP", 600'000), 300'000));
  EXPECT_FALSE(AnyBrokerAnswers(Statistics("DOWN", 100), 300'000));
  EXPECT_FALSE(AnyBrokerAnswers("{}", 300'000));
  EXPECT_FALSE(AnyBrokerAnswers("not JSON", 300'000));
}

}  // namespace
}  // namespace neardup
