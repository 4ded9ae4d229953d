#include "commands/evaluate/scheme_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "commands/evaluate/schemes.h"
#include "neardup/options.h"

namespace neardup {
namespace {

using testing::HasSubstr;

/// Five labelled records: two unrelated ones, an exact copy of each, and one that is labelled a
/// copy but that no scheme can find. The sixth payload is a dead letter without a label.
LabelledSet SmallSet() {
  const std::string bridge =
      "The council of the harbour town approved the budget of the new bridge on Monday after a "
      "long debate about noise, cost and the old ferry";
  const std::string falcon =
      "A pair of falcons has raised four chicks on the chimney of a closed paper mill, which "
      "delights the neighbours and delays its demolition";
  const auto payload = [](const char* id, const std::string& text) {
    return std::string(R"({"id":")") + id + R"(","text":")" + text + R"("})";
  };
  std::vector<std::string> payloads = {payload("a", bridge),         payload("b", falcon),
                                       payload("c", bridge),         payload("d", falcon),
                                       payload("e", "Nobody knows"), "{"};
  std::vector<Label> labels = {{"a", "A", "original", ""},
                               {"b", "B", "original", ""},
                               {"c", "A", "exact", "a"},
                               {"d", "B", "exact", "b"},
                               {"e", "B", "rewritten", "b"}};
  return JoinLabels("small", std::move(payloads), std::move(labels), "id").value();
}

FilterOptions SmallSetOptions() {
  FilterOptions options;
  options.record.fields = {{"text", 1.0}};
  return options;
}

std::string ErrorOf(const std::string& text) {
  const auto choices = ParseSchemes({text});
  return choices.ok() ? "" : choices.error().text;
}

/// Finds two of three true duplicates, with no false call: precision 1, recall 2/3, F1 0.8.
const Tally kTwoOfThree = {5, 3, 2, 2, 2};

TEST(ParseSchemes, TakesTheFilterIfNoneIsNamed) {
  const auto choices = ParseSchemes({});
  ASSERT_TRUE(choices.ok());
  ASSERT_EQ(choices->size(), 1);
  EXPECT_TRUE((*choices)[0].is_filter());
}

TEST(ParseSchemes, ReadsAllAsTheFilterAndEveryOtherScheme) {
  const auto choices = ParseSchemes({"all"});
  ASSERT_TRUE(choices.ok());
  EXPECT_EQ(choices->size(), SchemeNames().size() + 1);
  EXPECT_TRUE((*choices)[0].is_filter());
}

TEST(ParseSchemes, ReadsParametersAfterColons) {
  const auto choices = ParseSchemes({"minhash:similarity_min=0.8:shingle_length=4"});
  ASSERT_TRUE(choices.ok()) << choices.error().text;
  EXPECT_EQ((*choices)[0].name, "minhash");
  EXPECT_EQ((*choices)[0].text, "minhash:similarity_min=0.8:shingle_length=4");
  EXPECT_EQ((*choices)[0].values.at("similarity_min"), 0.8);
  EXPECT_EQ((*choices)[0].values.at("shingle_length"), 4);
}

TEST(ParseSchemes, NamesWhatItCannotRead) {
  EXPECT_THAT(ErrorOf("minihash"), HasSubstr("--scheme minihash: unknown; expected neardup, "));
  EXPECT_THAT(ErrorOf("minhash:fast"), HasSubstr("found \"fast\" after a colon"));
  EXPECT_THAT(ErrorOf("minhash:similarity_min=high"), HasSubstr("expected parameter=number"));
  EXPECT_THAT(ErrorOf("neardup:distance_max=3"), HasSubstr("--set"));
}

TEST(RunFilter, FindsTheEqualCopiesAndCountsEverything) {
  const auto run = RunFilter(SmallSet(), SmallSetOptions());
  ASSERT_TRUE(run.ok()) << run.error().text;
  EXPECT_EQ(run->accuracy.all, kTwoOfThree);
  EXPECT_DOUBLE_EQ(*run->accuracy.all.f1(), 0.8);
  EXPECT_EQ(run->accuracy.kinds.at("rewritten").recall(), 0.0);
  EXPECT_EQ(run->records, 6);
  EXPECT_EQ(run->dead_letters, 1);
  EXPECT_EQ(run->entries, 3);
  EXPECT_GT(run->seconds, 0);
}

TEST(RunFilter, RefusesOptionsOutOfRange) {
  FilterOptions options = SmallSetOptions();
  options.match.distance_max = -1;
  EXPECT_FALSE(RunFilter(SmallSet(), options).ok());
  EXPECT_FALSE(RunDistances(SmallSet(), options).ok());
}

TEST(RunDistances, StartsAtZeroAndAgreesWithRunFilter) {
  FilterOptions options = SmallSetOptions();
  const auto curve = RunDistances(SmallSet(), options);
  ASSERT_TRUE(curve.ok()) << curve.error().text;
  ASSERT_GT(curve->size(), 7);
  for (size_t i = 0; i < curve->size(); ++i) {
    EXPECT_EQ((*curve)[i].distance_max, static_cast<int>(i));
    options.match.distance_max = static_cast<int>(i);
    EXPECT_EQ((*curve)[i].tally, RunFilter(SmallSet(), options)->accuracy.all) << i;
  }
}

TEST(RunDistances, GivesTheSameCurveFromExactMode) {
  FilterOptions exact = SmallSetOptions();
  exact.match.distance_max = 0;
  const std::string text =
      "The council of the harbour town approved the budget of the new bridge on Monday after a "
      "long debate about noise, cost and the old ferry";
  const LabelledSet set =
      JoinLabels("near",
                 {R"({"id":"a","text":")" + text + R"("})",
                  R"({"id":"b","text":")" + text + R"( again"})"},
                 {{"a", "A", "original", ""}, {"b", "A", "inserted", "a"}}, "id")
          .value();
  const auto curve = RunDistances(set, SmallSetOptions());
  const auto from_exact = RunDistances(set, exact);
  ASSERT_TRUE(curve.ok() && from_exact.ok());
  ASSERT_EQ(from_exact->size(), curve->size());
  for (size_t i = 0; i < curve->size(); ++i) {
    EXPECT_EQ((*from_exact)[i].tally, (*curve)[i].tally) << i;
  }
  EXPECT_NE(curve->back().tally, curve->front().tally);
}

TEST(RunSketches, FindsTheEqualCopiesAndStoresOnlyUniqueRecordsWithEveryScheme) {
  for (const std::string_view name : SchemeNames()) {
    const std::string text(name);
    const auto run = RunSketches(SmallSet(), SmallSetOptions(), {text, text, {}});
    ASSERT_TRUE(run.ok()) << run.error().text;
    EXPECT_EQ(run->dead_letters, 1) << name;
    EXPECT_EQ(run->accuracy.missing, 0) << name;
    // I-Match uses only tokens of several records, and this set has hardly any.
    if (name == "i-match") continue;
    EXPECT_EQ(run->accuracy.all, kTwoOfThree) << name;
    EXPECT_EQ(run->entries, 3) << name;
    EXPECT_GT(run->bytes, 0) << name;
  }
}

TEST(RunSketches, PassesParametersToTheScheme) {
  const auto wrong = RunSketches(SmallSet(), SmallSetOptions(), {"", "minhash", {{"noise", 1.0}}});
  ASSERT_FALSE(wrong.ok());
  EXPECT_THAT(wrong.error().text, HasSubstr("noise"));
}

}  // namespace
}  // namespace neardup
