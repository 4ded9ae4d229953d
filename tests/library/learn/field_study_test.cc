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

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;

constexpr size_t kRecords = 200;

std::string Sentence(SeededRandom& random, size_t count) {
  std::string text;
  for (const std::string& word : RandomWords(random, count)) text += word + " ";
  return text;
}

/// A record with a field of every kind.
Json Article(SeededRandom& random, size_t number) {
  char uuid[37];
  std::snprintf(uuid, sizeof(uuid), "%08zx-1234-4abc-8def-%012zx", number * 7919, number);
  return {{"id", number + 1000},
          {"uuid", uuid},
          {"url", "https://example.org/a/" + std::to_string(number)},
          {"crawled", "2026-01-02 03:04:" + std::to_string(10 + number % 50)},
          {"stamp", 1'760'000'000'000 + number},
          {"title", Phrase(random, 4)},
          {"body", Phrase(random, 50)},
          {"author", "Writer " + std::to_string(number % 37)},
          {"section", number % 3 == 0 ? "World" : "Sport"},
          {"price", static_cast<double>(number % 50) + 0.5},
          {"day", "2026-01-" + std::to_string(10 + number % 15)},
          {"language", number == 3 ? "de" : "en"},
          {"premium", number % 4 == 0},
          {"archived", number % 4 == 0 ? "yes" : "no"},
          {"tags", {"t" + std::to_string(number % 7), "u" + std::to_string(number % 5)}},
          {"source", {{"name", "paper " + std::to_string(number % 9)}, {"a/b", nullptr}}},
          {"nothing", nullptr}};
}

std::vector<StudiedField> StudyArticles() {
  SeededRandom random(11);
  FieldStudy study;
  for (size_t i = 0; i < kRecords; ++i) {
    Json article = Article(random, i);
    if (i == 5) article["correction"] = "one record in two hundred was wrong, and this one says so";
    study.Add(article.dump());
  }
  return study.Finish();
}

const StudiedField& Find(const std::vector<StudiedField>& fields, const std::string& path) {
  const auto found = std::find_if(fields.begin(), fields.end(), [&](const StudiedField& field) {
    return field.facts.path == path;
  });
  EXPECT_NE(found, fields.end()) << path;
  return *found;
}

TEST(FieldStudy, GivesEachFieldItsRoleAndTheReason) {
  struct Expected {
    const char* path;
    FieldRole role;
    const char* reason;
  };
  const std::vector<StudiedField> fields = StudyArticles();
  for (const Expected& expected : std::initializer_list<Expected>{
           {"id", FieldRole::kIdentifier, "one number, different in 100 % of the records"},
           {"uuid", FieldRole::kIdentifier, "one word, different in 100 % of the records"},
           {"url", FieldRole::kIdentifier, "looks like an identifier"},
           {"crawled", FieldRole::kTime, "100 % of its values are times of day"},
           {"stamp", FieldRole::kTime, "in which copies of a record differ"},
           {"title", FieldRole::kMetadata, "metadata: short text of 4 tokens on average"},
           {"body", FieldRole::kProse, "prose of 50 tokens on average"},
           {"author", FieldRole::kMetadata,
            "metadata: one of 37 values, while body is what people compare"},
           {"section", FieldRole::kMetadata, "metadata: one of 2 values"},
           {"price", FieldRole::kMetadata, "metadata: a number"},
           {"day", FieldRole::kMetadata, "metadata: one of 15 values"},
           {"language", FieldRole::kConstant, "the same value in 99.5 % of the records"},
           {"premium", FieldRole::kFlag, "a flag"},
           {"archived", FieldRole::kFlag, "a flag"},
           {"tags", FieldRole::kMetadata, "metadata: one of 35 values"},
           {"/source/name", FieldRole::kMetadata, "metadata: one of 9 values"},
           {"/source/a~1b", FieldRole::kConstant, "null or empty in every record"},
           {"nothing", FieldRole::kConstant, "null or empty in every record"},
           {"correction", FieldRole::kRare, "in only 0.5 % of the records"}}) {
    const StudiedField& field = Find(fields, expected.path);
    EXPECT_EQ(field.role, expected.role) << expected.path << ": " << Name(field.role);
    EXPECT_THAT(field.reason, HasSubstr(expected.reason)) << expected.path;
  }
  EXPECT_EQ(fields.size(), 19U);
  EXPECT_EQ(fields.front().facts.path, "id") << "in the order in which they were first seen";
  EXPECT_EQ(fields.back().facts.path, "correction");
}

