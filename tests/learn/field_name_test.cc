#include <gtest/gtest.h>

#include "learn/record_fields.h"

namespace neardup {
namespace {

TEST(FieldName, ReadsWordsWhateverJoinsThem) {
  for (const char* path :
       {"created_at", "createdAt", "CREATED-AT", "/meta/created at", "CreatedAT"}) {
    EXPECT_TRUE(ReadFieldName(path).written) << path;
  }
  for (const char* path : {"traceID", "trace_id", "/span/TraceId", "_id", "md5", "messageId"}) {
    EXPECT_TRUE(ReadFieldName(path).identifier) << path;
  }
}

TEST(FieldName, TellsWhenARecordWasWrittenFromWhenAThingHappens) {
  EXPECT_TRUE(ReadFieldName("timestamp").written);
  EXPECT_TRUE(ReadFieldName("crawled").written);
  for (const char* path :
       {"starts_at", "departure_time", "birth_date", "dueDate", "delivery_date"}) {
    EXPECT_FALSE(ReadFieldName(path).written) << path;
    EXPECT_TRUE(ReadFieldName(path).event_time) << path;
  }
}

TEST(FieldName, OfAnAmountOrAWordThatHoldsANameSaysNothing) {
  for (const char* path : {"amount", "price", "identity", "paid", "video", "format", "status"}) {
    const FieldName name = ReadFieldName(path);
    EXPECT_FALSE(name.identifier || name.written || name.counter || name.machine_number ||
                 name.provenance)
        << path;
  }
}

TEST(FieldName, KnowsCountersMachineNumbersAndSources) {
  EXPECT_TRUE(ReadFieldName("retweet_count").counter);
  EXPECT_TRUE(ReadFieldName("/user/followers").counter);
  EXPECT_TRUE(ReadFieldName("lineNumber").machine_number);
  EXPECT_TRUE(ReadFieldName("src_port").machine_number);
  EXPECT_FALSE(ReadFieldName("airport").machine_number);
  EXPECT_TRUE(ReadFieldName("/crawl/mirror").provenance);
  EXPECT_TRUE(ReadFieldName("/logRecords/*/body/stringValue").message);
}

}  // namespace
}  // namespace neardup
