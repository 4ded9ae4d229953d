#include "learn/learned_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "detect/feature/mask.h"
#include "learn/field_roles.h"
#include "learn/synthetic_streams.h"
#include "neardup/filter.h"

namespace neardup {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using Json = nlohmann::ordered_json;

constexpr size_t kRecordsMin = 200;

/// Articles as a scraper writes them: the text, and much that says nothing about it.
std::vector<std::string> ScrapedArticles(size_t records) {
  std::vector<std::string> payloads = TextStream(7, records, 80, 3);
  for (size_t i = 0; i < payloads.size(); ++i) {
    const std::string number = std::to_string(1000 + i);
    payloads[i].insert(1, R"("uuid":"550e8400-e29b-41d4-a716-44665544)" + number +
                              R"(","run":"run-7f3a20261122-)" + std::to_string(i / 100) +
                              R"(","url":"https://news.example.org/a/)" + number +
                              R"(","domain":"news.example.org","job":")" +
                              (i % 3 == 0 ? "hourly" : "daily") +
                              R"(","crawled":"2026-11-22T10:00:)" + std::to_string(10 + i % 50) +
                              R"(Z","attempt":)" + std::to_string(i % 4) + ",");
  }
  return payloads;
}

/// All fields that no other selector takes must agree.
const FieldSelector kOtherFields = {"", 1.0, true};

FieldSelector Free(const std::string& path) { return {path, 1.0, false, true}; }

LearnedOptions LearnedFrom(const std::vector<std::string>& payloads,
                           const FilterOptions& given = {},
                           const std::set<std::string>& kept = {}) {
  return LearnOptions(ViewsOf(payloads), given, kept, kRecordsMin);
}

TEST(LearnOptions, ComparesTheTextOfAScrapedArticleAndLeavesOutWhatSaysWhenAndWhereFrom) {
  const LearnedOptions learned = LearnedFrom(ScrapedArticles(600));
  const RecordOptions& record = learned.options.record;
  EXPECT_THAT(record.fields,
              ElementsAre(Free("job"), Free("run"), FieldSelector{"text"}, kOtherFields))
      << learned.reasons[1];
  EXPECT_THAT(record.exclude, ElementsAre("attempt", "crawled", "url", "uuid"));
  EXPECT_STREQ(UseOf(record, "domain"), "must agree");
  EXPECT_EQ(learned.mode, "near");
  EXPECT_GT(learned.options.match.distance_max, 8);
  EXPECT_FALSE(learned.options.model == Model());
  EXPECT_EQ(learned.records, 600U);
  EXPECT_TRUE(CheckOptions(learned.options).ok());
  ASSERT_GE(learned.reasons.size(), 4U);
  EXPECT_LE(learned.reasons.size(), 5U);
  EXPECT_THAT(learned.reasons[0], HasSubstr("learned from 600 records"));
  EXPECT_EQ(learned.reasons[1],
            "fields compared: text; must agree: domain; may differ: job, run; left out: attempt "
            "(counter), crawled (time), url (address), uuid (identifier)");
}

/// Cards of one text, whose attributes say what they show. `forms`: how many tags say the same.
std::vector<std::string> Cards(size_t cards, size_t forms) {
  std::vector<std::string> payloads;
  for (size_t i = 0; i < cards; ++i) {
    const std::string name = LetterWord(1'000'000 + i / forms);
    const std::string said = forms == 1 ? "one text for all cards" : name + " and its own text";
    payloads.push_back(R"({"card":"<div data-item=')" + name + std::to_string(i) + R"('><b>)" +
                       said +
                       " with the same words of the shop on each of them, and some more"
                       R"(</b></div>"})");
  }
  return payloads;
}

TEST(LearnOptions, ComparesTagsWhereNothingElseTellsTextsApart) {
  const LearnedOptions learned = LearnedFrom(Cards(300, 1));
  EXPECT_FALSE(learned.options.feature.markup);
  EXPECT_THAT(learned.reasons, Contains(HasSubstr("tags of HTML are compared")));
  const Result<LearnedOptions> read = ParseLearned(LearnedText(learned), {}, "changelog");
  ASSERT_TRUE(read.ok()) << read.error().text;
  EXPECT_FALSE(read->options.feature.markup);
  EXPECT_TRUE(LearnedFrom(Cards(300, 1), {}, {"feature.markup"}).options.feature.markup);
  EXPECT_TRUE(LearnedFrom(Cards(300, 2)).options.feature.markup) << "copies under other tags";
}