TEST(FieldStudy, CountsPresentValuesTokensAndBytes) {
  FieldStudy study;
  study.Add(R"({"a":"one two three","n":[1,{"x":"two"}]})");
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
  EXPECT_DOUBLE_EQ(a.tokens_mean, 7.0 / 3);
  EXPECT_DOUBLE_EQ(a.bytes_mean, 30.0 / 3);
  EXPECT_DOUBLE_EQ(a.words, 1.0 / 3);
  const FieldFacts& n = fields[1].facts;
  EXPECT_EQ(n.path, "n") << "an array is one field";
  EXPECT_EQ(n.records, 2U);
  EXPECT_DOUBLE_EQ(n.numbers, 0.5);
  EXPECT_DOUBLE_EQ(n.tokens_mean, 1.5);
}

std::vector<StudiedField> Studied(const std::function<Json(size_t)>& record, size_t records = 200) {
  FieldStudy study;
  for (size_t i = 0; i < records; ++i) study.Add(record(i).dump());
  return study.Finish();
}

TEST(FieldStudy, KeepsOtherFieldsWhereNoProseSaysWhatARecordIs) {
  SeededRandom random(3);
  const auto of = [&](size_t i, const std::string& text) {
    return Json{{"message", text}, {"section", i % 3 == 0 ? "World" : "Sport"}};
  };
  // Numbers, templates, and formulas that come again.
  const std::vector<std::string> templates = {Phrase(random, 20), Phrase(random, 20)};
  const std::vector<std::string> formulas = {"fixed a typo in the comment section",
                                             "removed one sentence without any source"};
  for (const auto& fields :
       {Studied([&](size_t i) { return of(i, Sentence(random, 12)); }),
        Studied([&](size_t i) { return of(i, templates[i % 2] + " " + LetterWord(i * 31)); }),
        Studied([&](size_t i) {
          return of(i, i % 2 == 0 ? formulas[i / 2 % 2] : Phrase(random, 14));
        })}) {
    EXPECT_EQ(Find(fields, "message").role, FieldRole::kText);
    EXPECT_EQ(Find(fields, "section").role, FieldRole::kShortText);
  }
}

TEST(FieldStudy, TakesNamesThatComeAgainAsMetadataOfProse) {
  SeededRandom random(3);
  std::vector<std::string> names;
  while (names.size() < 20) names.push_back("Team of " + Phrase(random, 8) + " in the north");
  const auto fields = Studied([&](size_t i) {
    return Json{{"maintainer", names[i % 20]}, {"summary", Phrase(random, 14)}};
  });
  EXPECT_EQ(Find(fields, "summary").role, FieldRole::kProse);
  EXPECT_EQ(Find(fields, "maintainer").role, FieldRole::kMetadata);
}

TEST(FieldStudy, FindsTheProseOfCopiesAndOfNestedObjects) {
  SeededRandom random(3);
  std::vector<std::string> texts;
  while (texts.size() < 80) texts.push_back(Phrase(random, 30));
  const auto fields = Studied([&](size_t i) {
    return Json{
        {"about", {{"text", texts[i % 80]}, {"author", "writer " + std::to_string(i % 9)}}}};
  });
  EXPECT_EQ(Find(fields, "/about/text").role, FieldRole::kProse);
  EXPECT_EQ(Find(fields, "/about/author").role, FieldRole::kMetadata);
}

