// Values of other encodings become the JSON that a producer of JSON would have sent, and bytes that
// are no such values become dead letters that say why.
#include "detect/record/payload_encoding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <vector>

#include "detect/record/field_extractor.h"

namespace neardup {
namespace {

using namespace std::string_literals;
using nlohmann::json;
using testing::HasSubstr;
using testing::StartsWith;

constexpr size_t kBytesMax = 100'000;

class PayloadEncodingTest : public testing::Test {
 protected:
  /// The JSON of a value; what is wrong with it, if it has none.
  std::string Text(const std::shared_ptr<const PayloadEncoding>& encoding, std::string_view value) {
    const RecordView record = Decoded({{}, 0, value}, encoding.get(), buffer_);
    if (record.unreadable == nullptr) return std::string(*record.value);
    EXPECT_EQ(record.value, value) << "the bytes stay as they came";
    return Name(record.unreadable->reason) + ": "s + record.unreadable->error;
  }
  std::string Unpacked(std::string_view value, size_t bytes_max = kBytesMax) {
    return Text(MessagePackEncoding(bytes_max), value);
  }

  RecordBuffer buffer_;
};

TEST_F(PayloadEncodingTest, JsonIsNotCopied) {
  const std::string value = R"({"text":"as it came"})";
  const RecordView record = Decoded({{}, 0, value}, nullptr, buffer_);
  EXPECT_EQ(record.value->data(), value.data());
  const std::string framed = "\0\0\0\0\7"s + value;
  const RecordView inner = Decoded({{}, 0, framed}, FramedJsonEncoding().get(), buffer_);
  EXPECT_EQ(inner.value->data(), framed.data() + kFrameBytes);
  EXPECT_EQ(*inner.value, value);
}

TEST_F(PayloadEncodingTest, ANullValueStaysNull) {
  const RecordView record = Decoded({{}, 0, std::nullopt}, TextEncoding(kBytesMax).get(), buffer_);
  EXPECT_FALSE(record.value);
  EXPECT_EQ(record.unreadable, nullptr);
}

TEST_F(PayloadEncodingTest, ATextBecomesOneField) {
  const std::string text = "one \"two\"\\\n\x01 \xe4\xb8\xad {\"a\":1}";
  EXPECT_EQ(json::parse(Text(TextEncoding(kBytesMax), text)), json({{"text", text}}));
  EXPECT_EQ(Text(TextEncoding(kBytesMax), ""), R"({"text":""})");
}

TEST_F(PayloadEncodingTest, ATextThatIsNotUtf8IsADeadLetter) {
  FieldExtractor extractor(RecordOptions{});
  const RecordView record =
      Decoded({{}, 0, "caf\xe9 au lait"}, TextEncoding(kBytesMax).get(), buffer_);
  EXPECT_EQ(extractor.Extract(record).outcome.reason, Reason::kEncoding);
}

TEST_F(PayloadEncodingTest, WhatIsTooLargeIsADeadLetterBeforeItTakesMemory) {
  EXPECT_THAT(Text(TextEncoding(10), "eleven bytes"),
              StartsWith("too_large: the payload has more than 10 bytes"));
  EXPECT_THAT(Text(TextEncoding(100), std::string(90, '\1')),
              StartsWith("too_large: the JSON of the payload has more than 100 bytes"));
  EXPECT_LT(buffer_.json.capacity(), 1000);
}

TEST_F(PayloadEncodingTest, MessagePackBecomesTheSameJson) {
  const json values[] = {
      {{"title", "Harbour bridge closed"}, {"n", 7}, {"open", true}, {"none", nullptr}},
      {{"a", {{"b", {1, -1, 127, -32, 128, -33, 65536, -40000, 4294967296, -5000000000}}}}},
      {{"real", 1.5}, {"large", 18446744073709551615U}, {"small", INT64_MIN}},
      {{"long", std::string(300, 'x')}, {"longer", std::string(70'000, 'y')}},
      {{"list", json(std::vector<int>(20, 5))}, {"\xe4\xb8\xad\"", "\n"}},
      json::object()};
  for (const json& value : values) {
    const std::vector<uint8_t> packed = json::to_msgpack(value);
    EXPECT_EQ(json::parse(Unpacked({reinterpret_cast<const char*>(packed.data()), packed.size()})),
              value);
  }
  json many;
  for (int i = 0; i < 70'000; ++i) many["list"].push_back(i % 2);
  const std::vector<uint8_t> packed = json::to_msgpack(many);
  EXPECT_EQ(json::parse(
                Unpacked({reinterpret_cast<const char*>(packed.data()), packed.size()}, 1'000'000)),
            many);
}

TEST_F(PayloadEncodingTest, WhatJsonLacksIsWrittenAsText) {
  EXPECT_EQ(Unpacked("\x81\xa1\x62\xc4\x04\x00\x01\xfe\xff"s), R"({"b":"AAH+/w=="})");
  EXPECT_EQ(Unpacked("\x81\xa1t\xd6\xff\x65\x53\xf1\x00"s),
            R"({"t":"2023-11-14T22:13:20.000000000Z"})");
  EXPECT_EQ(Unpacked("\x81\xa1t\xd7\xff\x00\x00\x00\x04\x65\x53\xf1\x00"s),
            R"({"t":"2023-11-14T22:13:20.000000001Z"})");
  EXPECT_EQ(Unpacked("\x81\xa1t\xc7\x0c\xff\x00\x00\x00\x05\xff\xff\xff\xff\xff\xff\xff\xff"s),
            R"({"t":"1969-12-31T23:59:59.000000005Z"})");
  EXPECT_EQ(Unpacked("\x81\xa1x\xd5\x05zz"s), R"({"x":"eno="})");
  EXPECT_EQ(Unpacked("\x81\xa1x\xca\x7f\xc0\x00\x00"s), R"({"x":null})") << "a NaN";
}

TEST_F(PayloadEncodingTest, BrokenMessagePackIsADeadLetterThatNamesTheByte) {
  for (const std::string& broken : {"\x81\xa5title\xa9short"s, "\x81\x07\x01"s, "\x81\xa1x\xc1"s,
                                    "\xdd\xff\xff\xff\xff"s, ""s}) {
    EXPECT_THAT(Unpacked(broken), StartsWith("parse: not MessagePack at byte ")) << broken;
  }
  EXPECT_THAT(Unpacked("\x80\x01"s), HasSubstr("at byte 2"));
  EXPECT_THAT(Unpacked(std::string(50'000, '\x91')), HasSubstr("nests deeper than 128 levels"));
}

TEST_F(PayloadEncodingTest, MessagePackOfManySmallValuesIsBounded) {
  const std::string nulls = "\x81\xa1x\xdd\x00\x01\x86\xa0"s + std::string(100'000, '\xc0');
  EXPECT_THAT(Unpacked(nulls, 110'000), StartsWith("too_large"));
}

TEST_F(PayloadEncodingTest, AnUnreadableRecordIsADeadLetterForTheStatedReason) {
  const auto encoding = UnreadableEncoding(Reason::kSchema, "the registry has no schema 9");
  FieldExtractor extractor(RecordOptions{});
  const ReadOutcome& outcome =
      extractor.Extract(Decoded({{}, 5, R"({"text":"a"})"}, encoding.get(), buffer_)).outcome;
  EXPECT_EQ(outcome.reason, Reason::kSchema);
  EXPECT_EQ(outcome.error, "the registry has no schema 9");
}

TEST_F(PayloadEncodingTest, OnlyAFrameWithASchemaIsAFrame) {
  EXPECT_EQ(FramedSchema("\0\0\0\1\2{}"s), 258);
  EXPECT_EQ(FramedSchema("\0\0\0\0\0{}"s), std::nullopt);
  EXPECT_EQ(FramedSchema("\1\0\0\0\1{}"s), std::nullopt);
  EXPECT_EQ(FramedSchema("\0\0\0\0\1"s), std::nullopt) << "nothing follows it";
  EXPECT_EQ(FramedSchema(""), std::nullopt);
}

}  // namespace
}  // namespace neardup
