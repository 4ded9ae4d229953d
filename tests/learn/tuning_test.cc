#include "learn/tuning.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "detect/feature/mask.h"
#include "learn/synthetic_streams.h"
#include "neardup/filter.h"

namespace neardup {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr uint64_t kSeed = 5;

/// All fields that no other selector takes must agree.
const FieldSelector kOtherFields = {"", 1.0, true};

FieldSelector Free(const std::string& path) { return {path, 1.0, false, true}; }

/// Rows of eight values without a text. A fifth of them repeat an earlier row, with one of the
/// values mistyped.
std::vector<std::string> EditedRows(size_t records) {
  SeededRandom random(kSeed);
  std::vector<Fields> rows;
  std::vector<std::string> payloads;
  while (payloads.size() < records) {
    Fields row;
    if (rows.size() > 20 && random.Chance(200)) {
      row = random.Pick(rows);
      row[random.Below(row.size())].second += LetterWord(random.Below(1000));
    } else {
      for (const char* name :
           {"given", "family", "street", "town", "code", "trade", "birthplace", "member"}) {
        row.emplace_back(
            name, LetterWord(random.Below(1'000'000)) + " " + LetterWord(random.Below(1'000'000)));
      }
      rows.push_back(row);
    }
    payloads.push_back(RecordOf(row));
  }
  return payloads;
}

/// The stream with an identifier and a time in each record.
std::vector<std::string> WithMetadata(std::vector<std::string> payloads) {
  for (size_t i = 0; i < payloads.size(); ++i) {
    payloads[i].insert(1, R"("id":)" + std::to_string(i) + R"(,"at":"10:00:)" +
                              std::to_string(10 + i % 50) + R"(",)");
  }
  return payloads;
}

Tuning Tuned(const std::vector<std::string>& payloads, const TuneOptions& options = {}) {
  const Result<Tuning> tuning = Tune(ViewsOf(payloads), options);
  EXPECT_TRUE(tuning.ok()) << tuning.error().text;
  return tuning.ok() ? *tuning : Tuning();
}

TEST(Tune, ProposesTheTextAndLeavesOutIdentifiersAndTimes) {
  const std::vector<std::string> payloads = WithMetadata(TextStream(kSeed, 400, 80, 3));
  const Tuning tuning = Tuned(payloads);
  EXPECT_FALSE(tuning.fields_given);
  EXPECT_TRUE(tuning.has_text);
  EXPECT_THAT(tuning.proposed.record.fields, ElementsAre(FieldSelector{"text"}, kOtherFields));
  EXPECT_THAT(tuning.proposed.record.exclude, ElementsAre("at", "id"));
  EXPECT_FALSE(tuning.proposed.feature.masks.any()) << "masks are not guessed";
  EXPECT_EQ(tuning.fields.size(), 3U) << "fields that are left out are listed, too";
  EXPECT_EQ(tuning.calibration.mode, MatchMode::kNear);
  EXPECT_EQ(tuning.records, 400U);
  EXPECT_EQ(tuning.distinct + tuning.repeats, 400U);
  EXPECT_TRUE(CheckOptions(tuning.proposed).ok());
}