TEST(FieldStudy, KeepsTheNameOfRecordsWhereSomeLackTheProse) {
  SeededRandom random(3);
  const auto fields = Studied([&](size_t i) {
    Json record = {{"name", Phrase(random, 3)}, {"maker", "maker " + std::to_string(i % 7)}};
    if (i % 10 > 0) record["description"] = Phrase(random, 30);
    return record;
  });
  EXPECT_EQ(Find(fields, "description").role, FieldRole::kProse);
  EXPECT_EQ(Find(fields, "name").role, FieldRole::kShortText) << "no record may be without fields";
  EXPECT_EQ(Find(fields, "maker").role, FieldRole::kMetadata);
}

TEST(FieldStudy, KnowsCodesEvenIfManyRecordsShareThem) {
  const auto fields = Studied([](size_t i) {
    return Json{{"run", "7f3a9c20e1b24d5f-" + std::to_string(i / 50)},
                {"site", i % 2 == 0 ? "a.example.org" : "b.example.org"},
                {"word", "w" + std::to_string(i / 50)}};
  });
  EXPECT_EQ(Find(fields, "run").role, FieldRole::kIdentifier);
  EXPECT_THAT(Find(fields, "run").reason, HasSubstr("codes"));
  EXPECT_EQ(Find(fields, "site").role, FieldRole::kIdentifier);
  EXPECT_EQ(Find(fields, "word").role, FieldRole::kShortText);
}

TEST(FieldStudy, KnowsCountersAndNumbersOfMachines) {
  const auto fields = Studied([](size_t i) {
    return Json{{"total", i / 9 * 9 + i}, {"pid", i % 7}, {"amount", i * 37 % 101}};
  });
  EXPECT_EQ(Find(fields, "total").role, FieldRole::kIdentifier);
  EXPECT_EQ(Find(fields, "pid").role, FieldRole::kIdentifier);
  EXPECT_THAT(Find(fields, "pid").reason, HasSubstr("by its name"));
  EXPECT_EQ(Find(fields, "amount").role, FieldRole::kShortText);
}

TEST(FieldStudy, LeavesOutShortFieldsThatMostRecordsLeaveEmpty) {
  SeededRandom random(3);
  const auto fields = Studied([&](size_t i) {
    Json record = {{"title", Sentence(random, 10)}, {"city", nullptr}, {"note", ""}};
    if (i % 5 == 0) record["city"] = "town " + std::to_string(i % 7);
    if (i % 5 == 1) record["note"] = Sentence(random, 12);
    if (i % 5 == 2) record["brand"] = "brand " + std::to_string(i % 7);
    return record;
  });
  EXPECT_EQ(Find(fields, "city").role, FieldRole::kRare);
  EXPECT_EQ(Find(fields, "note").role, FieldRole::kText) << "a text says something where it is";
  EXPECT_EQ(Find(fields, "brand").role, FieldRole::kShortText) << "of another kind of records";
}

TEST(FieldStudy, TakesHanTextsWithoutSpacesAsTexts) {
  FieldStudy study;
  for (int i = 0; i < 50; ++i) {
    study.Add(R"({"title":"媒体领袖承诺推动世界共赢发展第)" + std::to_string(i) + R"(期"})");
  }
  EXPECT_EQ(study.Finish()[0].role, FieldRole::kText);
}

TEST(FieldStudy, TakesRepeatedAddressesAsCodes) {
  FieldStudy study;
  for (int i = 0; i < 300; ++i) {
    study.Add(R"({"url":"https://api.example.org/users/u)" + std::to_string(i % 150) +
              R"(/repositories/r/issues/events/all"})");
  }
  const StudiedField field = study.Finish()[0];
  EXPECT_EQ(field.role, FieldRole::kIdentifier);
  EXPECT_THAT(field.reason, HasSubstr("100 % of its values are codes"));
}

