#include "detect/feature/mask.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "detect/base/each_of.h"
#include "detect/feature/character.h"
#include "detect/feature/tokeniser.h"

namespace neardup {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr uint32_t kSeed = 20260131;

constexpr Masks kNone;
constexpr Masks kTimestamp = {.timestamp = true};
constexpr Masks kTime = {.time = true};
constexpr Masks kUuid = {.uuid = true};
constexpr Masks kIp = {.ip = true};
constexpr Masks kPointer = {.pointer = true};
constexpr Masks kHex = {.hex = true};
constexpr Masks kNumber = {.number = true};
constexpr Masks kAll = kAllMasks;

std::string Plain(std::string_view text, const Masks& masks) {
  Tokeniser tokeniser(true, masks);
  TokenList tokens;
  tokeniser.Tokenise(text, tokens);
  return std::string(tokens.TextFrom(0));
}

/// The tokens, with the name of the mask instead of its token.
std::string Tokens(std::string_view text, const Masks& masks) {
  static const char* const kNames[] = {"",    "TIME",   "UUID",      "IP",
                                       "HEX", "NUMBER", "TIMESTAMP", "POINTER"};
  std::string shown;
  for (const char byte : Plain(text, masks)) {
    const auto kind = static_cast<unsigned char>(byte);
    shown += kind >= 1 && kind < std::size(kNames) ? kNames[kind] : std::string(1, byte);
  }
  return shown;
}

TEST(MaskNames, AreThoseOfTheMasksThatAreOn) {
  EXPECT_THAT(MaskNames(kNone), IsEmpty());
  EXPECT_THAT(MaskNames({.time = true, .hex = true}), ElementsAre("time", "hex"));
  EXPECT_THAT(MaskNames(kAllMasks),
              ElementsAre("timestamp", "time", "uuid", "ip", "pointer", "hex", "number"));
}

TEST(MaskNames, TurnTheirMasksOn) {
  EXPECT_EQ(MasksNamed({}), kNone);
  EXPECT_EQ(MasksNamed(std::vector<std::string>{"number", "time"}),
            (Masks{.time = true, .number = true}));
  EXPECT_EQ(MasksNamed(MaskNames(kAllMasks)), kAllMasks);
}

TEST(MaskNames, AreTheRowsOfTheTableInTheManual) {
  std::ifstream file(NEARDUP_MASKS_PAGE);
  std::vector<std::string> rows;
  bool in_table = false;
  for (std::string line; std::getline(file, line);) {
    in_table = line.starts_with("| mask | ") || (in_table && line.starts_with("|"));
    if (in_table && line.starts_with("| `")) rows.push_back(line.substr(3, line.find('`', 3) - 3));
  }
  EXPECT_EQ(rows, MaskNames(kAllMasks)) << "the table of masks in " << NEARDUP_MASKS_PAGE;
}

TEST(Mask, TimesOfDayAreOneTokenWithTheirDateAndZone) {
  for (const char* time :
       EachOf("2026-01-31T12:00:00Z", "2026-01-31t12:00:00.123456+01:00", "2026-01-31 12:00:00,747",
              "2026-01-31 12:00", "2026/1/31 7:31", "2017-6-8_17:31:20", "17/06/09 20:10:40",
              "31.01.2026 12:00:00", "31/Jan/2026:12:00:00 -0700", "31-JAN-2026 12:00:00",
              "Dec 10 06:55:46", "Dec  1 06:55:46", "dec 10, 2005 06:55:46",
              "Sun Dec 04 04:47:44 2005", "Mon Dec 04 04:47:44 UTC 2005",
              "Sun, 06 Nov 1994 08:49:37 GMT", "20260131T120000Z", "20260131T120000.5+0100",
              "2005-06-03-15.42.50.675872", "17:31:20", "7:31:20.5", "17:31", "7:31 PM", "7:31pm",
              "17:31:20 CEST", "17:31:20Z", "12:00:00 AM EST")) {
    EXPECT_EQ(Tokens(time, kTime), "TIME ") << time;
    EXPECT_EQ(Tokens("at " + std::string(time) + ", it fell", kTime), "at TIME it fell ") << time;
    EXPECT_EQ(Tokens("[" + std::string(time) + "] it fell", kTime), "TIME it fell ") << time;
  }
  EXPECT_EQ(Tokens("12:00:00-13:30:00", kTime), "TIME TIME ");
  EXPECT_EQ(Tokens("从12:00开门", kTime), "从 TIME 开 门 ");
  EXPECT_EQ(Tokens("<b>12:00</b>&#58;", kTime), "TIME ");
}

TEST(Mask, TimestampsAreTimesOfDayWithTheirDate) {
  for (const char* time :
       {"2026-03-07T23:59:01Z", "2026-03-07 23:59:01,120", "7/Mar/2026:23:59:01 +0530",
        "Mar  7 23:59:01", "Sat Mar 07 23:59:01 UTC 2026", "2026/3/7 9:05", "20260307T235901.5Z",
        "2026-03-07-23.59.01.000120"}) {
    EXPECT_EQ(Tokens(time, kTimestamp), "TIMESTAMP ") << time;
    EXPECT_EQ(Tokens("[" + std::string(time) + "] it rose", kTimestamp), "TIMESTAMP it rose ")
        << time;
    EXPECT_EQ(Tokens(time, {.timestamp = true, .time = true}), "TIMESTAMP ") << time;
    EXPECT_EQ(Tokens(time, kTime), "TIME ") << time;
  }
}

TEST(Mask, AClockAloneOrADateAloneIsNoTimestamp) {
  for (const char* text : {"23:59:01", "23:59:01Z", "9:05 PM", "23:59 CEST", "12:00:00-13:30:00",
                           "2026-03-07", "7 Mar 2026", "Mar 7", "Sat Mar 07 2026", "20260307",
                           "2026-13-45 25:00:00", "x2026-03-07 23:59:01x"}) {
    EXPECT_EQ(Plain(text, kTimestamp), Plain(text, kNone)) << text;
  }
  EXPECT_EQ(Tokens("open 9:05 PM, closed 2026-03-07 9:05 PM", kTimestamp),
            "open 9 05 pm closed TIMESTAMP ");
}

TEST(Mask, TimesAreMaskedToTheLimitsOfTheirFormat) {
  for (const char* time :
       EachOf("24:59:60", "12:00:00,5 pm", "12:00 +14:59", "12:00-1459", "Dec  1,T7:31",
              "31-31-99_0:00", "1994.1.1:7:31", "mon, 06.Nov.1994 08:49:37",
              "Dec 04 04:47:44 UTC 2005", "Dec 4 2005 04:47", "2005-06-03-5.42.50", "12:00 UTC",
              "12:00 gmt", "12:00 CET", "12:00 CEST", "12:00 EET", "12:00 EEST", "12:00 WET",
              "12:00 WEST", "12:00 BST", "12:00 EST", "12:00 EDT", "12:00 CST", "12:00 CDT",
              "12:00 MST", "12:00 MDT", "12:00 PST", "12:00 PDT", "12:00 AKST", "12:00 AKDT")) {
    EXPECT_EQ(Tokens(time, kTime), "TIME ") << time;
  }
  for (const char* text :
       {"12:00:00 Z", "12:00 +15:00", "12:00+12:60", "12:00 JST", "2005-06-03 15.42.50"}) {
    EXPECT_NE(Tokens(text, kTime), "TIME ") << text;
  }
}

TEST(Mask, TextThatOnlyLooksLikeATimeStays) {
  for (const char* text :
       {"2026-01-31",      "31 Jan 2026", "Dec 10",    "3:16",       "25:00",        "12:60",
        "12:30:61",        "12:30x",      "x12:30:00", "1.12:30:00", "0:12:30:00",   "12:30:00:05",
        "12:30.5",         "12:345",      "Sun",       "10 apples",  "2026-13-45 x", "20260131",
        "20260131T990000", "12",          "Mon Dec",   "é12:30:00",  "12:30:00é",    "１2:30:00",
        "99:99:99"}) {
    EXPECT_EQ(Plain(text, kTime), Plain(text, kNone)) << text;
  }
}

TEST(Mask, UuidsAreOneToken) {
  EXPECT_EQ(Tokens("job {550E8400-e29b-41d4-a716-446655440000} ends", kUuid), "job UUID ends ");
  EXPECT_EQ(Tokens("req_550e8400-e29b-41d4-a716-446655440000", kUuid), "req UUID ");
  for (const char* text :
       {"550e8400-e29b-41d4-a716-44665544000", "550e8400-e29b-41d4-a716",
        "550e8400-e29b-41d4-a716-4466554400001", "550e8400e29b41d4a716446655440",
        "x550e8400-e29b-41d4-a716-446655440000", "g50e8400-e29b-41d4-a716-446655440000"}) {
    EXPECT_EQ(Plain(text, kUuid), Plain(text, kNone)) << text;
  }
}

TEST(Mask, AddressesAreOneTokenWithTheirPort) {
  for (const char* address :
       {"10.250.19.102", "10.250.19.102:54106", "0.0.0.0", "255.255.255.255:1", "::1", "fe80::1",
        "fe80::1%eth0", "2001:db8:0:0:0:0:0:1", "2001:DB8::1", "::ffff:10.0.0.1", "[::1]:8080",
        "[fe80::1%eth0]:443", "2001:db8::"}) {
    EXPECT_EQ(Tokens(address, kIp), "IP ") << address;
    EXPECT_EQ(Tokens("from /" + std::string(address) + ", and", kIp), "from IP and ") << address;
    EXPECT_EQ(Tokens("from " + std::string(address) + ".", kIp), "from IP ") << address;
  }
  EXPECT_EQ(Tokens("10.0.0.1->10.0.0.2", kIp), "IP > IP ");
  EXPECT_EQ(Tokens("10.0.0.1:x", kIp), "IP x ");
  EXPECT_EQ(Tokens("10.0.0.1:123456", kIp), "IP 123456 ");
  EXPECT_EQ(Tokens("src: ::1: refused", kIp), "src IP refused ");
}

TEST(Mask, TextThatOnlyLooksLikeAnAddressStays) {
  for (const char* text : {"1.2.3", "1.2.3.4.5", "1.2.3.256", "1.2.3.4x", "v1.2.3.4", "1.2.3.1234",
                           "12:30:00", "00:1a:2b:3c:4d:5e", "std::dec", "bad::cafe", "a :: b", "::",
                           "0:0:0:0:0:0:0:0:2181", "1::2::3", "10.0.0", "[1]:80", "fe80::1z"}) {
    EXPECT_EQ(Plain(text, kIp), Plain(text, kNone)) << text;
  }
}

TEST(Mask, HexNumbersAreOneToken) {
  for (const char* text : {"deadbeef01", "DEADBEEF01", "0x1", "0XfF", "1234567a",
                           "da39a3ee5e6b4b0d3255bfef95601890afd80709"}) {
    EXPECT_EQ(Tokens(text, kHex), "HEX ") << text;
    EXPECT_EQ(Tokens("core_" + std::string(text) + "!", kHex), "core HEX ") << text;
  }
  for (const char* text : {"12345678", "deadbeef", "123456a", "deadbeef01g", "0x", "0xg1",
                           "xdeadbeef01", "deadbeef01é", "0x1y", "ｄeadbeef01"}) {
    EXPECT_EQ(Plain(text, kHex), Plain(text, kNone)) << text;
  }
}

TEST(Mask, PointersAreHexDigitsBehindTheirMark) {
  for (const char* text : {"0x1f", "0X1F", "0x0", "0x00007ffee4c2a9b0", "0xdeadbeef"}) {
    EXPECT_EQ(Tokens(text, kPointer), "POINTER ") << text;
    EXPECT_EQ(Tokens("at_" + std::string(text) + ": fault", kPointer), "at POINTER fault ") << text;
    EXPECT_EQ(Tokens(text, {.pointer = true, .hex = true}), "POINTER ") << text;
  }
  for (const char* text : {"1234567a", "deadbeef01", "7ffee4c2a9b0", "0x", "0xg1", "0x1y", "x0x1f",
                           "da39a3ee5e6b4b0d3255bfef95601890afd80709"}) {
    EXPECT_EQ(Plain(text, kPointer), Plain(text, kNone)) << text;
  }
  EXPECT_EQ(Tokens("0x1f 1234567a", {.pointer = true, .hex = true}), "POINTER HEX ");
}

TEST(Mask, EveryTokenWithADigitIsANumber) {
  EXPECT_EQ(Tokens("took 12 ms, covid19, blk_388 (v2.1)", kNumber),
            "took NUMBER ms NUMBER blk NUMBER NUMBER NUMBER ");
  EXPECT_EQ(Tokens("第３章 ٣٤ x² ①", kNumber), "第 NUMBER 章 NUMBER NUMBER NUMBER ");
  EXPECT_EQ(Tokens("nothing here 三", kNumber), "nothing here 三 ");
}

TEST(Mask, ATextThatIsWhollyANumberIsOneNumber) {
  for (const char* text : {"12", "-2.10", " 1e5 ", "２．１", "<i>7</i>", "0049123456"}) {
    EXPECT_EQ(Tokens(text, kNumber), "NUMBER ") << text;
  }
  EXPECT_EQ(Tokens("-2.10", kHex), "-2.10 ");
}

TEST(Mask, TheFirstKindThatCanBeginAtAPlaceIsTaken) {
  EXPECT_EQ(
      Tokens("2026-01-31T12:00:00Z 550e8400-e29b-41d4-a716-446655440000 10.0.0.1:80 0xff 7", kAll),
      "TIMESTAMP UUID IP POINTER NUMBER ");
  EXPECT_EQ(Tokens("12:30:00 1234567a", kAll), "TIME HEX ");
  EXPECT_EQ(Tokens("550e8400-e29b-41d4-a716-446655440000", kHex),
            "HEX e29b 41d4 a716 446655440000 ");
  EXPECT_EQ(Tokens("1234567e8", kAll), "HEX ");
  EXPECT_EQ(Tokens("12:30:00::1", kAll), "TIME NUMBER ");
}

TEST(Mask, KindsThatAreOffStayText) {
  const char* const line = "12:30:00 10.0.0.1 0xff";
  EXPECT_EQ(Tokens(line, kNone), "12 30 00 10 0 0 1 0xff ");
  EXPECT_EQ(Tokens(line, kTime), "TIME 10 0 0 1 0xff ");
  EXPECT_EQ(Tokens(line, kIp), "12 30 00 IP 0xff ");
  EXPECT_EQ(Tokens(line, kHex), "12 30 00 10 0 0 1 HEX ");
}

TEST(Mask, NoTextGivesTheTokenOfAMask) {
  EXPECT_EQ(Plain("\x01 \x02\x03 a\x04"
                  "b \x05",
                  kNone),
            "a b ");
  EXPECT_EQ(Plain("TIME time NUMBER", kAll), "time time number ");
}

TEST(Mask, LinesThatDifferOnlyInMaskedPartsAreEqual) {
  EXPECT_EQ(Plain("Dec 10 06:55:46 sshd[24200]: refused 173.234.31.186 port 38926", kAll),
            Plain("Jan  3 23:01:02 sshd[7]: refused 10.0.0.1 port 22", kAll));
  EXPECT_NE(Plain("refused 10.0.0.1", kAll), Plain("accepted 10.0.0.1", kAll));
}

/// A random text of maskable parts, texts that resemble them, and characters of all sizes.
std::string RandomText(std::mt19937& random) {
  static const std::vector<std::string> kPieces = {
      "12",       ":",          "30",
      "-",        ".",          "/",
      " ",        "T",          "Z",
      "Jan",      "Mon",        ",",
      "fe80",     "::",         "[",
      "]",        "10.0.0.1",   "%",
      "0x",       "deadbeef01", "2026-01-31",
      "17:31:20", "+0100",      "PM",
      "_",        "x",          "550e8400-e29b-41d4-a716-446655440000",
      "中",       "é",          "e\u0301",
      "\u00ad",   "１",         "😀",
      "한",       "the"};
  std::string text;
  for (size_t i = random() % 16; i > 0; --i) text += kPieces[random() % kPieces.size()];
  return text;
}

bool IsContinuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

TEST(MaskModel, PartsAreInOrderAndNeverCutACharacterOrAWord) {
  std::mt19937 random(kSeed);
  size_t parts = 0;
  for (int round = 0; round < 50'000; ++round) {
    const std::string random_text = RandomText(random);
    // Exactly as large as the text, so that a sanitizer sees any read beyond it.
    const std::vector<char> exact(random_text.begin(), random_text.end());
    const std::string_view text(exact.data(), exact.size());
    size_t at = 0;
    while (const auto part = FindMaskedPart(text, at, kAll)) {
      ASSERT_GE(part->begin, at) << text;
      ASSERT_GT(part->end, part->begin) << text;
      ASSERT_LE(part->end, text.size()) << text;
      ASSERT_FALSE(IsContinuation(text[part->begin])) << text;
      ASSERT_TRUE(part->end == text.size() || !IsContinuation(text[part->end])) << text;
      ASSERT_TRUE(BeginsWord(text, part->begin) && EndsWord(text, part->end)) << text;
      at = part->end;
      ++parts;
    }
  }
  EXPECT_GT(parts, 10'000U) << "seed " << kSeed;
}

TEST(MaskModel, TheRestOfATextIsTokenisedAsIfThePartsWereSpaces) {
  std::mt19937 random(kSeed);
  constexpr Masks kParts = [] {
    Masks masks = kAllMasks;
    masks.number = false;
    return masks;
  }();
  size_t masked = 0;
  for (int round = 0; round < 20'000; ++round) {
    const std::string text = RandomText(random);
    std::string rest;
    size_t at = 0;
    while (const auto part = FindMaskedPart(text, at, kParts)) {
      rest += text.substr(at, part->begin - at) + " ";
      at = part->end;
    }
    if (at == 0) {
      ASSERT_EQ(Plain(text, kParts), Plain(text, kNone)) << text;
      continue;
    }
    ++masked;
    // With a word in front, the rest is no number.
    rest = "the " + rest + text.substr(at);
    std::string words;
    for (const char byte : Plain(text, kParts)) {
      const bool after_mask = !words.empty() && words.back() < ' ' && words.back() > 0;
      if (after_mask) words.pop_back();
      if (!after_mask) words += byte;
    }
    ASSERT_EQ("the " + words, Plain(rest, kNone)) << text;
  }
  EXPECT_GT(masked, 1'000U) << "seed " << kSeed;
}

}  // namespace
}  // namespace neardup