TEST(Tune, LooksAtFewerRecordsWhereTheyHaveManyFields) {
  SeededRandom random(kSeed);
  std::vector<std::string> payloads;
  for (size_t record = 0; record < 500; ++record) {
    Fields fields;
    for (size_t i = 0; i < 1000; ++i) {
      fields.emplace_back("c" + std::to_string(i), LetterWord(random.Below(1'000'000)));
    }
    payloads.push_back(RecordOf(fields));
  }
  const Tuning tuning = Tuned(payloads);
  EXPECT_LE(tuning.records * 1000, 400'000U);
  EXPECT_GE(tuning.records, 300U) << "but at enough of them";
  EXPECT_EQ(tuning.fields.size(), 1000U);
  EXPECT_EQ(tuning.calibration.mode, MatchMode::kExact);
  EXPECT_EQ(Tune(ViewsOf(EditedRows(500)), {})->records, 500U);
}

TEST(Tune, KeepsGivenFieldsAndJudgesThem) {
  TuneOptions options;
  options.filter.record.fields = {{"id", 2.0}, {"text", 1.0}};
  const Tuning tuning = Tuned(WithMetadata(TextStream(kSeed, 200, 80, 3)), options);
  EXPECT_TRUE(tuning.fields_given);
  EXPECT_EQ(tuning.proposed.record.fields, options.filter.record.fields);
  std::map<std::string, FieldRole> roles;
  for (const StudiedField& field : tuning.fields) roles[field.facts.path] = field.role;
  EXPECT_EQ(roles["id"], FieldRole::kIdentifier);
  EXPECT_EQ(roles["at"], FieldRole::kTime);
  EXPECT_THAT(tuning.questions, IsEmpty());
}

TEST(Tune, ProposesNoKeysAndNoMasksForGivenFields) {
  for (const FilterOptions& filter :
       {OptionsOf({"user", "comment", "page"}), OptionsOf({"component", "content"})}) {
    const bool edits = filter.record.fields.size() == 3;
    std::vector<std::string> payloads = EditStream(kSeed, 600, 60);
    SeededRandom random(kSeed);
    if (!edits) {
      for (std::string& payload : payloads) payload = RecordOf(LogLine(random));
    }
    const Tuning tuning = Tuned(payloads, {.filter = filter});
    EXPECT_EQ(tuning.proposed.record, filter.record);
    EXPECT_FALSE(tuning.proposed.feature.masks.any());
    EXPECT_EQ(tuning.masks_reason, "");
  }
}

TEST(Tune, MasksOnlyWhatSaysWhenAndWhereATextWasWritten) {
  SeededRandom random(kSeed);
  std::vector<std::string> plain;
  std::vector<std::string> dated;
  for (int i = 0; i < 400; ++i) {
    const Fields line = LogLine(random);
    plain.push_back(RecordOf(line));
    const std::string second = std::to_string(10 + i % 50);
    dated.push_back(
        RecordOf({line[0], {"content", "2026-05-04 11:22:" + second + " " + line[1].second}}));
  }
  const Result<Tuning> without = Tune(ViewsOf(plain), {});
  const Result<Tuning> with = Tune(ViewsOf(dated), {});
  ASSERT_TRUE(without.ok() && with.ok());
  EXPECT_EQ(without->proposed.feature.masks, Masks());
  EXPECT_EQ(with->proposed.feature.masks, kCircumstanceMasks);
  EXPECT_THAT(with->masks_reason, HasSubstr("when and where"));
  // That numbers do not matter is for a person to say.
  for (const Result<Tuning>* tuning : {&without, &with}) {
    ASSERT_EQ((*tuning)->questions.size(), 1U);
    EXPECT_THAT((*tuning)->questions[0], HasSubstr("--set 'feature.masks=["));
  }
  TuneOptions given;
  given.filter.feature.masks = {.ip = true};
  const Result<Tuning> kept = Tune(ViewsOf(dated), given);
  ASSERT_TRUE(kept.ok());
  EXPECT_EQ(kept->proposed.feature.masks, given.filter.feature.masks);
}

TEST(Tune, DoesNotProposeExcludedFields) {
  TuneOptions options;
  options.filter.record.exclude = {"noise"};
  std::vector<std::string> payloads = TextStream(kSeed, 200, 80, 3);
  for (size_t i = 0; i < payloads.size(); ++i) {
    payloads[i].insert(1, R"("noise":{"a":"word )" + std::to_string(i % 50) + R"("},)");
  }
  const Tuning tuning = Tuned(payloads, options);
  const RecordOptions& record = tuning.proposed.record;
  EXPECT_THAT(record.fields, ElementsAre(FieldSelector{"text"}, kOtherFields));
  EXPECT_THAT(record.exclude, ElementsAre("noise"));
  EXPECT_FALSE(IsSelected(record, "/noise/a"));
}

// Events of thirty kinds, each with fields of its own below `update`.
TEST(Tune, ComparesProseAndWantsAgreementInAFieldOfManyKindsBesideIt) {
  SeededRandom random(20261125);
  std::vector<std::string> payloads;
  for (int i = 0; i < 600; ++i) {
    const std::string kind = std::to_string(random.Below(30));
    payloads.push_back(R"({"description":")" + Phrase(random, 30) + R"(","update":{"url)" + kind +
                       R"(":")" + Phrase(random, 9) + R"(","hash)" + kind + R"(":"x"}})");
  }
  const Result<Tuning> tuned = Tune(ViewsOf(payloads), {});
  ASSERT_TRUE(tuned.ok()) << tuned.error().text;
  const RecordOptions& record = tuned->proposed.record;
  EXPECT_THAT(record.fields, ElementsAre(FieldSelector{"description"}, kOtherFields));
  EXPECT_THAT(record.exclude, IsEmpty());
  for (const char* path : {"/update/url7", "/update/hash7", "/update/url99"}) {
    EXPECT_STREQ(UseOf(record, path), "must agree") << path;
  }
}

