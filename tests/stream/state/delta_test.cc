// The changelog's bytes: a golden file, round trips, and damage of every kind.
#include "stream/state/delta.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "detect/base/hash.h"
#include "stream/state/byte_stream.h"

namespace neardup {
namespace {

using testing::HasSubstr;

Delta SmallDelta() {
  Delta delta;
  delta.lane = 2;
  delta.epoch = 3;
  delta.seq_first = 100;
  delta.seq_last = 104;
  delta.watermark_ms = 1'700'000'000'000;
  delta.horizon_ms = 1'699'913'000'000;
  delta.window_ms = 86'400'000;
  delta.entries_max = 1'000'000;
  delta.distance_max = 3;
  delta.entries_live = 0x123456;
  delta.settings_seq = 90;
  delta.fresh = true;
  delta.spec = R"({"version":1})";
  delta.inputs = {{{"news", 0}, 42, 1'700'000'000'500},
                  {{"blog", 3}, 7, INT64_MIN},
                  {{"news", 300}, 1'000'000, -1}};
  delta.entries = {{{0x1122334455667788, 0x0f1e2d3c4b5a6978, 0x99aabbccddeeff00},
                    1'700'000'000'000,
                    {0, 40},
                    {}},
                   {{1, 2, 3}, 1'699'999'999'000, {2, 999'999}, {}}};
  delta.entries[0].text_keys.Add(0x01020304);
  for (const uint32_t key : {1U, UINT32_MAX, 0xa0b0c0d0U}) delta.entries[1].text_keys.Add(key);
  return delta;
}

std::string Hex(std::string_view bytes) {
  std::string hex;
  for (const char byte : bytes) {
    hex += "0123456789abcdef"[static_cast<uint8_t>(byte) >> 4];
    hex += "0123456789abcdef"[static_cast<uint8_t>(byte) & 15];
  }
  return hex;
}

std::string FromHex(std::string_view hex) {
  std::string bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  }
  return bytes;
}

std::string WithChecksum(std::string body) {
  ByteWriter out;
  out.Raw(body);
  out.U64(Hash64(body));
  return out.Take();
}

/// An encoded delta without its checksum.
std::string BodyOf(const Delta& delta) {
  const std::string bytes = Encode(delta);
  return bytes.substr(0, bytes.size() - 8);
}

/// Where the spec of SmallDelta begins.
size_t SpecIn(const std::string& body) {
  return body.find(FromHex("0d7b2276657273696f6e223a317d"));
}

void ExpectDecodes(const std::string& bytes, const Delta& expected) {
  const Result<Delta> decoded = DecodeDelta(bytes);
  ASSERT_TRUE(decoded.ok()) << decoded.error().text;
  EXPECT_EQ(*decoded, expected);
}

/// Expects that the delta is these bytes, with a checksum, and that they are the delta.
void ExpectIs(const Delta& delta, const std::string& body) {
  EXPECT_EQ(Hex(Encode(delta)), Hex(WithChecksum(body)));
  ExpectDecodes(WithChecksum(body), delta);
}

void ExpectRefused(const std::string& body, const std::string& text) {
  const Result<Delta> decoded = DecodeDelta(WithChecksum(body));
  ASSERT_FALSE(decoded.ok());
  EXPECT_THAT(decoded.error().text, HasSubstr(text));
}

/// Parts of SmallDelta(), byte for byte. Changelogs out there hold them: they never change.
// clang-format off
constexpr std::string_view kNumbersHex =
    "030000000000000064000000000000006800000000000000"  // epoch, seq_first, seq_last
    "0068e5cf8b01000040e4b5ca8b010000"  // watermark, horizon
    "005c26050000000040420f000000000003";  // window, entries_max, distance_max
constexpr std::string_view kRestHex =
    "0d7b2276657273696f6e223a317d"  // spec
    "0204626c6f67046e657773"  // topics
    "03"  // inputs
    "010054f469e5cf8b010000"
    "00030e0000000000000080"
    "01ac0280897affffffffffffffff"
    "02"  // entries
    "8877665544332211" "78695a4b3c2d1e0f" "00ffeeddccbbaa99" "80a0abfef962" "00" "28"
    "01" "04030201" "0000"
    "0100000000000000" "0200000000000000" "0300000000000000" "cf0f" "02" "bf843d"
    "03" "01000000" "ffffffff" "d0c0b0a0" "00" "00";

/// The golden file of version 3.
std::string GoldenHex() {
  return std::string("4e444c5403000200")  // magic, version, lane
      .append(kNumbersHex)
      .append("56341200000000005a0000000000000001")  // entries_live, settings_seq, fresh
      .append(kRestHex)
      .append("654fd2c73b4c02d4");
}
/// The golden file of version 2.
std::string GoldenHexOfVersion2() {
  return std::string("4e444c5402000200").append(kNumbersHex).append(kRestHex).append("8b046f9ace4c9672");
}
// clang-format on

TEST(Delta, EncodesToTheBytesOfTheGoldenFile) {
  EXPECT_EQ(Hex(Encode(SmallDelta())), GoldenHex());
  ExpectDecodes(FromHex(GoldenHex()), SmallDelta());
}

TEST(Delta, IsOfVersion4IfItHoldsWhatTheLaneLearned) {
  Delta delta = SmallDelta();
  delta.learned = "{}";
  std::string body = BodyOf(SmallDelta());
  body[4] = 4;
  body.insert(FromHex(std::string("4e444c5403000200").append(kNumbersHex)).size() + 17,
              std::string("\x02{}"));
  ExpectIs(delta, body);
}

/// SmallDelta with its writer and the topics of its lane. The golden file of version 5.
Delta DeltaOfVersion5() {
  Delta delta = SmallDelta();
  delta.log_id = 0x1112131415161718;
  delta.writer = 0x2122232425262728;
  delta.writer_before = 0x3132333435363738;
  delta.pipeline = {{"blog", "new"}, "u", "{topic}.d", "dead"};
  return delta;
}

TEST(Delta, IsOfVersion5IfItNamesItsWriterAndTheTopicsOfTheLane) {
  // clang-format off
  const std::string body =
      std::string("4e444c5405000200")  // magic, version, lane
          .append(kNumbersHex)
          .append("56341200000000005a0000000000000001")  // entries_live, settings_seq, fresh
          .append("00")  // learned
          .append("1817161514131211")  // log_id
          .append("2827262524232221" "3837363534333231")  // writer, writer_before
          .append("0d7b2276657273696f6e223a317d")  // spec
          .append("0304626c6f67036e6577046e657773"  // topics
                  "03"  // inputs
                  "020054f469e5cf8b010000"
                  "00030e0000000000000080"
                  "02ac0280897affffffffffffffff"
                  "020001" "0175" "097b746f7069637d2e64" "0464656164")  // pipeline
          .append(kRestHex.substr(kRestHex.find("028877665544332211")));  // entries
  // clang-format on
  ExpectIs(DeltaOfVersion5(), FromHex(body));
}

TEST(Delta, IsOfVersion6IfTheLaneHasDroppedDuplicates) {
  Delta delta = DeltaOfVersion5();
  delta.dropped = 0x4142434445464748;
  // The bytes of version 5, with another version and one more number before the spec.
  std::string body = BodyOf(DeltaOfVersion5());
  body[4] = 6;
  body.insert(SpecIn(body), FromHex("4847464544434241"));
  ExpectIs(delta, body);
  body.replace(body.find(FromHex("4847464544434241")), 8, std::string(8, '\0'));
  ExpectRefused(body, "dropped");
}

/// With two groups. The golden file of version 7.
Delta DeltaOfVersion7() {
  Delta delta = DeltaOfVersion5();
  delta.groups = {{{{0, 40}, 1'700'000'000'000, 3, {2, 300}, -1, {1, 7}, 5}, 200},
                  {{{2, 999'999}, 1, 1, {0, 2}, 3, {0, 1}, 2}, 0}};
  return delta;
}

TEST(Delta, IsOfVersion7IfGroupsHaveChanged) {
  // The bytes of version 5, with another version, no dropped duplicates, and the groups at the end.
  std::string body = BodyOf(DeltaOfVersion5());
  body[4] = 7;
  body.insert(SpecIn(body), std::string(8, '\0'));
  // clang-format off
  body += FromHex(std::string("02")  // groups
      .append("0028" "c801" "0068e5cf8b010000" "03")  // original, entries after, time, copies
      .append("02ac02" "ffffffffffffffff")  // last, its time
      .append("0107" "0500000000000000")  // newest, its time
      .append("02bf843d" "00" "0100000000000000" "01")
      .append("0002" "0300000000000000")
      .append("0001" "0200000000000000"));
  // clang-format on
  ExpectIs(DeltaOfVersion7(), body);
}

TEST(Delta, IsOfVersion8IfTheAppHasSeveralLanesWithGroupsOrWithout) {
  for (Delta delta : {DeltaOfVersion5(), DeltaOfVersion7()}) {
    const bool has_groups = !delta.groups.empty();
    delta.pipeline.lanes = 300;
    // The bytes of version 5 with the number of lanes between the topics and the entries.
    std::string body = BodyOf(has_groups ? DeltaOfVersion7() : DeltaOfVersion5());
    body[4] = 8;
    if (!has_groups) {
      body.insert(SpecIn(body), std::string(8, '\0'));
      body += '\0';
    }
    const std::string last_topic = FromHex("0464656164");
    const size_t lanes = body.find(last_topic) + last_topic.size();
    body.insert(lanes, FromHex("ac02"));
    ExpectIs(delta, body);
    body.replace(lanes, 2, FromHex("01"));
    ExpectRefused(body, "lanes: expected 2 or more, found 1");
  }
}

TEST(Delta, IsOfVersion9IfTheLaneBeganWithEntriesOfOthers) {
  Delta delta = DeltaOfVersion5();
  delta.beginning = {BeganWith::kLanes, true, 0x4142, -2};
  // The bytes of version 8 for one lane, with the beginning before the spec.
  std::string body = BodyOf(DeltaOfVersion5());
  body[4] = 9;
  const size_t spec = SpecIn(body);
  body.insert(spec, FromHex("0000000000000000"     // dropped
                            "0201"                 // beginning, unfinished
                            "4241000000000000"     // begun_seq
                            "feffffffffffffff"));  // begun_horizon_ms
  const std::string last_topic = FromHex("0464656164");
  body.insert(body.find(last_topic) + last_topic.size(), FromHex("01"));  // lanes
  body += '\0';                                                           // groups
  ExpectIs(delta, body);

  const size_t beginning = spec + 8;
  for (const char other : {char{0}, char{3}}) {
    std::string damaged = body;
    damaged[beginning] = other;
    ExpectRefused(damaged, "beginning: expected 1 or 2, found");
  }
  body[beginning + 1] = 2;
  ExpectRefused(body, "unfinished: expected 0 or 1, found 2");
}

TEST(Delta, IsOfVersion10IfItNamesAnEndpoint) {
  Delta delta = DeltaOfVersion5();
  delta.beginning = {BeganWith::kHistory, false, 0x4142, -2};
  std::string body = BodyOf(delta);
  body[4] = 10;
  const size_t spec = SpecIn(body);
  body.insert(spec, FromHex("03613a31"));
  delta.endpoint = "a:1";
  ExpectIs(delta, body);

  // A lane that began with nothing.
  delta.beginning = {};
  EXPECT_EQ(DecodeDelta(Encode(delta)).value(), delta);

  body.replace(spec, 4, FromHex("00"));
  ExpectRefused(body, "endpoint: expected a text that is not empty");
}

TEST(Delta, IsOfVersion11IfAnEntryHasNumbers) {
  Delta delta = DeltaOfVersion5();
  delta.endpoint = "a:1";
  std::string body = BodyOf(delta);
  body[4] = 11;
  const auto after = [&body](std::string_view hex) {
    return body.find(FromHex(hex)) + hex.size() / 2;
  };
  body.insert(after("0300000000000000cf0f") - 2, FromHex("3837363534333231"));
  const size_t first = after("00ffeeddccbbaa99");
  body.insert(first, std::string(8, '\0'));
  delta.entries[1].fingerprint.numbers = 0x3132333435363738;
  ExpectIs(delta, body);

  body.replace(after("02000000000000000300000000000000"), 8, std::string(8, '\0'));
  ExpectRefused(body, "numbers: expected an entry with numbers that are not 0");
}

TEST(Delta, OfVersion11MayHaveNoWriterAndNoEndpointButThenNothingElseOfALane) {
  Delta delta = SmallDelta();
  delta.entries[0].fingerprint.numbers = 1;
  EXPECT_EQ(DecodeDelta(Encode(delta)).value(), delta) << "of an embedded filter";
  Delta of_a_lane = DeltaOfVersion7();
  of_a_lane.entries[0].fingerprint.numbers = 1;
  std::string body = Encode(of_a_lane);
  EXPECT_EQ(DecodeDelta(body).value(), of_a_lane);
  body.resize(body.size() - 8);
  body.replace(body.find(FromHex("2827262524232221")), 8, 8, 0);
  ExpectRefused(body, "writer: expected a number that is not 0");
}

TEST(Delta, AMergedDeltaHasTheEndpointOfTheLaterOne) {
  Delta delta = DeltaOfVersion5();
  Delta next = delta;
  next.seq_first = delta.seq_last + 1;
  next.seq_last = delta.seq_last + 1;
  next.fresh = false;
  next.writer_before = delta.writer;
  delta.endpoint = "a:1";
  next.endpoint = "b:2";
  ASSERT_TRUE(CanMerge(delta, next));
  Merge(delta, std::move(next));
  EXPECT_EQ(delta.endpoint, "b:2");
}

TEST(Delta, OfVersion7MayAlsoCountDroppedDuplicates) {
  Delta delta = DeltaOfVersion7();
  delta.dropped = 9;
  ExpectDecodes(Encode(delta), delta);
}

TEST(Delta, RefusesAGroupWithoutCopiesAndAVersion7WithoutGroups) {
  Delta delta = DeltaOfVersion7();
  delta.groups[1].copies = 0;
  EXPECT_THAT(DecodeDelta(Encode(delta)).error().text,
              HasSubstr("number of copies: expected at least 1"));
  std::string body = BodyOf(DeltaOfVersion5());
  body[4] = 7;
  body.insert(SpecIn(body), std::string(8, '\0'));
  body += '\0';
  ExpectRefused(body, "number of groups: expected at least 1");
}

TEST(Delta, AGroupTakesNoMoreThanItsBound) {
  Delta one = DeltaOfVersion5();
  const Position far{2, kOffsetMax};
  one.groups = {{{far, INT64_MIN, UINT64_MAX, far, INT64_MAX, far, INT64_MIN}, UINT64_MAX}};
  Delta two = one;
  two.groups.push_back(one.groups[0]);
  EXPECT_LE(Encode(two).size() - Encode(one).size(), kEncodedGroupBytesMax);
}

TEST(Delta, OfVersion5NeedNotNameTheTopicsOfTheLane) {
  Delta delta = DeltaOfVersion5();
  delta.pipeline = {};
  // neardup reindex continues a lane of an older version.
  ExpectDecodes(Encode(delta), delta);
}

TEST(Delta, OfVersion5RefusesTheWriter0) {
  std::string body = BodyOf(DeltaOfVersion5());
  const size_t writer = body.find(FromHex("2827262524232221"));
  ASSERT_NE(writer, body.npos);
  body.replace(writer, 8, 8, 0);
  ExpectRefused(body, "writer: expected");
}

TEST(Delta, HoldsTheTopicsBesideWhatTheLaneLearned) {
  Delta delta = DeltaOfVersion5();
  delta.learned = "{}";
  delta.inputs.clear();
  delta.entries.clear();
  ExpectDecodes(Encode(delta), delta);  // also before any of them was read
}

TEST(Delta, RefusesTopicsOfALaneThatAreNoneOrNotAscending) {
  const auto refusal = [](std::vector<std::string> inputs) {
    Delta delta = DeltaOfVersion5();
    delta.pipeline.inputs = std::move(inputs);
    const Result<Delta> decoded = DecodeDelta(Encode(delta));
    return decoded.ok() ? std::string() : decoded.error().text;
  };
  EXPECT_THAT(refusal({"new", "blog"}), HasSubstr("input topics: expected ascending"));
  EXPECT_THAT(refusal({"blog", "blog"}), HasSubstr("input topics: expected ascending"));
  Delta longer = DeltaOfVersion5();
  // What follows the count has room for a topic of any length.
  longer.entries.resize(4, longer.entries.back());
  std::string body = BodyOf(longer);
  const size_t count = body.find(std::string("\x02\x00\x01\x01u", 5));
  ASSERT_NE(count, body.npos);
  body[count] = 0;
  ExpectRefused(body, "number of input topics: expected at least 1");
  body[count] = 100;
  EXPECT_FALSE(DecodeDelta(WithChecksum(body)).ok());
}

TEST(Delta, AMergedDeltaHasTheTopicsOfTheLaterOne) {
  Delta first = DeltaOfVersion5();
  Delta next = first;
  next.fresh = false;
  next.seq_first = next.seq_last + 1;
  next.seq_last += 3;
  next.pipeline.unique = "later";
  Delta old = next;
  old.pipeline = {};
  ASSERT_TRUE(CanMerge(first, next));
  Delta merged = first;
  Merge(merged, Delta(next));
  EXPECT_EQ(merged.pipeline, next.pipeline);
  merged = first;
  Merge(merged, std::move(old));
  EXPECT_EQ(merged.pipeline, first.pipeline) << "an older version names none";
}

TEST(Delta, FollowsOnlyADeltaOfTheWriterThatItNames) {
  Delta next = SmallDelta();
  next.fresh = false;
  next.writer = 7;
  next.writer_before = 6;
  EXPECT_TRUE(FollowsDelta(next, 6, 99));
  EXPECT_TRUE(FollowsDelta(next, 7, 99)) << "it is read again";
  EXPECT_FALSE(FollowsDelta(next, 5, 99));
  EXPECT_FALSE(FollowsDelta(next, 6, 98));
  next.fresh = true;
  EXPECT_FALSE(FollowsDelta(next, 6, 99));
}

TEST(Delta, ReadsVersion2WhichDoesNotSayHowManyEntriesAreLive) {
  Delta expected = SmallDelta();
  expected.entries_live = kEntriesUnknown;
  expected.settings_seq = 1;
  expected.fresh = false;
  ExpectDecodes(FromHex(GoldenHexOfVersion2()), expected);
}

TEST(Delta, RefusesAFreshThatIsNeither0Nor1) {
  std::string body = BodyOf(SmallDelta());
  body[8 + 24 + 16 + 17 + 16] = 2;
  ExpectRefused(body, "fresh: expected 0 or 1, found 2");
}

TEST(Delta, RefusesADeltaWithAnyBitFlipped) {
  const std::string bytes = Encode(DeltaOfVersion7());
  for (size_t i = 0; i < bytes.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = bytes;
      damaged[i] = static_cast<char>(damaged[i] ^ (1 << bit));
      const Result<Delta> decoded = DecodeDelta(damaged);
      ASSERT_FALSE(decoded.ok()) << "byte " << i << " bit " << bit;
      ASSERT_EQ(decoded.error().code, ErrorCode::kCorrupt);
    }
  }
}

TEST(Delta, RefusesEveryOtherLength) {
  const std::string bytes = Encode(DeltaOfVersion7());
  for (size_t size = 0; size < bytes.size(); ++size) {
    const Result<Delta> decoded = DecodeDelta(std::string_view(bytes).substr(0, size));
    ASSERT_FALSE(decoded.ok()) << size;
    ASSERT_EQ(decoded.error().code, ErrorCode::kCorrupt);
  }
  EXPECT_FALSE(DecodeDelta(bytes + '\0').ok());
}

// The checksum is right here, so only the reader itself stands between the damage and the caller.
TEST(Delta, ReadsDamageUnderAValidChecksumSafely) {
  std::mt19937_64 random(11);
  const std::string body = BodyOf(DeltaOfVersion7());
  size_t refused = 0;
  const auto decode = [&](std::string damaged) {
    const Result<Delta> decoded = DecodeDelta(WithChecksum(std::move(damaged)));
    if (decoded.ok()) {
      for (const Entry& entry : decoded->entries) {
        ASSERT_LT(entry.origin.input, decoded->inputs.size());
        ASSERT_GE(entry.origin.offset, 0);
        for (const uint32_t key : entry.text_keys.keys()) ASSERT_NE(key, 0U);
      }
      for (const Group& group : decoded->groups) {
        ASSERT_GT(group.copies, 0U);
        for (const Position& position : {group.original, group.last, group.newest}) {
          ASSERT_LT(position.input, decoded->inputs.size());
          ASSERT_GE(position.offset, 0);
        }
      }
      return;
    }
    ++refused;
    ASSERT_EQ(decoded.error().code, ErrorCode::kCorrupt);
    ASSERT_THAT(decoded.error().text, HasSubstr("byte "));
  };
  for (size_t size = 0; size < body.size(); ++size) decode(body.substr(0, size));
  EXPECT_EQ(refused, body.size()) << "every cut takes away something that is needed";
  for (size_t i = 0; i < body.size(); ++i) {
    for (int value = 0; value < 256; ++value) {
      std::string damaged = body;
      damaged[i] = static_cast<char>(value);
      decode(damaged);
    }
  }
  for (int round = 0; round < 20'000; ++round) {
    std::string damaged = body;
    for (uint64_t n = 1 + random() % 8; n > 0; --n) {
      damaged[random() % damaged.size()] = static_cast<char>(random());
    }
    decode(damaged);
  }
  EXPECT_FALSE(DecodeDelta(WithChecksum(body + "x")).ok());
  EXPECT_GT(refused, 10'000U);
}

TEST(Delta, RefusesHugeCountsBeforeItAllocatesMemory) {
  Delta empty = SmallDelta();
  empty.inputs.clear();
  empty.entries.clear();
  std::string body = BodyOf(empty);
  body.resize(body.size() - 3);  // the three counts
  for (int count = 0; count < 3; ++count) {
    ByteWriter out;
    out.Raw(body);
    for (int i = 0; i < count; ++i) out.Varint(0);
    out.Varint(UINT64_MAX / 64);
    out.Raw(std::string(40, '\0'));
    const Result<Delta> decoded = DecodeDelta(WithChecksum(out.Take()));
    ASSERT_FALSE(decoded.ok()) << count;
    EXPECT_THAT(decoded.error().text, HasSubstr("expected at most")) << count;
  }
}

TEST(Delta, RefusesMoreThanThreeTextKeysAndATextKeyOfZero) {
  const std::string body = BodyOf(SmallDelta());
  const size_t last = body.size() - 2 - 3 * 4 - 1;  // the number of the last entry's text keys
  ASSERT_EQ(body[last], 3);
  std::string four = body;
  four[last] = 4;
  ExpectRefused(four + std::string("abcd"), "text keys: expected at most 3, none of them 0");
  std::string zero = body;
  zero.replace(last + 1, 4, 4, '\0');
  ExpectRefused(zero, "text keys: expected at most 3, none of them 0");
  std::string two = body;
  two.erase(last + 1, 4);
  two[last] = 2;
  const Result<Delta> fewer = DecodeDelta(WithChecksum(two));
  ASSERT_TRUE(fewer.ok()) << fewer.error().text;
  EXPECT_EQ(fewer->entries[1].text_keys.keys().size(), 2U);
}

TEST(Delta, RefusesAnEntryOfAnotherMethod) {
  const std::string body = BodyOf(SmallDelta());
  for (const size_t from_end : {size_t{1}, size_t{2}}) {
    std::string other = body;
    other[other.size() - from_end] = 1;
    ExpectRefused(other, "end of an entry");
  }
}

TEST(Delta, RefusesAnotherVersionAndNamesIt) {
  std::string body = BodyOf(SmallDelta());
  body[4] = 12;
  ExpectRefused(body, "version: expected 2 to 11, found 12");
}

TEST(Delta, DecodesToWhatWasEncoded) {
  std::mt19937_64 random(5);
  const auto any_time = [&] {
    const int64_t extremes[] = {INT64_MIN, INT64_MAX, -1, 0};
    return random() % 8 == 0 ? extremes[random() % 4] : static_cast<int64_t>(random());
  };
  for (int round = 0; round < 500; ++round) {
    Delta delta;
    delta.lane = static_cast<uint16_t>(random());
    delta.epoch = random() >> (random() % 64);
    delta.seq_first = random() >> (random() % 64);
    delta.seq_last = random();
    delta.watermark_ms = any_time();
    delta.horizon_ms = any_time();
    delta.window_ms = any_time();
    delta.entries_max = random();
    delta.distance_max = static_cast<int>(random() % 8);
    delta.entries_live = random() >> (random() % 64);
    delta.settings_seq = random() >> (random() % 64);
    delta.fresh = random() % 2 == 0;
    delta.spec = std::string(random() % 300, 'x');
    for (uint64_t n = random() % 20; n > 0; --n) {
      const InputPartition partition{"topic" + std::to_string(random() % 5),
                                     static_cast<int32_t>(random() >> 33)};
      delta.inputs.push_back({partition, static_cast<int64_t>(random()), any_time()});
    }
    for (uint64_t n = delta.inputs.empty() ? 0 : random() % 50; n > 0; --n) {
      const Position origin{static_cast<uint32_t>(random() % delta.inputs.size()),
                            static_cast<int64_t>(random() >> (1 + random() % 63))};
      delta.entries.push_back(
          {{random(), random(), random(), round % 3 == 0 ? random() : 0}, any_time(), origin, {}});
      for (uint64_t keys = random() % 4; keys > 0; --keys) {
        delta.entries.back().text_keys.Add(static_cast<uint32_t>(random()) | 1);
      }
    }
    const Result<Delta> decoded = DecodeDelta(Encode(delta));
    ASSERT_TRUE(decoded.ok()) << "round " << round << ": " << decoded.error().text;
    ASSERT_EQ(*decoded, delta) << "round " << round;
  }
}

}  // namespace
}  // namespace neardup
