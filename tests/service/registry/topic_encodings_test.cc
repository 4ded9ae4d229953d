// Records get the encoding of their schema. Schemas are asked for once, and kept on disk.
#include "service/registry/topic_encodings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "detect/base/temporary_folder.h"
#include "detect/record/avro_bytes.h"
#include "service/registry/registry_stub.h"

namespace neardup {
namespace {

using namespace std::string_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

const std::string kArticle =
    R"({"type":"record","name":"Article","fields":[{"name":"text","type":"string"}]})";

std::string Framed(uint32_t id, const std::string& value) {
  std::string frame(1, '\0');
  for (int shift = 24; shift >= 0; shift -= 8) frame += static_cast<char>(id >> shift);
  return frame + value;
}

class TopicEncodingsTest : public testing::Test {
 protected:
  TopicEncodingsTest() { stub_.PutSchema(7, kArticle); }

  std::shared_ptr<PayloadEncodings> New(RecordFormat format, bool with_registry = true,
                                        const std::filesystem::path& state_dir = {}) {
    RecordOptions record;
    record.format = format;
    record.record_bytes_max = 10'000;
    auto encodings =
        NewTopicEncodings(record, with_registry ? stub_.Options() : RegistryOptions(), state_dir);
    encodings->LogTo([this](const std::string& text) { log_.push_back(text); });
    return encodings;
  }
  /// The JSON of each value, or why it has none; one text if no schema can be had now.
  std::vector<std::string> Texts(PayloadEncodings& encodings, std::vector<std::string> values) {
    std::vector<Message> messages(values.size());
    for (size_t i = 0; i < values.size(); ++i) messages[i].value = values[i];
    if (const Result<void> found = encodings.Find(messages); !found.ok()) {
      EXPECT_TRUE(found.error().retriable);
      return {"not now: " + found.error().text};
    }
    std::vector<std::string> texts;
    RecordBuffer buffer;
    for (const Message& message : messages) {
      const RecordView record = RecordOf(message, buffer);
      texts.push_back(record.unreadable == nullptr
                          ? std::string(*record.value)
                          : Name(record.unreadable->reason) + ": "s + record.unreadable->error);
    }
    return texts;
  }