TEST(LearnOptions, KeepsWhatAPersonGave) {
  FilterOptions given;
  given.match.distance_max = 5;
  given.record.fields = {{"job", 2.0}, {"text", 1.0}};
  const LearnedOptions learned =
      LearnedFrom(ScrapedArticles(600), given, {"match.distance_max", "record.fields"});
  EXPECT_EQ(learned.options.match.distance_max, 5);
  EXPECT_EQ(learned.options.record.fields, given.record.fields);
  EXPECT_TRUE(learned.options.match.widen) << "what is not given is learned";
}

TEST(LearnOptions, LearnsNoKeysForNamedFields) {
  const std::vector<std::string> payloads = EditStream(11, 1000, 60);
  FilterOptions given = OptionsOf({"user", "comment", "page"});
  given.record.fields[0].weight = 2;
  FilterOptions keyed = OptionsOf({"user", "comment", "page"});
  keyed.record.fields[0].key = true;
  FilterOptions free = OptionsOf({"user", "comment", "page"});
  free.record.fields[2].free = true;
  for (const FilterOptions& options : {given, keyed, free}) {
    const LearnedOptions learned = LearnedFrom(payloads, options, {"record.fields"});
    EXPECT_EQ(learned.options.record, options.record);
    EXPECT_TRUE(CheckOptions(learned.options).ok());
  }
}

/// Events of one kind that differ by a number.
std::vector<std::string> SeriesOfEvents(size_t records) {
  std::vector<std::string> payloads;
  for (size_t i = 0; i < records; ++i) {
    payloads.push_back(R"({"text":"the backup of the large database on host )" +
                       std::to_string(i % 10) +
                       " has written another block of the archive, number " +
                       std::to_string(1000 + i) + R"(, to the remote store"})");
  }
  return payloads;
}

