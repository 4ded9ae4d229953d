#include "base/json_depth.h"

#include <gtest/gtest.h>

#include <string>

namespace neardup {
namespace {

TEST(JsonDepth, CountsTheArraysAndObjectsThatAreOpenTogether) {
  EXPECT_FALSE(NestsDeeperThan("", 0));
  EXPECT_FALSE(NestsDeeperThan("1", 0));
  EXPECT_TRUE(NestsDeeperThan("[]", 0));
  EXPECT_FALSE(NestsDeeperThan("[{},{},[]]", 2));
  EXPECT_TRUE(NestsDeeperThan(R"({"a":[{}]})", 2));
}

TEST(JsonDepth, LeavesBracketsInTextsOut) {
  EXPECT_FALSE(NestsDeeperThan(R"(["[[[[", "\"[[[", "\\"])", 1));
  EXPECT_TRUE(NestsDeeperThan(R"(["\\",[]])", 1));
}

TEST(JsonDepth, TakesBrokenTexts) {
  EXPECT_FALSE(NestsDeeperThan("]]]]", 1));
  EXPECT_FALSE(NestsDeeperThan("\"\\", 1));
  EXPECT_TRUE(NestsDeeperThan(std::string(200'000, '[')));
}

}  // namespace
}  // namespace neardup