TEST(Tune, ComparesTheTextOfEachKindOfRecords) {
  SeededRandom random(kSeed);
  std::vector<std::string> payloads;
  for (int i = 0; i < 300; ++i) {
    std::string text = TextRecord(RandomWords(random, 30));
    const std::string kind = std::to_string(i % 30);
    payloads.push_back(R"({"kind":"kind )" + kind + R"(","payload":{"id":)" + std::to_string(i) +
                       R"(,"about)" + kind + R"(":)" + text + "}}");
  }
  payloads.push_back(R"({"kind":"other","payload":{"seldom":"only here"}})");
  const Tuning tuning = Tuned(payloads);
  const RecordOptions& record = tuning.proposed.record;
  for (int kind = 0; kind < 30; ++kind) {
    const std::string path = "/payload/about" + std::to_string(kind) + "/text";
    EXPECT_STREQ(UseOf(record, path), "compared") << path;
  }
  EXPECT_THAT(record.exclude, ElementsAre("/payload/id"));
  for (const char* path : {"kind", "/payload/seldom", "/payload/about7/new"}) {
    EXPECT_STREQ(UseOf(record, path), "must agree") << path;
  }
  EXPECT_TRUE(CheckOptions(tuning.proposed).ok());
}

TEST(Tune, ProposesOptionsThatFindThePlantedCopies) {
  const std::vector<std::string> payloads = TextStream(kSeed, 700, 80, 3);
  const Tuning tuning = Tuned(payloads, {.filter = TextOptions()});
  const auto filter = Filter::New(tuning.proposed);
  ASSERT_TRUE(filter.ok()) << filter.error().text;
  Fingerprinter fingerprinter(tuning.proposed);
  size_t copies = 0;
  size_t found = 0;
  for (const RecordView& record : ViewsOf(payloads)) {
    const Verdict verdict = (*filter)->Decide(fingerprinter.Compute(record));
    const bool is_copy = record.value->find("edited") != std::string_view::npos;
    copies += is_copy ? 1 : 0;
    found += is_copy && verdict.decision == Decision::kDuplicate ? 1 : 0;
    EXPECT_FALSE(!is_copy && verdict.decision == Decision::kDuplicate) << *record.value;
  }
  EXPECT_GT(copies, 40U);
  EXPECT_GE(found, copies - 1);
}

TEST(Tune, MatchesSeriesExactly) {
  const Tuning tuning = Tuned(SeriesStream(kSeed, 300));
  EXPECT_EQ(tuning.proposed.match.distance_max, 0);
}