/// Measurements: records without a text.
std::vector<std::string> Readings(size_t records) {
  SeededRandom random(12);
  std::vector<std::string> payloads;
  for (size_t i = 0; i < records; ++i) {
    payloads.push_back(R"({"probe":"p)" + std::to_string(random.Below(9)) + R"(","taken_at":)" +
                       std::to_string(1'770'000'000 + 60 * i) + R"(,"degrees":)" +
                       std::to_string(random.Below(30)) + R"(,"bar":)" +
                       std::to_string(random.Below(5)) + "}");
  }
  return payloads;
}

TEST(LearnOptions, NeverSaysThatOnlyEqualRecordsAreJoinedWhenADistanceIsGiven) {
  FilterOptions given;
  given.match.distance_max = 3;
  const auto said = [&](const std::vector<std::string>& payloads, const FilterOptions& options,
                        const std::set<std::string>& kept) {
    const LearnedOptions learned = LearnedFrom(payloads, options, kept);
    std::string text = learned.mode;
    for (const std::string& reason : learned.reasons) text += "\n" + reason;
    return text;
  };
  const std::vector<std::string> few = Readings(60);
  const std::vector<std::string> many = Readings(600);
  const std::vector<std::string> broken(kRecordsMin, "{broken");
  const std::vector<std::string> series = SeriesStream(3, 600);
  const std::vector<std::string> numbered = SeriesOfEvents(600);
  for (const std::vector<std::string>* payloads : {&few, &many, &broken, &series}) {
    EXPECT_THAT(said(*payloads, {}, {}), ::testing::StartsWith("exact\n"));
  }
  EXPECT_THAT(said(broken, {}, {}), HasSubstr("only"));
  EXPECT_THAT(said(series, {}, {}), HasSubstr("only"));
  for (const std::vector<std::string>* payloads : {&few, &many, &broken, &series, &numbered}) {
    const std::string text = said(*payloads, given, {"match.distance_max"});
    EXPECT_THAT(text, ::testing::StartsWith("near\n"));
    EXPECT_THAT(text, HasSubstr("match.distance_max is given as 3, so near records are "
                                "duplicates as well"));
    EXPECT_EQ(text.find("only"), std::string::npos) << text;
  }
  given.match.distance_max = 0;
  EXPECT_THAT(said(series, given, {"match.distance_max"}),
              HasSubstr("match.distance_max is given as 0, so only equal records are duplicates"));
}

TEST(LearnOptions, JoinsNearRecordsIfASimilarityIsGiven) {
  const std::vector<std::string> payloads = SeriesOfEvents(600);
  EXPECT_EQ(LearnedFrom(payloads).options.match.distance_max, 0);
  FilterOptions given;
  given.match.similarity = 0.8;
  const LearnedOptions learned = LearnedFrom(payloads, given, {"match.similarity"});
  EXPECT_EQ(learned.options.match.similarity, 0.8);
  EXPECT_EQ(learned.options.match.distance_max, 12);
  EXPECT_THAT(learned.reasons, Contains(HasSubstr("match.similarity is given")));
}

TEST(LearnOptions, NamesNoChoiceOfASettingThatIsGiven) {
  const std::vector<std::string> payloads = SeriesOfEvents(600);
  FilterOptions given;
  given.feature.masks = MasksNamed(std::vector<std::string>{"ip"});
  const LearnedOptions learned =
      LearnedFrom(payloads, given, {"feature.masks", "feature.features_min", "window.entries_max"});
  for (const std::string& reason : learned.reasons) {
    EXPECT_EQ(reason.find("also chosen"), std::string::npos) << reason;
  }
}

TEST(LearnOptions, OfFewRecordsComparesTextsByTheUsualSimilarity) {
  for (const size_t records : {size_t{3}, size_t{12}, size_t{60}}) {
    const LearnedOptions learned = LearnedFrom(ScrapedArticles(records));
    EXPECT_EQ(learned.mode, "near");
    EXPECT_EQ(learned.options.match.similarity, FilterOptions().match.similarity);
    EXPECT_EQ(learned.options.match.features_per_bit, FilterOptions().match.features_per_bit);
    EXPECT_STREQ(UseOf(learned.options.record, "text"), "compared");
    EXPECT_STREQ(UseOf(learned.options.record, "domain"), "must agree");
    EXPECT_THAT(learned.options.record.exclude, IsSupersetOf({"crawled", "url"}));
    EXPECT_EQ(learned.reasons[0], std::to_string(records) +
                                      " records are too few to learn from; expected at least 200");
    EXPECT_THAT(learned.reasons, Contains(HasSubstr("mode near, similarity 0.6")));
    EXPECT_TRUE(CheckOptions(learned.options).ok());
    EXPECT_TRUE(learned.provisional);
  }
}

TEST(LearnOptions, IsProvisionalBelowTheNumberOfRecordsThatIsAskedFor) {
  EXPECT_TRUE(LearnedFrom(ScrapedArticles(kRecordsMin - 1)).provisional);
  EXPECT_FALSE(LearnedFrom(ScrapedArticles(kRecordsMin)).provisional);
  EXPECT_TRUE(LearnedFrom(Readings(kRecordsMin - 1)).provisional);
  EXPECT_FALSE(LearnedFrom(Readings(kRecordsMin)).provisional);
}

TEST(LearnOptions, OfFewRecordsWithoutATextJoinsOnlyEqualOnesAndSaysSo) {
  const LearnedOptions learned = LearnedFrom(Readings(60));
  EXPECT_EQ(learned.mode, "exact");
  EXPECT_EQ(learned.options.match.distance_max, 0);
  EXPECT_TRUE(learned.options.record.fields.empty()) << "all fields";
  EXPECT_TRUE(learned.options.record.exclude.empty())
      << "equal readings at another time are no copies";
  EXPECT_THAT(learned.reasons[0],
              HasSubstr("60 records are too few to learn from; expected at least 200"));
  EXPECT_TRUE(CheckOptions(learned.options).ok());
  EXPECT_TRUE(learned.provisional);
}

/// Records of two fields: a word of its own, and a text.
std::vector<std::string> Numbered(const std::vector<std::string>& texts,
                                  const std::string& name = "id") {
  std::vector<std::string> payloads;
  for (size_t i = 0; i < texts.size(); ++i) {
    payloads.push_back("{\"" + name + R"(":"a)" + std::to_string(i) + R"(","text":")" + texts[i] +
                       R"("})");
  }
  return payloads;
}

