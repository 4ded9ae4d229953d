#include "learn/tuning.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "learn/synthetic_streams.h"
#include "neardup/filter.h"

namespace neardup {
namespace {

using ::testing::HasSubstr;

constexpr uint64_t kSeed = 5;

/// The stream with an identifier and a time in each record.
std::vector<std::string> WithMetadata(std::vector<std::string> payloads) {
  for (size_t i = 0; i < payloads.size(); ++i) {
    payloads[i].insert(1, R"("id":)" + std::to_string(i) + R"(,"at":"10:00:)" +
                              std::to_string(10 + i % 50) + R"(",)");
  }
  return payloads;
}

TEST(Tune, ProposesTheTextAndLeavesOutIdentifiersAndTimes) {
  const std::vector<std::string> payloads = WithMetadata(TextStream(kSeed, 400, 80, 3));
  const Result<Tuning> tuning = Tune(ViewsOf(payloads), {});
  ASSERT_TRUE(tuning.ok()) << tuning.error().text;
  EXPECT_FALSE(tuning->fields_given);
  ASSERT_EQ(tuning->proposed.record.fields.size(), 1U);
  EXPECT_EQ(tuning->proposed.record.fields[0], (FieldSelector{"text", 1.0}));
  EXPECT_EQ(tuning->fields.size(), 3U) << "fields that are left out are listed, too";
  EXPECT_EQ(tuning->calibration.mode, MatchMode::kNear);
  EXPECT_EQ(tuning->records, 400U);
  EXPECT_EQ(tuning->distinct + tuning->repeats, 400U);
  EXPECT_TRUE(CheckOptions(tuning->proposed).ok());
}

TEST(Tune, KeepsGivenFieldsAndJudgesThem) {
  TuneOptions options;
  options.filter.record.fields = {{"id", 2.0}, {"text", 1.0}};
  const Result<Tuning> tuning = Tune(ViewsOf(WithMetadata(TextStream(kSeed, 200, 80, 3))), options);
  ASSERT_TRUE(tuning.ok()) << tuning.error().text;
  EXPECT_TRUE(tuning->fields_given);
  EXPECT_EQ(tuning->proposed.record.fields, options.filter.record.fields);
  EXPECT_EQ(tuning->fields[0].role, FieldRole::kIdentifier);
}

TEST(Tune, DoesNotProposeExcludedFields) {
  TuneOptions options;
  options.filter.record.exclude = {"noise"};
  std::vector<std::string> payloads = TextStream(kSeed, 200, 80, 3);
  for (size_t i = 0; i < payloads.size(); ++i) {
    payloads[i].insert(1, R"("noise":{"a":"word )" + std::to_string(i % 50) + R"("},)");
  }
  const Result<Tuning> tuning = Tune(ViewsOf(payloads), options);
  ASSERT_TRUE(tuning.ok()) << tuning.error().text;
  ASSERT_EQ(tuning->proposed.record.fields.size(), 1U);
  EXPECT_EQ(tuning->proposed.record.fields[0].path, "text");
}

// Events of thirty kinds, each with fields of its own below `payload`.
TEST(Tune, LeavesOutAFieldOfManyKindsBesideProse) {
  SeededRandom random(20261125);
  std::vector<std::string> payloads;
  for (int i = 0; i < 600; ++i) {
    const std::string kind = std::to_string(random.Below(30));
    payloads.push_back(R"({"description":")" + Phrase(random, 30) + R"(","update":{"url)" + kind +
                       R"(":")" + Phrase(random, 9) + R"(","hash)" + kind + R"(":"x"}})");
  }
  const Result<Tuning> tuned = Tune(ViewsOf(payloads), {});
  ASSERT_TRUE(tuned.ok()) << tuned.error().text;
  ASSERT_EQ(tuned->proposed.record.fields.size(), 1U);
  EXPECT_EQ(tuned->proposed.record.fields[0].path, "description");
}

