// What a registry says is told apart by its status: a schema, no such schema, or anything else,
// which is trouble that may pass.
#include "service/registry/schema_registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <chrono>
#include <string>

#include "detect/base/file.h"
#include "service/registry/registry_stub.h"

namespace neardup {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class SchemaRegistryTest : public testing::Test {
 protected:
  Result<RegisteredSchema> Fetch(uint32_t id) { return SchemaRegistry(stub_.Options()).Fetch(id); }
  /// The error of an answer to the question for schema 7.
  Error ErrorOf(StubAnswer answer) {
    stub_.Put("/schemas/ids/7", std::move(answer));
    const Result<RegisteredSchema> fetched = Fetch(7);
    EXPECT_FALSE(fetched.ok());
    return fetched.ok() ? Error() : fetched.error();
  }

  RegistryStub stub_;
};

TEST_F(SchemaRegistryTest, ASchemaWithoutATypeIsAvro) {
  stub_.PutSchema(7, R"({"type":"string"})");
  const Result<RegisteredSchema> avro = Fetch(7);
  ASSERT_TRUE(avro.ok()) << avro.error().text;
  EXPECT_EQ(avro->type, "AVRO");
  EXPECT_THAT(avro->texts, ElementsAre(R"({"type":"string"})"));
  stub_.PutSchema(8, "{}", R"(,"schemaType":"JSON","references":[])");
  EXPECT_EQ(Fetch(8)->type, "JSON");
}

TEST_F(SchemaRegistryTest, WhatASchemaRefersToComesFirstAndOnce) {
  const std::string both = R"(,"references":[{"name":"a","subject":"shop/a b","version":2},)"
                           R"({"name":"c","subject":"c","version":1}])";
  stub_.PutSchema(7, "main", both);
  stub_.Put("/subjects/shop%2Fa%20b/versions/2", {200, RegistryStub::SchemaAnswer("a")});
  stub_.Put("/subjects/c/versions/1",
            {200, RegistryStub::SchemaAnswer(
                      "c", R"(,"references":[{"name":"a","subject":"shop/a b","version":2}])")});
  const Result<RegisteredSchema> schema = Fetch(7);
  ASSERT_TRUE(schema.ok()) << schema.error().text;
  EXPECT_THAT(schema->texts, ElementsAre("a", "c", "main"));
}

TEST_F(SchemaRegistryTest, SchemasThatReferInACircleAreRefused) {
  const std::string itself = R"(,"references":[{"name":"a","subject":"a","version":1}])";
  stub_.PutSchema(7, "main", itself);
  stub_.Put("/subjects/a/versions/1", {200, RegistryStub::SchemaAnswer("a", itself)});
  EXPECT_EQ(Fetch(7).error().code, ErrorCode::kBadInput);
}

TEST_F(SchemaRegistryTest, OnlyTheRegistrysOwnCodeMeansNoSuchSchema) {
  EXPECT_EQ(ErrorOf(kNoSchema).code, ErrorCode::kNotFound);
  for (const StubAnswer& other :
       {StubAnswer{404, ""}, StubAnswer{404, R"({"error_code":404})"},
        StubAnswer{404, R"({"error_code":40401})"}, StubAnswer{200, "<html>"},
        StubAnswer{200, "[]"}, StubAnswer{200, R"({"schema":7})"}}) {
    const Error error = ErrorOf(other);
    EXPECT_EQ(error.code, ErrorCode::kUnavailable) << other.body;
    EXPECT_TRUE(error.retriable);
    EXPECT_THAT(error.text, HasSubstr("check registry.url"));
  }
  EXPECT_THAT(ErrorOf({500, "{}"}).text, AllOf(HasSubstr("500"), HasSubstr("its own log")));
}

TEST_F(SchemaRegistryTest, ARefusedLoginIsNamed) {
  const Error error = ErrorOf({401, ""});
  EXPECT_EQ(error.code, ErrorCode::kAuth);
  EXPECT_TRUE(error.retriable) << "a person may mend it there";
  EXPECT_THAT(error.text, HasSubstr("registry.password"));
}

TEST_F(SchemaRegistryTest, LogsInByNameOrByToken) {
  stub_.PutSchema(7, "{}");
  RegistryOptions options = stub_.Options();
  options.username = "reader";
  options.password = "secret";
  ASSERT_TRUE(SchemaRegistry(options).Fetch(7).ok());
  EXPECT_EQ(stub_.authorization(), "Basic cmVhZGVyOnNlY3JldA==");
  options.token = "abc";
  ASSERT_TRUE(SchemaRegistry(options).Fetch(7).ok());
  EXPECT_EQ(stub_.authorization(), "Bearer abc");
}

TEST_F(SchemaRegistryTest, AnAnswerThatIsTooLargeIsRefused) {
  EXPECT_EQ(ErrorOf({200, RegistryStub::SchemaAnswer(std::string(3'000'000, 'x'))}).code,
            ErrorCode::kBadInput);
}

TEST_F(SchemaRegistryTest, ARegistryThatIsGoneIsNamedWithoutSecrets) {
  RegistryOptions options = stub_.Options();
  options.username = "reader";
  options.password = "s3cret";
  stub_.Stop();
  const Error error = SchemaRegistry(options).Fetch(7).error();
  EXPECT_EQ(error.code, ErrorCode::kUnavailable);
  EXPECT_THAT(error.text, AllOf(HasSubstr(options.url), HasSubstr("does not answer"),
                                Not(HasSubstr("s3cret"))));
}

TEST_F(SchemaRegistryTest, ARegistryThatHangsIsGivenUp) {
  const Descriptor listening(socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* const at = reinterpret_cast<sockaddr*>(&address);
  ASSERT_EQ(bind(listening.get(), at, size), 0);
  ASSERT_EQ(listen(listening.get(), 1), 0);
  ASSERT_EQ(getsockname(listening.get(), at, &size), 0);
  RegistryOptions options;
  options.url = "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port));
  EXPECT_EQ(SchemaRegistry(options).Fetch(7).error().code, ErrorCode::kUnavailable);
}

TEST_F(SchemaRegistryTest, ChecksWhetherARegistryAnswers) {
  stub_.Put("/schemas/types", {200, R"(["AVRO"])"});
  EXPECT_TRUE(SchemaRegistry(stub_.Options()).Check().ok());
  RegistryOptions wrong = stub_.Options();
  wrong.url += "/v8/";
  EXPECT_THAT(SchemaRegistry(wrong).Check().error().text, HasSubstr("check registry.url"));
}

}  // namespace
}  // namespace neardup