  RegistryStub stub_;
  TemporaryFolder folder_;
  std::vector<std::string> log_;
};

const std::string kJson = R"({"text":"json"})";

TEST_F(TopicEncodingsTest, AutoReadsEachRecordByItsFirstBytes) {
  stub_.PutSchema(8, "{}", R"(,"schemaType":"JSON")");
  const auto encodings = New(RecordFormat::kAuto);
  EXPECT_THAT(Texts(*encodings, {kJson, Framed(7, AvroText("avro")), Framed(8, kJson),
                                 Framed(7, AvroText("more")), "\0"s}),
              ElementsAre(kJson, R"({"text":"avro"})", kJson, R"({"text":"more"})", "\0"s));
  EXPECT_THAT(stub_.asked(), SizeIs(2)) << "each schema is asked for once";
  EXPECT_THAT(log_, ElementsAre("schema 7 of the registry is Avro, Article",
                                "schema 8 of the registry is JSON"));
}

TEST_F(TopicEncodingsTest, WithoutARegistryOnlyJsonIsReadBehindAFrame) {
  for (const auto& encodings : {New(RecordFormat::kAuto, false), New(RecordFormat::kJson, true)}) {
    const std::string avro = Framed(7, AvroText("avro"));
    EXPECT_THAT(Texts(*encodings, {kJson, Framed(9, kJson), avro}),
                ElementsAre(kJson, kJson, avro));
  }
  EXPECT_THAT(stub_.asked(), IsEmpty());
}

TEST_F(TopicEncodingsTest, AvroDemandsTheFrame) {
  const auto encodings = New(RecordFormat::kAvro);
  EXPECT_THAT(Texts(*encodings, {Framed(7, AvroText("avro")), kJson}),
              ElementsAre(R"({"text":"avro"})", StartsWith("parse: found no frame")));
}

TEST_F(TopicEncodingsTest, AWrongValueNamesItsSchema) {
  const auto encodings = New(RecordFormat::kAuto);
  EXPECT_THAT(Texts(*encodings, {Framed(7,
                                        "\x08"
                                        "abc")}),
              ElementsAre("parse: schema 7, after the frame: not Avro of its schema at byte 1: a "
                          "part of 4 bytes, but 3 are left"));
}

TEST_F(TopicEncodingsTest, AnUnknownSchemaIsADeadLetterOnceTheRegistrySaysSoTwice) {
  stub_.Put("/schemas/ids/9", kNoSchema);
  const auto encodings = New(RecordFormat::kAuto);
  EXPECT_THAT(Texts(*encodings, {Framed(9, "x"), kJson}),
              ElementsAre(HasSubstr("schema: the schema registry has no schema 9"), kJson));
  EXPECT_THAT(stub_.asked(), SizeIs(2));
  EXPECT_THAT(Texts(*encodings, {Framed(9, "y")}), ElementsAre(StartsWith("schema: ")));
  EXPECT_THAT(stub_.asked(), SizeIs(2)) << "it stays unknown for a while";
}

TEST_F(TopicEncodingsTest, RefusedSchemasAreDeadLettersWithAReason) {
  stub_.PutSchema(8, "syntax", R"(,"schemaType":"PROTOBUF")");
  stub_.PutSchema(9, R"({"type":"record"})");
  const auto encodings = New(RecordFormat::kAuto);
  EXPECT_THAT(
      Texts(*encodings, {Framed(8, "x"), Framed(9, "x")}),
      ElementsAre(HasSubstr("schema 8 of the registry is refused: found a schema of the "
                            "type PROTOBUF"),
                  HasSubstr("schema 9 of the registry is refused: found a record without")));
}

TEST_F(TopicEncodingsTest, TroubleOfTheRegistryFailsNoRecord) {
  const auto encodings = New(RecordFormat::kAuto);
  stub_.Put("/schemas/ids/8", {500, ""});
  EXPECT_THAT(Texts(*encodings, {kJson, Framed(8, AvroText("avro"))}),
              ElementsAre(StartsWith("not now: the schema registry")));
  stub_.PutSchema(8, kArticle);
  EXPECT_THAT(Texts(*encodings, {kJson, Framed(8, AvroText("avro"))}),
              ElementsAre(kJson, R"({"text":"avro"})"));
}

TEST_F(TopicEncodingsTest, KeptSchemasNeedNoRegistry) {
  EXPECT_THAT(Texts(*New(RecordFormat::kAuto, true, folder_.path()), {Framed(7, AvroText("a"))}),
              ElementsAre(R"({"text":"a"})"));
  stub_.Stop();
  EXPECT_THAT(Texts(*New(RecordFormat::kAuto, true, folder_.path()), {Framed(7, AvroText("b"))}),
              ElementsAre(R"({"text":"b"})"));
  EXPECT_THAT(Texts(*New(RecordFormat::kAuto), {Framed(7, AvroText("c"))}),
              ElementsAre(StartsWith("not now: ")));
}

TEST_F(TopicEncodingsTest, ADamagedFileIsAskedForAgain) {
  ASSERT_THAT(Texts(*New(RecordFormat::kAuto, true, folder_.path()), {Framed(7, AvroText("a"))}),
              SizeIs(1));
  size_t files = 0;
  for (const auto& file : std::filesystem::recursive_directory_iterator(folder_.path())) {
    if (!file.is_regular_file()) continue;
    std::ofstream(file.path()) << R"({"type":"AVRO","te)";
    ++files;
  }
  EXPECT_EQ(files, 1);
  EXPECT_THAT(Texts(*New(RecordFormat::kAuto, true, folder_.path()), {Framed(7, AvroText("b"))}),
              ElementsAre(R"({"text":"b"})"));
  EXPECT_THAT(stub_.asked(), SizeIs(2));
}

TEST_F(TopicEncodingsTest, ManySchemasAreForgottenAndAskedForAgain) {
  std::string fields;
  for (int i = 0; i < 4000; ++i) {
    fields += (i == 0 ? "" : ",") + R"({"name":"f)"s + std::to_string(i) + R"(","type":"long"})";
  }
  const auto encodings = New(RecordFormat::kAuto);
  for (uint32_t id = 100; id < 140; ++id) {
    stub_.PutSchema(id, R"({"type":"record","name":"R","fields":[)" + fields + "]}");
    ASSERT_THAT(Texts(*encodings, {Framed(id, "x")}), ElementsAre(StartsWith("parse: ")));
  }
  EXPECT_THAT(Texts(*encodings, {Framed(100, "x")}), ElementsAre(StartsWith("parse: ")));
  EXPECT_THAT(stub_.asked(), SizeIs(41));
}

}  // namespace
}  // namespace neardup
