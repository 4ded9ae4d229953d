#include <gtest/gtest.h>

#include "kafka/diagnosis.h"

namespace neardup {
namespace {

using std::chrono::seconds;

TEST(LoginWatch, OneBrokerThatRefusesLoginsDoesNotMatterWhileAnotherWorks) {
  const LoginWatch::Time now{};
  LoginWatch watch;
  watch.Refused("broker 2: invalid credentials", now);
  EXPECT_TRUE(watch.complained(now));
  EXPECT_FALSE(watch.refused(now));
  watch.AllBrokersDown();
  EXPECT_TRUE(watch.refused(now + seconds(14)));
  EXPECT_EQ(watch.reason(), "broker 2: invalid credentials");
  EXPECT_FALSE(watch.refused(now + seconds(16))) << "clients try again within 2 s";
}

TEST(LoginWatch, AnOutageWithoutARefusalIsNone) {
  LoginWatch watch;
  watch.AllBrokersDown();
  EXPECT_FALSE(watch.refused({}));
}

TEST(LoginWatch, AnOutageThatIsOverDoesNotCountAgain) {
  const LoginWatch::Time now{};
  LoginWatch watch;
  watch.AllBrokersDown();
  watch.Connected();
  watch.Refused("broker 2: invalid credentials", now);
  EXPECT_FALSE(watch.refused(now));
}

}  // namespace
}  // namespace neardup
