#include <gtest/gtest.h>

#include "kafka/presence.h"

namespace neardup {
namespace {

const std::string kProcess = "0123456789abcdef";
const std::string kNetwork = "fedcba9876543210";

TEST(Endpoint, IsReadAsItWasWritten) {
  for (const Endpoint& endpoint :
       {Endpoint{"10.0.3.7", "40123", kProcess, kNetwork}, Endpoint{"10.0.3.7", "1", kProcess, ""},
        Endpoint{"fd00::17", "65535", kProcess, kNetwork}}) {
    EXPECT_EQ(ParseEndpoint(TextOf(endpoint)), endpoint) << TextOf(endpoint);
  }
  EXPECT_EQ(TextOf({"fd00::17", "9", kProcess, ""}), "[fd00::17]:9/0123456789abcdef");
}

TEST(Endpoint, OfAnotherFormIsNone) {
  for (const std::string text :
       {"", "10.0.3.7:40123", "10.0.3.7/0123456789abcdef", ":1/0123456789abcdef",
        "10.0.3.7:/0123456789abcdef", "10.0.3.7:1/0123456789abcde", "10.0.3.7:1/0123456789abcdeg",
        "10.0.3.7:1/0123456789abcdef/", "10.0.3.7:1/0123456789abcdef/1",
        "10.0.3.7:1/0123456789abcdef/fedcba9876543210/0"}) {
    EXPECT_EQ(ParseEndpoint(text), std::nullopt) << text;
  }
}

TEST(Endpoint, OfTwoProcessesOfThisMachineHasOneNetwork) {
  EXPECT_EQ(ThisNetwork().size(), 16U);
  EXPECT_EQ(ThisNetwork(), ThisNetwork());
}

TEST(Endpoint, TheAddressTowardsAServerIsThatOfTheRoute) {
  EXPECT_EQ(AddressTowards("127.0.0.1:9092"), "127.0.0.1");
  EXPECT_EQ(AddressTowards("SASL_SSL://127.0.0.1:9092"), "127.0.0.1");
  EXPECT_EQ(AddressTowards("no-such-host.invalid:9092, 127.0.0.1:9093"), "127.0.0.1");
  EXPECT_EQ(AddressTowards("no-such-host.invalid:9092"), "");
  EXPECT_EQ(AddressTowards(",;"), "");
}

}  // namespace
}  // namespace neardup