std::vector<std::string> Sentences(size_t records) {
  SeededRandom random(11);
  std::vector<std::string> texts(records);
  for (std::string& text : texts) {
    for (const std::string& word : RandomWords(random, 12)) text += word + " ";
  }
  return texts;
}

TEST(LearnOptions, OfFewRecordsLeavesOutIdentifiersBesideATextThatTellsRecordsApart) {
  const LearnedOptions learned = LearnedFrom(Numbered(Sentences(12)));
  EXPECT_THAT(learned.options.record.exclude, ElementsAre("id"));
  EXPECT_EQ(learned.reasons[2], "fields compared: text; left out: id (identifier)");
}

TEST(LearnOptions, OfFewRecordsKeepsAWordThatMayBeTheOnlyDifference) {
  const std::vector<std::string> same(12, "the door of the north gate was opened by a guest");
  for (const std::vector<std::string>& payloads :
       {Numbered(same, "door"), Numbered(Sentences(9), "door"),
        Numbered(std::vector<std::string>(12, "open"))}) {
    const LearnedOptions learned = LearnedFrom(payloads);
    EXPECT_TRUE(learned.options.record.exclude.empty()) << payloads[0];
    const std::string word = payloads[0].substr(2, payloads[0].find('"', 2) - 2);
    EXPECT_STRNE(UseOf(learned.options.record, word), "may differ") << learned.reasons[2];
    EXPECT_STRNE(UseOf(learned.options.record, word), "left out") << learned.reasons[2];
    Fingerprinter fingerprinter(learned.options);
    const auto filter = Filter::New(learned.options);
    ASSERT_TRUE(filter.ok());
    for (const RecordView& record : ViewsOf(payloads)) {
      EXPECT_EQ((*filter)->Decide(fingerprinter.Compute(record)).decision, Decision::kUnique)
          << *record.value;
    }
  }
}