TEST(FieldStudy, DoesNotTakeCountsThatAreMostly0And1AsFlags) {
  FieldStudy study;
  for (int i = 0; i < 100; ++i) {
    study.Add(R"({"n":)" + std::to_string(i < 97 ? i % 2 : i) + "}");
  }
  const StudiedField field = study.Finish()[0];
  EXPECT_EQ(field.role, FieldRole::kShortText);
  EXPECT_EQ(field.reason, "a number");
}

TEST(FieldStudy, DoesNotTakeAValueThatCopiesShareAsAnIdentifier) {
  FieldStudy study;
  for (int i = 0; i < 100; ++i) study.Add(R"({"doi":"10.1/x)" + std::to_string(i % 80) + R"("})");
  EXPECT_EQ(study.Finish()[0].role, FieldRole::kShortText);
}

TEST(FieldStudy, NamesEveryFieldSoThatItCanBeSelected) {
  FieldStudy study;
  study.Add(R"({"/a":"x","":"x","a":{"":"x","b~c":{"d":"x"}}})");
  std::vector<std::string> paths;
  for (const StudiedField& field : study.Finish()) paths.push_back(field.facts.path);
  EXPECT_THAT(paths, ElementsAre("/~1a", "/", "/a/", "/a/b~0c/d"));
}

TEST(FieldStudy, StudiesAtMost500Fields) {
  FieldStudy study;
  for (int i = 0; i < 600; ++i) study.Add(R"({"k)" + std::to_string(i) + R"(":"text"})");
  EXPECT_EQ(study.Finish().size(), FieldStudy::kFieldsMax);
  EXPECT_EQ(study.fields_left_out(), 100U);
}

TEST(FieldStudy, SurvivesDeepNesting) {
  std::string deep;
  for (int i = 0; i < 50'000; ++i) deep += R"({"a":)";
  deep += "1" + std::string(50'000, '}');
  FieldStudy study;
  study.Add(deep);
  study.Add(R"({"a":)" + std::string(50'000, '[') + std::string(50'000, ']') + "}");
  EXPECT_EQ(study.Finish().size(), 2U);
}

/// The role of a field in records that were drawn from `of_all`.
FieldRole RoleIn(const std::vector<std::string>& payloads, size_t of_all, const std::string& path) {
  FieldStudy study(of_all);
  for (const std::string& payload : payloads) study.Add(payload);
  for (const StudiedField& field : study.Finish()) {
    if (field.facts.path == path) return field.role;
  }
  return FieldRole::kRare;
}

TEST(FieldStudy, DoesNotTakeHeadingsThatComeAgainForProse) {
  SeededRandom random(20261125);
  std::vector<std::string> headings;
  for (int i = 0; i < 2000; ++i) headings.push_back(Phrase(random, 9));
  std::vector<std::string> part;
  for (int i = 0; i < 2000; ++i) {
    part.push_back(RecordOf({{"section", random.Pick(headings)}, {"text", Phrase(random, 40)}}));
  }
  EXPECT_EQ(RoleIn(part, 40'000, "text"), FieldRole::kProse);
  EXPECT_NE(RoleIn(part, 40'000, "section"), FieldRole::kProse)
      << "2,000 headings of 40,000 records";
}

TEST(FieldStudy, DoesNotTakeAListOfNamesForProse) {
  SeededRandom random(20261125);
  std::vector<std::string> part;
  for (int i = 0; i < 500; ++i) {
    std::string cast;
    for (int name = 0; name < 6; ++name) {
      cast += (name == 0 ? "\"" : ",\"") + Phrase(random, 2) + "\"";
    }
    part.push_back("{\"cast\":[" + cast + "],\"lines\":[\"" + Phrase(random, 12) + "\",\"" +
                   Phrase(random, 12) + "\"]}");
  }
  EXPECT_NE(RoleIn(part, 500, "cast"), FieldRole::kProse);
  EXPECT_EQ(RoleIn(part, 500, "lines"), FieldRole::kProse) << "a poem is an array of lines";
}

}  // namespace
}  // namespace neardup
