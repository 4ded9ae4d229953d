// The properties of the clients; no test needs a broker.
#include "kafka/properties.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kafka/client.h"
#include "kafka/kafka_cluster.h"
#include "kafka/library.h"

namespace neardup {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;

TEST(Properties, TheUsersValueWinsOverADefault) {
  KafkaOptions options;
  options.app = "news";
  options.producer_properties["linger.ms"] = "3";
  const auto properties = ClientProperties(options, ClientRole::kWriter, 4);
  ASSERT_OK(properties);
  EXPECT_THAT(*properties, Contains(Pair("linger.ms", "3")));
  EXPECT_THAT(*properties, Contains(Pair("transactional.id", "news-lane-4")));
}

TEST(Properties, PropertiesThatCorrectnessDependsOnCannotBeChanged) {
  for (const char* name : {"enable.auto.commit", "isolation.level", "group.id", "auto.offset.reset",
                           "group.instance.id", "bootstrap.servers", "metadata.broker.list"}) {
    KafkaOptions options;
    options.consumer_properties[name] = "true";
    const auto properties = ClientProperties(options, ClientRole::kSource);
    ASSERT_FALSE(properties.ok()) << name;
    EXPECT_EQ(properties.error().code, ErrorCode::kConfig);
    EXPECT_THAT(properties.error().text, HasSubstr(name));
  }
}

TEST(Properties, EveryOwnedPropertyIsRefusedToUsers) {
  for (const ClientRole role :
       {ClientRole::kSource, ClientRole::kChangelog, ClientRole::kWatermark, ClientRole::kWriter,
        ClientRole::kPlainWriter, ClientRole::kLease}) {
    for (const auto& [name, value] : OwnedProperties({}, role, 0)) {
      EXPECT_TRUE(RefusalOf(name, value)) << name;
    }
  }
}

TEST(Properties, EveryReaderOfDataSeesOnlyCommittedRecords) {
  for (const ClientRole role : {ClientRole::kSource, ClientRole::kChangelog}) {
    const auto properties = ClientProperties({}, role);
    ASSERT_OK(properties);
    EXPECT_THAT(*properties, Contains(Pair("isolation.level", "read_committed")));
    EXPECT_THAT(*properties, Contains(Pair("auto.offset.reset", "error")));
  }
}

TEST(Properties, AreRefusedByNameWithTheLibrarysReason) {
  KafkaOptions options;
  options.properties["no.such.property"] = "1";
  const Result<void> checked = CheckProperties(options);
  ASSERT_FALSE(checked.ok());
  EXPECT_EQ(checked.error().code, ErrorCode::kConfig);
  EXPECT_THAT(checked.error().text, HasSubstr("no.such.property"));
}

TEST(Properties, ContradictionsAreFoundWithoutABroker) {
  KafkaOptions options;
  options.brokers = "127.0.0.1:1";
  ASSERT_OK(CheckProperties(options));
  options.properties["security.protocol"] = "ssl";
  options.properties["ssl.ca.location"] = "/nonexistent/ca.pem";
  const Result<void> checked = CheckProperties(options);
  ASSERT_FALSE(checked.ok());
  EXPECT_EQ(checked.error().code, ErrorCode::kConfig);
  EXPECT_THAT(checked.error().text, HasSubstr("ssl.ca.location"));
}

TEST(Properties, TheLibraryTakesTheLongestSessionThatTheSettingsAllow) {
  KafkaOptions options;
  options.session_timeout_ms = 30 * 60 * 1000;
  const Result<void> checked = CheckProperties(options);
  EXPECT_TRUE(checked.ok()) << checked.error().text;
}

TEST(ClientLibraryWarnings, WarnOfScramOnlyWhereItFails) {
  EXPECT_THAT(ClientLibraryWarnings(0x020002ff, "SCRAM-SHA-256"), Not(IsEmpty()));
  EXPECT_THAT(ClientLibraryWarnings(0x020601ff, "SCRAM-SHA-256"), IsEmpty());
  EXPECT_THAT(ClientLibraryWarnings(0x020002ff, "PLAIN"), IsEmpty());
}

TEST(ClientLibraryWarnings, WarnOfTheVersionsThatLoseBatches) {
  EXPECT_THAT(ClientLibraryWarnings(0x020200ff, ""), Not(IsEmpty()));
  EXPECT_THAT(ClientLibraryWarnings(0x020400ff, ""), Not(IsEmpty()));
  EXPECT_THAT(ClientLibraryWarnings(0x020500ff, ""), IsEmpty());
}

TEST(KafkaOptions, EveryPlaceholderInATopicTemplateIsReplaced) {
  EXPECT_EQ(ExpandTopic("{topic}.unique", "news"), "news.unique");
  EXPECT_EQ(ExpandTopic("a-{topic}-{topic}", "{topic}"), "a-{topic}-{topic}");
  EXPECT_EQ(ExpandTopic("all-unique", "news"), "all-unique");
}

}  // namespace
}  // namespace neardup