TEST(LearnOptions, LeavesOutCommonPhrasesThatWouldNotFitIntoADelta) {
  SeededRandom random(9);
  std::string boilerplate;
  for (int i = 0; i < 20'000; ++i) boilerplate += "b" + std::to_string(i) + " ";
  std::vector<std::string> payloads;
  for (size_t i = 0; i < kRecordsMin; ++i) {
    std::string text = boilerplate;
    for (const std::string& word : RandomWords(random, 60)) text += word + " ";
    payloads.push_back(R"({"text":")" + text + R"("})");
  }
  const LearnedOptions learned = LearnedFrom(payloads);
  EXPECT_TRUE(learned.options.model.common.empty());
  EXPECT_LE(LearnedText(learned).size(), kLearnedBytesMax);
}

TEST(LearnOptions, OfNothingTakesTheSafeMode) {
  EXPECT_EQ(LearnedFrom({}).options.match.distance_max, 0);
  const std::vector<std::string> broken(kRecordsMin, "{broken");
  const LearnedOptions learned = LearnedFrom(broken);
  EXPECT_EQ(learned.mode, "exact");
  EXPECT_FALSE(learned.provisional) << "more records would show no more";
  EXPECT_THAT(learned.reasons[0], HasSubstr("holds no JSON object"));
}

TEST(LearnOptions, OfCodesAloneStillComparesThem) {
  std::vector<std::string> payloads;
  for (int i = 0; i < 50; ++i) {
    payloads.push_back(R"({"host":"h)" + std::to_string(i % 5) + R"(.example.org"})");
  }
  const LearnedOptions learned = LearnedFrom(payloads);
  EXPECT_TRUE(learned.options.record.exclude.empty());
}

TEST(LearnedText, IsReadBackAsItWas) {
  FilterOptions given;
  given.window.window_ms = 5000;
  for (const LearnedOptions& learned :
       {LearnedFrom(ScrapedArticles(600), given), LearnedFrom({}, given),
        LearnedFrom(SeriesStream(3, 400), given)}) {
    const Result<LearnedOptions> read = ParseLearned(LearnedText(learned), given, "here");
    ASSERT_TRUE(read.ok()) << read.error().text;
    EXPECT_EQ(*read, learned);
    EXPECT_EQ(FingerprintSpec(read->options), FingerprintSpec(learned.options));
  }
}

TEST(LearnedText, HoldsEverySettingThatCanBeLearned) {
  const Json json = Json::parse(LearnedText(LearnedFrom({})));
  for (const std::string& path : LearnablePaths()) EXPECT_TRUE(json.contains(path)) << path;
}

TEST(LearnedText, HoldsTheProfileOfTheSample) {
  const std::vector<std::string> payloads = ScrapedArticles(600);
  const LearnedOptions learned = LearnedFrom(payloads);
  EXPECT_EQ(learned.profile, ProfileOf(ViewsOf(payloads), learned.options));
  EXPECT_FALSE(LearnedFrom(ScrapedArticles(kRecordsMin - 1)).profile) << "too few records";
}

TEST(ParseLearned, TakesATextFromBeforeThereWereProfiles) {
  const LearnedOptions learned = LearnedFrom(ScrapedArticles(600));
  Json before = Json::parse(LearnedText(learned));
  before.erase("profile");
  const Result<LearnedOptions> read = ParseLearned(before.dump(), {}, "here");
  ASSERT_TRUE(read.ok()) << read.error().text;
  EXPECT_FALSE(read->profile);
  EXPECT_EQ(read->options, learned.options);
  before["profile"] = {{"version", 2}};
  EXPECT_FALSE(ParseLearned(before.dump(), {}, "here")->profile) << "of a later version";
}

TEST(ParseLearned, RefusesWhatIsNoLearnedText) {
  const std::string good = LearnedText(LearnedFrom(ScrapedArticles(600)));
  std::vector<std::string> damaged = {
      "", "{}", "[]", "null", R"({"neardup_learned":2})", std::string(5000, '[')};
  for (const std::string& path : LearnablePaths()) {
    Json without = Json::parse(good);
    without.erase(path);
    damaged.push_back(without.dump());
    Json other = Json::parse(good);
    other[path] = {{"x", 1}};
    damaged.push_back(other.dump());
  }
  for (const char* whole :
       {"neardup_learned", "records", "match.distance_max", "window.entries_max"}) {
    Json other = Json::parse(good);
    other[whole] = 1e300;
    damaged.push_back(other.dump());
  }
  Json far = Json::parse(good);
  far["match.distance_max"] = 99;
  damaged.push_back(far.dump());
  damaged.push_back(good.substr(0, good.size() / 2));
  for (const std::string& text : damaged) {
    const Result<LearnedOptions> read = ParseLearned(text, {}, "changelog x");
    EXPECT_FALSE(read.ok()) << text.substr(0, 200);
  }
  EXPECT_THAT(ParseLearned("{}", {}, "changelog x").error().text, HasSubstr("changelog x"));
}

TEST(TakeLearned, LeavesWhatIsKept) {
  FilterOptions learned;
  learned.match.distance_max = 3;
  learned.feature.features_min = 4;
  learned.record.missing_fields = MissingFields::kAny;
  FilterOptions options;
  TakeLearned(learned, {"match.distance_max"}, options);
  EXPECT_EQ(options.match.distance_max, FilterOptions().match.distance_max);
  EXPECT_EQ(options.feature.features_min, 4U);
  EXPECT_EQ(options.record.missing_fields, MissingFields::kAll) << "that is never learned";
}

TEST(TakeLearned, LeavesOutWhatAPersonExcludesBesideWhatIsLearned) {
  FilterOptions learned;
  learned.record.fields = {{"comment"}, {"", 1.0, true}};
  learned.record.exclude = {"seen", "price"};
  FilterOptions given;
  given.record.exclude = {"price", "shop"};
  FilterOptions options = given;
  TakeLearned(learned, {"record.exclude"}, options);
  EXPECT_EQ(options.record.fields, learned.record.fields);
  EXPECT_THAT(options.record.exclude, ElementsAre("price", "shop", "seen"));
  options = given;
  options.record.fields = {{"comment", 3.0}, {"page"}};
  TakeLearned(learned, {"record.exclude", "record.fields"}, options);
  EXPECT_THAT(options.record.fields,
              ElementsAre(FieldSelector{"comment", 3.0}, FieldSelector{"page"}))
      << "with their weights, and without keys";
  EXPECT_EQ(options.record.exclude, given.record.exclude);
}

}  // namespace
}  // namespace neardup
