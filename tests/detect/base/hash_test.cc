#include "detect/base/hash.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <utility>

namespace neardup {
namespace {

// The buffer of xxHash's own self-test (cli/xsum_sanity_check.c).
std::string SanityBuffer(size_t size) {
  std::string buffer(size, '\0');
  uint64_t state = 2654435761U;
  for (char& byte : buffer) {
    byte = static_cast<char>(state >> 56);
    state *= 11400714785074694797ULL;
  }
  return buffer;
}

TEST(Hash, IsXxh3AsPublished) {
  struct Vector {
    size_t size;
    uint64_t seed;
    uint64_t hash;
  };
  constexpr uint64_t kSeed = 11400714785074694797ULL;
  const Vector vectors[] = {
      {0, 0, 0x2D06800538D394C2},    {0, kSeed, 0xA8A6B918B2F0364A},
      {1, 0, 0xC44BDFF4074EECDB},    {1, kSeed, 0x032BE332DD766EF8},
      {6, 0, 0x27B56A84CD2D7325},    {6, kSeed, 0x84589C116AB59AB9},
      {12, 0, 0xA713DAF0DFBB77E7},   {12, kSeed, 0xE7303E1B2336DE0E},
      {24, 0, 0xA3FE70BF9D3510EB},   {24, kSeed, 0x850E80FC35BDD690},
      {48, 0, 0x397DA259ECBA1F11},   {48, kSeed, 0xADC2CBAA44ACC616},
      {80, 0, 0xBCDEFBBB2C47C90A},   {80, kSeed, 0xC6DD0CB699532E73},
      {195, 0, 0xCD94217EE362EC3A},  {195, kSeed, 0xBA68003D370CB3D9},
      {403, 0, 0xCDEB804D65C6DEA4},  {403, kSeed, 0x6259F6ECFD6443FD},
      {512, 0, 0x617E49599013CB6B},  {512, kSeed, 0x3CE457DE14C27708},
      {2048, 0, 0xDD59E2C3A5F038E0}, {2048, kSeed, 0x66F81670669ABABC},
      {2240, 0, 0x6E73A90539CF2948}, {2240, kSeed, 0x757BA8487D1B5247},
      {2367, 0, 0xCB37AEB9E5D361ED}, {2367, kSeed, 0xD2DB3415B942B42A},
  };
  const std::string buffer = SanityBuffer(2367);
  for (const Vector& vector : vectors) {
    EXPECT_EQ(Hash64(std::string_view(buffer).substr(0, vector.size), vector.seed), vector.hash)
        << vector.size << " bytes, seed " << vector.seed;
  }
}

TEST(Hash, HasSeedZeroByDefault) { EXPECT_EQ(Hash64("abc"), Hash64("abc", 0)); }

TEST(Hash128, IsXxh3AsPublished) {
  EXPECT_EQ(Hash128(""), (Digest128{0x6001C324468D497F, 0x99AA06D3014798D8}));
  EXPECT_EQ(Hash128("abc"), (Digest128{0x78AF5F94892F3950, 0x06B05AB6733A6185}));
}

TEST(StreamedHash, IsTheHashOfAllPiecesAtAnyTime) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    const std::string buffer = SanityBuffer(random() % 5000);
    const std::string_view bytes = buffer;
    const size_t piece_max = 1 + random() % (seed % 2 == 0 ? 40 : 3000);
    StreamedHash64 hash;
    EXPECT_EQ(hash.value(), Hash64(""));
    for (size_t end = 0; end < bytes.size();) {
      const size_t piece = std::min(random() % (piece_max + 1), bytes.size() - end);
      hash.Add(bytes.substr(end, piece));
      end += piece;
      ASSERT_EQ(hash.value(), Hash64(bytes.substr(0, end)));
    }
  }
}

TEST(StreamedHash, KeepsItsStateWhenMoved) {
  StreamedHash64 first;
  first.Add("near");
  StreamedHash64 second = std::move(first);
  second.Add("dup");
  EXPECT_EQ(second.value(), Hash64("neardup"));
}

}  // namespace
}  // namespace neardup