TEST(Tune, ProposesAFieldOfManyKindsAsAWhole) {
  SeededRandom random(kSeed);
  std::vector<std::string> payloads;
  for (int i = 0; i < 300; ++i) {
    std::string text = TextRecord(RandomWords(random, 30));
    const std::string kind = std::to_string(i % 30);
    payloads.push_back(R"({"kind":"kind )" + kind + R"(","payload":{"id":)" + std::to_string(i) +
                       R"(,"about)" + kind + R"(":)" + text + "}}");
  }
  payloads.push_back(R"({"kind":"other","payload":{"seldom":"only here"}})");
  const Result<Tuning> tuning = Tune(ViewsOf(payloads), {});
  ASSERT_TRUE(tuning.ok()) << tuning.error().text;
  const RecordOptions& record = tuning->proposed.record;
  EXPECT_EQ(record.fields, (std::vector<FieldSelector>{{"kind", 1.0}, {"payload", 1.0}}));
  EXPECT_EQ(record.exclude, std::vector<std::string>{"/payload/id"});
  EXPECT_TRUE(IsSelected(record, "/payload/seldom"));
  EXPECT_FALSE(IsSelected(record, "/payload/id"));
  EXPECT_TRUE(CheckOptions(tuning->proposed).ok());
}

TEST(Tune, ProposesOptionsThatFindThePlantedCopies) {
  const std::vector<std::string> payloads = TextStream(kSeed, 700, 80, 3);
  const Result<Tuning> tuning = Tune(ViewsOf(payloads), {.filter = TextOptions()});
  ASSERT_TRUE(tuning.ok()) << tuning.error().text;
  const auto filter = Filter::New(tuning->proposed);
  ASSERT_TRUE(filter.ok()) << filter.error().text;
  Fingerprinter fingerprinter(tuning->proposed);
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
  const Result<Tuning> tuning = Tune(ViewsOf(SeriesStream(kSeed, 300)), {});
  ASSERT_TRUE(tuning.ok()) << tuning.error().text;
  EXPECT_EQ(tuning->proposed.match.distance_max, 0);
}

TEST(Tune, HasMatchOptionsForEachMode) {
  Calibration calibration;
  calibration.mode = MatchMode::kNear;
  calibration.distance_max = 9;
  calibration.widen = true;
  MatchOptions near;
  near.distance_max = 9;
  near.distance_sum_max = 28;
  near.features_per_bit = 0;
  near.widen = true;
  EXPECT_EQ(MatchOptionsFor(calibration), near);
  calibration.mode = MatchMode::kUnclear;
  MatchOptions unclear;
  unclear.distance_max = 3;
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
    const Result<Tuning> tuning = Tune(ViewsOf(payloads), {});
    ASSERT_TRUE(tuning.ok()) << tuning.error().text;
    EXPECT_EQ(tuning->proposed.record.fields, (std::vector<FieldSelector>{{"message", 1.0}}));
    EXPECT_EQ(tuning->calibration.mode, MatchMode::kNear);
    EXPECT_LT(tuning->proposed.feature.features_min, 12U) << "short messages are compared, too";
    if (order == 0) distance_max = tuning->proposed.match.distance_max;
    EXPECT_NEAR(tuning->proposed.match.distance_max, distance_max, 1);
    EXPECT_GT(tuning->claim.recall(), 0.9);
    EXPECT_LT(tuning->claim.unlike_share(), 0.02);
    random.Shuffle(payloads);
  }
}

TEST(Tune, LearnsTheRestForGivenFieldsOfProse) {
  const Result<Tuning> tuning = Tune(ViewsOf(CommitStream()), {.filter = OptionsOf({"message"})});
  ASSERT_TRUE(tuning.ok()) << tuning.error().text;
  EXPECT_TRUE(tuning->fields_given);
  EXPECT_EQ(tuning->calibration.mode, MatchMode::kNear);
  EXPECT_GT(tuning->claim.recall(), 0.9);
}

TEST(Tune, SaysWhenNothingCanBeProposed) {
  const Result<Tuning> no_text = Tune(ViewsOf({R"({"id":1})", R"({"id":2})"}), {});
  ASSERT_FALSE(no_text.ok());
  EXPECT_EQ(no_text.error().code, ErrorCode::kConfig);
  EXPECT_THAT(no_text.error().text, HasSubstr("name the fields to compare with --fields"));
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
