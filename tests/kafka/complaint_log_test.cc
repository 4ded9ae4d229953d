#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kafka/diagnosis.h"

namespace neardup {
namespace {

using testing::ElementsAre;

constexpr int kWarning = 4;

class ComplaintLogTest : public testing::Test {
 protected:
  int64_t now_ms_ = 1'000'000;
  std::vector<std::string> lines_;
  ComplaintLog log_{[this](int, std::string_view text) { lines_.emplace_back(text); },
                    [this] { return now_ms_; }};
};

TEST_F(ComplaintLogTest, AnOutageSeenByManyClientsIsOneLineEveryThirtySeconds) {
  for (int second = 0; second < 61; ++second) {
    for (int client = 0; client < 6; ++client) {
      log_(kWarning, "FAIL: [thrd:b:9092/" + std::to_string(client) + "]: b:9092/" +
                         std::to_string(client) + ": Connect to ipv4#127.0.0.1:9092 failed: " +
                         "Connection refused (after 0ms in state CONNECT)");
      log_(kWarning, "_TRANSPORT: b:9092/0: Disconnected");
    }
    log_(kWarning, "_ALL_BROKERS_DOWN: 1/1 brokers are down");
    now_ms_ += 1000;
  }
  EXPECT_THAT(
      lines_,
      ElementsAre("a connection failed, trying again: b:9092/0: Connect to ipv4#127.0.0.1:9092 "
                  "failed: Connection refused (after 0ms in state CONNECT)",
                  "connections still fail: b:9092/0: Connect to ipv4#127.0.0.1:9092 failed: "
                  "Connection refused (after 0ms in state CONNECT) (389 more like this in 30 s)",
                  "connections still fail: b:9092/0: Connect to ipv4#127.0.0.1:9092 failed: "
                  "Connection refused (after 0ms in state CONNECT) (389 more like this in 30 s)"));
}

TEST_F(ComplaintLogTest, AFailureAfterAQuietTimeIsANewOne) {
  log_(kWarning, "FAIL: [thrd:x]: first");
  now_ms_ += 40'000;
  log_(kWarning, "FAIL: [thrd:x]: second");
  EXPECT_THAT(lines_, ElementsAre("a connection failed, trying again: first",
                                  "a connection failed, trying again: second"));
}

TEST_F(ComplaintLogTest, ComplaintsThatDifferInMoreThanNumbersAllPass) {
  log_(kWarning, "TXNERR: [thrd:main]: epoch 7 is old");
  log_(kWarning, "TXNERR: [thrd:b/1]: epoch 18 is old");
  log_(kWarning, "CONFWARN: [thrd:app]: property x has no effect");
  EXPECT_THAT(lines_, ElementsAre("epoch 7 is old", "property x has no effect"));
}

TEST_F(ComplaintLogTest, DebugLinesPassUnchangedAndUncounted) {
  log_(7, "FETCH: [thrd:x]: a");
  log_(7, "FETCH: [thrd:x]: a");
  EXPECT_THAT(lines_, ElementsAre("FETCH: [thrd:x]: a", "FETCH: [thrd:x]: a"));
}

TEST_F(ComplaintLogTest, CopiesShareTheirCounts) {
  const ComplaintLog copy = log_;
  log_(kWarning, "FAIL: [thrd:x]: a");
  copy(kWarning, "FAIL: [thrd:y]: b");
  EXPECT_EQ(lines_.size(), 1U);
}

TEST(LoginCutOff, IsALoginOnAConnectionThatTheLibraryClosed) {
  const std::string cut =
      "FAIL: [thrd:GroupCoordinator]: GroupCoordinator: SASL authentication error: "
      "SaslAuthenticateRequest failed: ";
  EXPECT_TRUE(IsLoginCutOff(cut + "Local: Broker transport failure (after 0ms in state DOWN)"));
  EXPECT_FALSE(IsLoginCutOff(cut + "Broker: SASL Authentication failed"));
  EXPECT_FALSE(IsLoginCutOff("FAIL: [thrd:b]: b: Connect failed: Local: Broker transport failure"));
}

}  // namespace
}  // namespace neardup