TEST(Tune, HasMatchOptionsForEachMode) {
  Calibration calibration;
  calibration.mode = MatchMode::kNear;
  calibration.similarity = 0.7;
  calibration.distance_max = 9;
  calibration.window_distance_max = 5;
  calibration.widen = true;
  MatchOptions near;
  near.similarity = 0.7;
  near.distance_max = 9;
  near.distance_sum_max = 31;
  near.distance_chance_max = 5;
  near.features_per_bit = 0;
  near.widen = true;
  EXPECT_EQ(MatchOptionsFor(calibration), near);
  calibration.mode = MatchMode::kUnclear;
  MatchOptions unclear;
  unclear.similarity = 0.7;
  unclear.distance_max = 3;
  unclear.distance_chance_max = 5;
  unclear.distance_sum_max = 24;
  unclear.features_per_bit = 3;
  EXPECT_EQ(MatchOptionsFor(calibration), unclear);
  calibration.mode = MatchMode::kExact;
  EXPECT_EQ(MatchOptionsFor(calibration).distance_max, 0);
  EXPECT_FALSE(MatchOptionsFor(calibration).widen);
}

TEST(Tune, ChangesOnlyTheModelWithTheHashSeed) {
  const std::vector<std::string> payloads = TextStream(kSeed, 300, 80, 3);
  const Result<Tuning> a = Tune(ViewsOf(payloads), {.filter = TextOptions()});
  const Result<Tuning> b = Tune(ViewsOf(payloads), {.filter = TextOptions(), .hash_seed = 9});
  ASSERT_TRUE(a.ok() && b.ok());
  EXPECT_EQ(a->proposed.match, b->proposed.match);
  EXPECT_EQ(b->proposed.model.hash_seed, 9U);
  EXPECT_NE(a->proposed.model.centre, b->proposed.model.centre);
}

/// Messages by authors of three projects, as a version control system has them: a line in five has
/// fewer than twelve words, and a tenth are copies with one other word, by somebody else.
std::vector<std::string> CommitStream() {
  SeededRandom random(kSeed);
  std::vector<std::string> payloads;
  std::vector<std::string> messages;
  for (size_t i = 0; i < 3600; ++i) {
    std::string message = Phrase(random, random.Chance(200) ? 10 : 30);
    if (messages.size() > 50 && random.Chance(100)) {
      message = random.Pick(messages);
      message.replace(0, message.find(' '), "otherwise");
    }
    messages.push_back(message);
    const std::string author = "author" + LetterWord(i / 300 * 20 + random.Below(20));
    payloads.push_back(RecordOf({{"project", "project" + LetterWord(i / 1200)},
                                 {"author", author + " of the north"},
                                 {"mail", author + "@example.org"},
                                 {"message", message}}));
  }
  return payloads;
}

TEST(Tune, ChoosesTheSameForSortedAndShuffledRecords) {
  std::vector<std::string> payloads = CommitStream();
  SeededRandom random(kSeed);
  int distance_max = -1;
  for (int order = 0; order < 3; ++order) {
    const Tuning tuning = Tuned(payloads);
    const RecordOptions& record = tuning.proposed.record;
    EXPECT_THAT(record.fields, ElementsAre(Free("author"), Free("mail"), FieldSelector{"message"},
                                           Free("project"), kOtherFields))
        << "copies are by somebody else";
    EXPECT_THAT(record.exclude, IsEmpty());
    EXPECT_EQ(tuning.calibration.mode, MatchMode::kNear);
    EXPECT_LT(tuning.proposed.feature.features_min, 12U) << "short messages are compared, too";
    if (order == 0) distance_max = tuning.proposed.match.distance_max;
    EXPECT_NEAR(tuning.proposed.match.distance_max, distance_max, 1);
    EXPECT_GT(tuning.claim.recall(), 0.9);
    EXPECT_LT(tuning.claim.joined.unlike, 0.02 * static_cast<double>(tuning.claim.joined.near));
    random.Shuffle(payloads);
  }
}

TEST(Tune, LearnsTheRestForGivenFieldsOfProse) {
  const Tuning tuning = Tuned(CommitStream(), {.filter = OptionsOf({"message"})});
  EXPECT_TRUE(tuning.fields_given);
  EXPECT_EQ(tuning.calibration.mode, MatchMode::kNear);
  EXPECT_GT(tuning.claim.recall(), 0.9);
}

