#include "bench/classic_hash.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace neardup {
namespace {

/// The key of Partow's test program, whose results are published with it.
constexpr std::string_view kPublishedKey = "abcdefghijklmnopqrstuvwxyz1234567890";
/// One Chinese character: its bytes are above 127 and must not count as negative.
constexpr std::string_view kCharacter = "\xE6\x96\x87";

TEST(ClassicHash, RsMultipliesByAFactorThatChanges) {
  EXPECT_EQ(RsHash(""), 0u);
  EXPECT_EQ(RsHash("a"), 97u);
  // The second factor is 63689 * 378551 mod 2^32 = 2634698159.
  EXPECT_EQ(RsHash("ab"), 97u * 2634698159u + 98u);
  EXPECT_EQ(RsHash(kCharacter), 2917828567u);
  EXPECT_EQ(RsHash(kPublishedKey), 4097835502u);
}

TEST(ClassicHash, JsMixesShiftsIntoAConstant) {
  EXPECT_EQ(JsHash(""), 1315423911u);
  EXPECT_EQ(JsHash("a"), 2935291981u);
  EXPECT_EQ(JsHash("ab"), 2762492504u);
  EXPECT_EQ(JsHash(kCharacter), 445770935u);
  EXPECT_EQ(JsHash(kPublishedKey), 1651003062u);
}

TEST(ClassicHash, PjwFoldsTheUpperFourBits) {
  EXPECT_EQ(PjwHash(""), 0u);
  EXPECT_EQ(PjwHash("ab"), 97u * 16 + 98);
  EXPECT_EQ(PjwHash(kCharacter), (0xE6u * 16 + 0x96) * 16 + 0x87);
  // Seven bytes of 0x10 give 0x11111110; its upper 1 moves to bit 4, where a 1 stands.
  EXPECT_EQ(PjwHash("\x10\x10\x10\x10\x10\x10\x10"), 0x01111100u);
  EXPECT_EQ(PjwHash(kPublishedKey), 126631744u);
}

TEST(ClassicHash, ElfIsPjw) {
  EXPECT_EQ(ElfHash(""), 0u);
  EXPECT_EQ(ElfHash("\x10\x10\x10\x10\x10\x10\x10"), 0x01111100u);
  EXPECT_EQ(ElfHash(kPublishedKey), 126631744u);
  constexpr uint64_t kSeed = 11;
  std::mt19937_64 random(kSeed);
  for (int i = 0; i < 1000; ++i) {
    std::string text(random() % 40, '\0');
    for (char& byte : text) byte = static_cast<char>(random());
    ASSERT_EQ(ElfHash(text), PjwHash(text)) << "text " << i << " of seed " << kSeed;
  }
}

TEST(ClassicHash, BkdrMultipliesBy131) {
  EXPECT_EQ(BkdrHash(""), 0u);
  EXPECT_EQ(BkdrHash("ab"), 97u * 131 + 98);
  EXPECT_EQ(BkdrHash(kCharacter), (0xE6u * 131 + 0x96) * 131 + 0x87);
  EXPECT_EQ(BkdrHash(kPublishedKey), 3153586616u);
}

TEST(ClassicHash, SdbmMultipliesBy65599) {
  EXPECT_EQ(SdbmHash(""), 0u);
  EXPECT_EQ(SdbmHash("ab"), 97u * 65599 + 98);
  EXPECT_EQ(SdbmHash(kCharacter), (0xE6u * 65599 + 0x96) * 65599 + 0x87);
  EXPECT_EQ(SdbmHash(kPublishedKey), 3449571336u);
}

TEST(ClassicHash, DjbMultipliesBy33FromItsStart) {
  EXPECT_EQ(DjbHash(""), 5381u);
  EXPECT_EQ(DjbHash("ab"), (5381u * 33 + 97) * 33 + 98);
  EXPECT_EQ(DjbHash(kCharacter), ((5381u * 33 + 0xE6) * 33 + 0x96) * 33 + 0x87);
  EXPECT_EQ(DjbHash(kPublishedKey), 729241521u);
}

TEST(ClassicHash, ApTakesEvenAndOddBytesIntoDifferentSteps) {
  EXPECT_EQ(ApHash(""), 0xAAAAAAAAu);
  // 0xAAAAAAAA ^ (0x55555500 ^ 97 * 0x15555555)
  EXPECT_EQ(ApHash("a"), 3937053343u);
  EXPECT_EQ(ApHash("ab"), 1241454678u);
  EXPECT_EQ(ApHash(kCharacter), 603995672u);
  EXPECT_EQ(ApHash(kPublishedKey), 882643939u);
}

}  // namespace
}  // namespace neardup
