#include "stream/state/byte_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace neardup {
namespace {

TEST(ByteReader, ReadsBackWhatWasWritten) {
  ByteWriter out;
  out.U8(255);
  out.U16(0xbeef);
  out.U64(UINT64_MAX - 1);
  out.I64(INT64_MIN);
  for (const uint64_t value : {uint64_t{0}, uint64_t{127}, uint64_t{128}, UINT64_MAX}) {
    out.Varint(value);
  }
  for (const int64_t value : {int64_t{0}, int64_t{-1}, INT64_MIN, INT64_MAX}) out.Zigzag(value);
  out.Text("");
  out.Text("topic");
  const std::string bytes = out.Take();
  ByteReader in(bytes);
  EXPECT_EQ(in.U8("a"), 255);
  EXPECT_EQ(in.U16("a"), 0xbeef);
  EXPECT_EQ(in.U64("a"), UINT64_MAX - 1);
  EXPECT_EQ(in.I64("a"), INT64_MIN);
  for (const uint64_t value : {uint64_t{0}, uint64_t{127}, uint64_t{128}, UINT64_MAX}) {
    EXPECT_EQ(in.Varint("a"), value);
  }
  for (const int64_t value : {int64_t{0}, int64_t{-1}, INT64_MIN, INT64_MAX}) {
    EXPECT_EQ(in.Zigzag("a"), value);
  }
  EXPECT_EQ(in.Text("a"), "");
  EXPECT_EQ(in.Text("a"), "topic");
  EXPECT_TRUE(in.ok());
  EXPECT_EQ(in.remaining(), 0U);
}

TEST(ByteReader, KeepsTheFirstFailureAndReadsNothingAfterIt) {
  ByteReader in("\x01\x02\x03");
  EXPECT_EQ(in.U64("epoch"), 0U);
  EXPECT_EQ(in.U8("lane"), 0U);
  EXPECT_EQ(in.Text("spec"), "");
  EXPECT_FALSE(in.ok());
  EXPECT_EQ(in.error().code, ErrorCode::kCorrupt);
  EXPECT_EQ(in.error().text, "byte 0 of 3, epoch: expected 8 more bytes");
}

TEST(ByteReader, RefusesAVarintOfMoreThanSixtyFourBits) {
  ByteReader eleven_bytes("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x81\x01");
  eleven_bytes.Varint("count");
  EXPECT_FALSE(eleven_bytes.ok());
  ByteReader bit_65("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02");
  bit_65.Varint("count");
  EXPECT_THAT(bit_65.error().text, testing::HasSubstr("64 bits"));
}

TEST(ByteReader, RefusesACountThatTheBytesCannotHold) {
  const std::string bytes =
      "\x03"
      "abcdef";
  ByteReader fits(bytes);
  EXPECT_EQ(fits.Count(2, "entries"), 3U);
  EXPECT_TRUE(fits.ok());
  ByteReader too_many(bytes);
  EXPECT_EQ(too_many.Count(3, "entries"), 0U);
  EXPECT_FALSE(too_many.ok());
}

}  // namespace
}  // namespace neardup