/// Payments without a text, of which some come again under another UUID.
std::vector<std::string> Payments(size_t records, uint64_t again_per_mille) {
  SeededRandom random(kSeed);
  std::vector<std::string> contents;
  std::vector<std::string> payloads;
  while (payloads.size() < records) {
    const bool again = contents.size() > 20 && random.Chance(again_per_mille);
    if (!again) {
      contents.push_back(R"("account":)" + std::to_string(random.Below(1'000'000)) +
                         R"(,"article":)" + std::to_string(random.Below(1'000'000)) + "}");
    }
    payloads.push_back(R"({"uuid":"0f8fad5b-d9cb-469f-a165-70867728)" +
                       std::to_string(1000 + payloads.size()) + R"(",)" +
                       (again ? random.Pick(contents) : contents.back()));
  }
  return payloads;
}

TEST(Tune, JoinsOnlyEqualRecordsWithoutAText) {
  const Tuning tuning = Tuned(Payments(400, 80));
  EXPECT_FALSE(tuning.has_text);
  EXPECT_THAT(tuning.proposed.record.fields, IsEmpty()) << "all that are not left out";
  EXPECT_THAT(tuning.proposed.record.exclude, ElementsAre("uuid"));
  EXPECT_EQ(tuning.proposed.match.distance_max, 0);
  EXPECT_GT(tuning.repeats, 15U);
  EXPECT_THAT(tuning.calibration.reason, HasSubstr("copies if they are equal"));
}

TEST(Tune, LeavesNothingOutOfRecordsThatAreAllTheyShow) {
  for (const std::vector<std::string>& payloads :
       {Payments(400, 0), std::vector<std::string>{R"({"id":1})", R"({"id":2})"}}) {
    const Tuning tuning = Tuned(payloads);
    EXPECT_THAT(tuning.proposed.record.fields, IsEmpty());
    EXPECT_THAT(tuning.proposed.record.exclude, IsEmpty());
    EXPECT_EQ(tuning.proposed.match.distance_max, 0);
    EXPECT_EQ(tuning.repeats, 0U);
  }
}

TEST(Tune, ComparesRecordsWithoutATextByDistanceIfCopiesDifferNowHereAndNowThere) {
  const std::vector<std::string> payloads = EditedRows(600);
  const Tuning tuning = Tuned(payloads);
  EXPECT_FALSE(tuning.has_text);
  EXPECT_GT(tuning.proposed.match.distance_max, 0) << tuning.calibration.reason;
  EXPECT_FALSE(tuning.proposed.match.numbers) << "a typing error may be in a number";
}

TEST(Tune, SaysWhenNothingCanBeProposed) {
  const Result<Tuning> no_objects = Tune(ViewsOf({"[1]", "7", "{"}), {});
  ASSERT_FALSE(no_objects.ok());
  EXPECT_EQ(no_objects.error().code, ErrorCode::kConfig);
  EXPECT_THAT(no_objects.error().text, HasSubstr("holds no JSON object"));
  const Result<Tuning> broken = Tune(ViewsOf({"{", "["}), {.filter = TextOptions()});
  ASSERT_FALSE(broken.ok());
  EXPECT_THAT(broken.error().text, HasSubstr("none of its 2 records can be compared; the first: "));
}

TEST(IsSelected, AFieldIsSelectedByItselfOrOneAboveIt) {
  RecordOptions options;
  options.fields = {{"a", 1.0}, {"/b/c", 1.0}};
  for (const char* path : {"a", "/a", "/a/x", "/b/c", "/b/c/d"}) {
    EXPECT_TRUE(IsSelected(options, path)) << path;
  }
  options.exclude = {"/a/y"};
  for (const char* path : {"b", "/b/cc", "ab", "/c", "/a/y", "/a/y/z"}) {
    EXPECT_FALSE(IsSelected(options, path)) << path;
  }
}

}  // namespace
}  // namespace neardup
