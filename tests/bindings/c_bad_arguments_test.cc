// Bad arguments are a status with a text. They change nothing, and they end nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bindings/c_caller.h"

namespace neardup {
namespace {

using testing::HasSubstr;

struct Case {
  std::string name;
  std::string expected;  ///< a part of the error text
  std::function<neardup_status(char** error)> call;
  neardup_status status = NEARDUP_INVALID_ARGUMENT;
};

void ExpectEach(const std::vector<Case>& cases) {
  for (const Case& each : cases) {
    GivenText error;
    EXPECT_EQ(each.call(error.place()), each.status) << each.name;
    EXPECT_THAT(error.str(), HasSubstr(each.expected)) << each.name;
    EXPECT_EQ(each.call(nullptr), each.status) << each.name << ", without a place for the text";
  }
}

TEST(CBadArguments, OfAFilterInUseAreRefusedAndTheFilterWorksOn) {
  const OwnedFilter owned = NewFilter();
  neardup_filter* filter = owned.get();
  const std::string payload = R"({"title": "rain"})";
  const neardup_record record = RecordOf(payload);
  neardup_record sizeless = record;
  sizeless.struct_size = 0;
  neardup_record huge = record;
  huge.struct_size = SIZE_MAX;
  const neardup_record no_value = {sizeof(neardup_record), nullptr, 7, 0};
  neardup_record mixed[2] = {record, sizeless};
  neardup_verdict places[2] = {};
  places[0].struct_size = sizeof places[0];
  neardup_verdict sizeless_place = {};
  neardup_statistics sizeless_statistics = {};
  GivenText settings;
  const auto decide = [&](const neardup_record* from, size_t count, neardup_verdict* to) {
    return [=](char** error) { return neardup_filter_decide(filter, from, count, to, error); };
  };
  ExpectEach({
      {"no filter", "filter is NULL",
       [&](char** e) { return neardup_filter_decide(nullptr, &record, 1, places, e); }},
      {"no filter to check", "filter is NULL",
       [&](char** e) { return neardup_filter_check(nullptr, &record, 1, places, e); }},
      {"no filter to commit", "filter is NULL",
       [&](char** e) { return neardup_filter_commit(nullptr, e); }},
      {"no filter to save", "filter is NULL",
       [&](char** e) { return neardup_filter_save(nullptr, "x", e); }},
      {"no filter for the clock", "filter is NULL",
       [&](char** e) { return neardup_filter_set_clock(nullptr, 1, e); }},
      {"no filter for statistics", "filter is NULL",
       [&](char** e) { return neardup_filter_statistics(nullptr, &sizeless_statistics, e); }},
      {"no filter for settings", "filter is NULL",
       [&](char** e) { return neardup_filter_settings(nullptr, settings.place(), e); }},
      {"no records", "records is NULL", decide(nullptr, 1, places)},
      {"no places", "verdicts is NULL", decide(&record, 1, nullptr)},
      {"too many", "expected at most", decide(&record, SIZE_MAX, places)},
      {"a record without its size", "record.struct_size is 0", decide(&sizeless, 1, places)},
      {"a record with no size at all", "record.struct_size is", decide(&huge, 1, places)},
      {"records of two sizes", "record.struct_size is 0", decide(mixed, 2, places)},
      {"bytes without a value", "value is NULL", decide(&no_value, 1, places)},
      {"a place without its size", "verdict.struct_size is 0", decide(&record, 1, &sizeless_place)},
      {"no statistics", "statistics is NULL",
       [&](char** e) { return neardup_filter_statistics(filter, nullptr, e); }},
      {"statistics without their size", "statistics.struct_size is 0",
       [&](char** e) { return neardup_filter_statistics(filter, &sizeless_statistics, e); }},
      {"no place for settings", "settings is NULL",
       [&](char** e) { return neardup_filter_settings(filter, nullptr, e); }},
      {"no path", "path is NULL",
       [&](char** e) { return neardup_filter_save(filter, nullptr, e); }},
      {"no such folder", "/nowhere/at/all",
       [&](char** e) { return neardup_filter_save(filter, "/nowhere/at/all", e); }, NEARDUP_IO},
  });
  EXPECT_EQ(Decide(filter, {record})[0].decision, NEARDUP_UNIQUE);
  EXPECT_EQ(StatisticsOf(filter).decided, 1U);
}

TEST(CBadArguments, OfANewFilterAreRefused) {
  neardup_filter* filter = nullptr;
  const auto make = [&](const char* settings) {
    return [settings, &filter](char** error) {
      return neardup_filter_new(settings, nullptr, &filter, error);
    };
  };
  const neardup_options many = {sizeof many, 100'000, 0};
  const neardup_options sizeless = {0, 1, 0};
  ExpectEach({
      {"no settings", "settings is NULL", make(nullptr)},
      {"no place", "filter is NULL",
       [](char** e) { return neardup_filter_new(kTitles, nullptr, nullptr, e); }},
      {"too many threads", "options.threads is 100000",
       [&](char** e) { return neardup_filter_new(kTitles, &many, &filter, e); }},
      {"options without their size", "options.struct_size is 0",
       [&](char** e) { return neardup_filter_new(kTitles, &sizeless, &filter, e); }},
      {"no JSON", "settings", make("{"), NEARDUP_CONFIG},
      {"no UTF-8", "settings", make("{\"a\": \"\xff\"}"), NEARDUP_CONFIG},
      {"deeply nested", "settings", make(std::string(100'000, '[').c_str()), NEARDUP_CONFIG},
      {"unknown", "match.distance_max", make(R"({"match.distance_mx": 6})"), NEARDUP_CONFIG},
      {"out of range", "distance_max", make(R"({"match": {"mode": "near", "distance_max": 99}})"),
       NEARDUP_CONFIG},
      {"another scheme", "match.scheme",
       make(R"({"match": {"mode": "near", "scheme": "minhash"}})"), NEARDUP_CONFIG},
      {"no path", "path is NULL",
       [&](char** e) { return neardup_filter_load(nullptr, nullptr, &filter, e); }},
      {"no file", "no-such-file",
       [&](char** e) { return neardup_filter_load("no-such-file", nullptr, &filter, e); },
       NEARDUP_NOT_FOUND},
      {"no place for what is learned", "learned is NULL",
       [](char** e) { return neardup_learn("{}", nullptr, 0, nullptr, nullptr, e); }},
  });
  EXPECT_EQ(filter, nullptr);
  neardup_filter_free(nullptr);
  neardup_free(nullptr);
}

}  // namespace
}  // namespace neardup
