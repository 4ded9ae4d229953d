#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "detect/record/json_syntax.h"

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

TEST(JsonFraction, IsFoundAnywhereInTheValue) {
  for (const char* whole : {"null", "\"1.5\"", "-1", "18446744073709551615", "[1,{\"a\":[2]}]"}) {
    EXPECT_FALSE(HasFraction(nlohmann::json::parse(whole))) << whole;
  }
  for (const char* other : {"1.0", "1e300", "18446744073709551616", "[1,{\"a\":[2.5]}]"}) {
    EXPECT_TRUE(HasFraction(nlohmann::json::parse(other))) << other;
  }
}

}  // namespace
}  // namespace neardup
