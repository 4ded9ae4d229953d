#include "detect/fingerprint/exact_hash.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "detect/base/hash.h"

namespace neardup {
namespace {

uint64_t Hash(const std::vector<std::pair<std::string, uint64_t>>& texts) {
  ExactHash hash;
  for (const auto& [text, path] : texts) hash.Add(text, path);
  return hash.value();
}

TEST(ExactHash, HashesTheSumOfTheHashesOfItsTexts) {
  const uint64_t sum = Hash64("a ", 1) + Hash64("b ", 2);
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes += static_cast<char>(sum >> (8 * i));
  EXPECT_EQ(Hash({{"a ", 1}, {"b ", 2}}), Hash64(bytes));
}

TEST(ExactHash, DoesNotDependOnTheOrder) {
  EXPECT_EQ(Hash({{"a ", 1}, {"b ", 2}}), Hash({{"b ", 2}, {"a ", 1}}));
}

TEST(ExactHash, DistinguishesPlacesAndTexts) {
  const uint64_t hash = Hash({{"a ", 1}, {"b ", 2}});
  EXPECT_NE(hash, Hash({{"a ", 2}, {"b ", 1}}));
  EXPECT_NE(hash, Hash({{"a b ", 1}}));
  EXPECT_NE(hash, Hash({{"a ", 1}, {"b ", 2}, {"b ", 2}}));
  EXPECT_NE(Hash({{"a ", 1}, {"a ", 1}}), Hash({}));
}

TEST(ExactHash, IgnoresATextWithoutTokens) {
  EXPECT_EQ(Hash({{"", 1}, {"b ", 2}}), Hash({{"b ", 2}}));
  EXPECT_EQ(Hash({{"", 1}}), Hash({}));
}

}  // namespace
}  // namespace neardup
