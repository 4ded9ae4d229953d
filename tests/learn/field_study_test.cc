#include "learn/field_study.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "learn/synthetic_streams.h"

namespace neardup {
namespace {

using Json = nlohmann::ordered_json;

std::vector<StudiedField> Studied(const std::function<Json(size_t)>& record, size_t records = 200) {
  FieldStudy study;
  for (size_t i = 0; i < records; ++i) study.Add(record(i).dump());
  return study.Finish();
}

const StudiedField& Find(const std::vector<StudiedField>& fields, const std::string& path) {
  const auto found = std::find_if(fields.begin(), fields.end(), [&](const StudiedField& field) {
    return field.facts.path == path;
  });
  EXPECT_NE(found, fields.end()) << path;
  return *found;
}

std::string Uuid(size_t number) {
  char uuid[37];
  std::snprintf(uuid, sizeof(uuid), "%08zx-1234-4abc-8def-%012zx", number * 7919, number);
  return uuid;
}

TEST(FieldStudy, LeavesOutWhatSaysWhenWhereOrByWhichDeliveryARecordWasWritten) {
  const auto fields = Studied([](size_t i) {
    return Json{{"id", "r" + std::to_string(i)},
                {"delivery", Uuid(i)},
                {"url", "https://example.org/a/" + std::to_string(i % 9)},
                {"crawled", "2026-01-02 03:04:" + std::to_string(10 + i % 50)},
                {"stamp", 1'760'000'000'000 + i},
                {"time_unix_nano", std::to_string(1'760'000'000'000'000'000 + i)},
                {"posted", "2026-01-" + std::to_string(10 + i % 15)},
                {"pid", i % 30},
                {"views", i * 3 % 100}};
  });
  const auto role = [&](const std::string& path) { return Find(fields, path).role; };
  EXPECT_EQ(role("id"), FieldRole::kIdentifier);
  EXPECT_EQ(role("delivery"), FieldRole::kIdentifier);
  EXPECT_EQ(role("url"), FieldRole::kAddress);
  for (const char* time : {"crawled", "stamp", "time_unix_nano", "posted"}) {
    EXPECT_EQ(role(time), FieldRole::kTime) << time;
  }
  EXPECT_EQ(role("pid"), FieldRole::kCounter);
  EXPECT_EQ(role("views"), FieldRole::kCounter);
}

TEST(FieldStudy, TakesWhateverItDoesNotKnowForContent) {
  const auto fields = Studied([](size_t i) {
    return Json{{"amount", 17.5 + static_cast<double>(i)},
                {"account", "DE" + std::to_string(1'000'000'000'000 + i * 7919)},
                {"event", i % 2 == 0 ? "order.created" : "order.cancelled"},
                {"customer_id", i % 40},
                {"version", "1." + std::to_string(i)},
                {"starts_at", "2026-03-01T10:00:" + std::to_string(10 + i % 50) + "Z"},
                {"date", "2026-01-" + std::to_string(10 + i % 15)},
                {"rank", i},
                {"nothing", nullptr}};
  });
  for (const StudiedField& field : fields) {
    EXPECT_EQ(field.role, FieldRole::kKey) << field.facts.path << ": " << field.reason;
  }
}

TEST(FieldStudy, KnowsTextsInScriptsWithAndWithoutSpaces) {
  SeededRandom random(7);
  const auto fields = Studied([&](size_t i) {
    return Json{
        {"body", Phrase(random, 40)},
        {"han", "\u6e2f\u53e3\u4eca\u5929\u5f00\u901a\u65b0\u822a\u7ebf" + std::to_string(i)},
        {"title", Phrase(random, 4)},
        {"state", "waiting for the customs office to answer"},
        {"code", "a-b-c-d-e-f-g-h-" + std::to_string(i)}};
  });
  EXPECT_TRUE(IsTextual(Find(fields, "body")));
  EXPECT_TRUE(IsTextual(Find(fields, "han")));
  EXPECT_FALSE(IsTextual(Find(fields, "title"))) << "four words are a name";
  EXPECT_FALSE(IsTextual(Find(fields, "state"))) << "one of few sentences is a label";
  EXPECT_FALSE(IsTextual(Find(fields, "code"))) << "one word, whatever stands in it";
  EXPECT_TRUE(IsTitle(Find(fields, "title"), 1));
}

TEST(FieldStudy, CountsPresentValuesTokensAndBytes) {
  FieldStudy study;
  study.Add(R"({"a":"one two three","n":[1,2]})");
  study.Add(R"({"a":"one two three","n":[]})");
  study.Add(R"({"a":"four","n":[2]})");
  study.Add(R"({"a":""})");
  study.Add("[1]");
  study.Add("{broken");
  const std::vector<StudiedField> fields = study.Finish();
  ASSERT_EQ(fields.size(), 2U);
  const FieldFacts& a = fields[0].facts;
  EXPECT_EQ(a.path, "a");
  EXPECT_EQ(a.records, 3U);
  EXPECT_DOUBLE_EQ(a.present, 0.5);
  EXPECT_EQ(a.values, 2U);
  EXPECT_DOUBLE_EQ(a.distinct, 2.0 / 3);
  EXPECT_DOUBLE_EQ(a.most_frequent, 2.0 / 3);
  EXPECT_DOUBLE_EQ(a.match, 1.0 / 3) << "of the three pairs of records, one agrees";
  EXPECT_DOUBLE_EQ(a.tokens_mean, 7.0 / 3);
  EXPECT_DOUBLE_EQ(a.bytes_mean, 30.0 / 3);
  EXPECT_DOUBLE_EQ(a.words, 1.0 / 3);
}

TEST(FieldStudy, CountsStepsOfOne) {
  const auto fields = Studied([](size_t i) {
    return Json{{"count", 1 + i % 60}, {"other", 2 * i}};
  });
  EXPECT_GT(Find(fields, "count").facts.steps, 0.9);
  EXPECT_EQ(Find(fields, "other").facts.steps, 0);
}

TEST(FieldStudy, StudiesABoundedNumberOfFieldsAndValues) {
  FieldStudy study;
  size_t records = 0;
  for (; study.wants_more() && records < 1000; ++records) {
    Json record;
    for (size_t i = 0; i < FieldStudy::kFieldsMax + 10; ++i) record["f" + std::to_string(i)] = i;
    study.Add(record.dump());
  }
  EXPECT_LT(records, 250U);
  EXPECT_EQ(study.fields_left_out(), 10 * records);
  EXPECT_EQ(study.Finish().size(), FieldStudy::kFieldsMax);
}

TEST(FieldStudy, SurvivesDeepNesting) {
  std::string deep;
  for (int i = 0; i < 500; ++i) deep += "{\"a\":";
  deep += "1" + std::string(500, '}');
  FieldStudy study;
  study.Add(deep);
  EXPECT_EQ(study.Finish().size(), 1U);
}

}  // namespace
}  // namespace neardup
