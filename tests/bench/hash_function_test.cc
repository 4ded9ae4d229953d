#include "bench/hash_function.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "bench/hash_quality.h"

namespace neardup {
namespace {

const HashFunction& Named(const std::string& name) {
  for (const HashFunction& function : HashFunctions()) {
    if (function.name == name) return function;
  }
  ADD_FAILURE() << "no hash is called " << name;
  return HashFunctions().back();
}

TEST(HashFunctions, ComputeTheMd5OfRfc1321) {
  const HashFunction& md5 = Named("MD5");
  // 900150983cd24fb0d6963f7d28e17f72 and d41d8cd98f00b204e9800998ecf8427e, first byte lowest.
  EXPECT_EQ(md5.hash("abc"), (Digest{0xB04FD23C98500190, 0x727FE1287D3F96D6}));
  EXPECT_EQ(md5.hash(""), (Digest{0x04B2008FD98C1DD4, 0x7E42F8EC980980E9}));
  EXPECT_EQ(md5.hash("abc"), (Digest{0xB04FD23C98500190, 0x727FE1287D3F96D6}));
}

TEST(HashFunctions, ComputeMurmur3AsPublished) {
  // https://en.wikipedia.org/wiki/MurmurHash
  EXPECT_EQ(Named("Murmur3_32").hash(""), (Digest{0, 0}));
  EXPECT_EQ(Named("Murmur3_32").hash("test"), (Digest{0xBA6BD213, 0}));
  EXPECT_EQ(Named("Murmur3_32").hash("Hello, world!"), (Digest{0xC0363E43, 0}));
}

TEST(HashFunctions, EndWithTheOneOfTheProject) {
  EXPECT_STREQ(HashFunctions().back().name, "XXH3");
  EXPECT_EQ(HashFunctions().back().hash(""), (Digest{0x2D06800538D394C2, 0}));
}

TEST(HashFunctions, UseExactlyTheBitsTheyDeclare) {
  constexpr uint64_t kSeed = 5;
  std::mt19937_64 random(kSeed);
  std::vector<std::string> texts(1000, std::string(20, '\0'));
  for (std::string& text : texts) {
    for (char& byte : text) byte = static_cast<char>(random());
  }
  for (const HashFunction& function : HashFunctions()) {
    std::vector<Digest> digests;
    for (const std::string& text : texts) digests.push_back(function.hash(text));
    EXPECT_EQ(BitsInUse(digests), function.bits) << function.name << ", seed " << kSeed;
    EXPECT_EQ(Collisions(digests, function.bits), Collisions(digests, 128)) << function.name;
  }
}

TEST(HashFunctions, SumTheSameHashesInTheTimedLoop) {
  const std::vector<std::string_view> texts = {"", "a", "bc", "a text of more bytes than others"};
  for (const HashFunction& function : HashFunctions()) {
    uint64_t sum = 0;
    for (const std::string_view text : texts) sum += function.hash(text).low;
    EXPECT_EQ(function.sum(texts), sum) << function.name;
  }
}

}  // namespace
}  // namespace neardup
