#include <gtest/gtest.h>

#include "commands/evaluate/labelled_set.h"

namespace neardup {
namespace {

constexpr std::optional<Call> kMissing = std::nullopt;
constexpr std::optional<Call> kUnique = Call{false, std::nullopt};

std::optional<Call> Duplicate(size_t original) { return Call{true, original}; }

/// The true duplicates are r3, r4, r6 and r7.
std::vector<Label> EightLabels() {
  return {{"r1", "A", "original", ""}, {"r2", "B", "original", ""}, {"r3", "A", "exact", ""},
          {"r4", "A", "edited", ""},   {"r5", "C", "original", ""}, {"r6", "B", "exact", ""},
          {"r7", "C", "edited", ""},   {"r8", "D", "original", ""}};
}

/// r3 and r6 are found with the right original, r4 with a wrong one; r5 is a false call; r7 is
/// missed; r8 has no call.
std::vector<std::optional<Call>> EightCalls() {
  return {kUnique,      kUnique,      Duplicate(0), Duplicate(1),
          Duplicate(1), Duplicate(1), kUnique,      kMissing};
}

// Counted by hand: r3, r4, r5 and r6 are called; r3, r4 and r6 of them are true; r3 and r6 right.
TEST(Judge, AgreesWithACountByHand) {
  const Accuracy accuracy = Judge(EightLabels(), EightCalls());
  EXPECT_EQ(accuracy.all, (Tally{8, 4, 4, 3, 2}));
  EXPECT_EQ(accuracy.all.precision(), 0.75);
  EXPECT_EQ(accuracy.all.recall(), 0.75);
  EXPECT_EQ(accuracy.all.f1(), 0.75);
  EXPECT_EQ(accuracy.all.strict_f1(), 0.5);
}

TEST(Judge, CountsEachKindByItself) {
  const Accuracy accuracy = Judge(EightLabels(), EightCalls());
  ASSERT_EQ(accuracy.kinds.size(), 3);
  EXPECT_EQ(accuracy.kinds.at("exact").recall(), 1.0);
  EXPECT_EQ(accuracy.kinds.at("edited").recall(), 0.5);
  EXPECT_EQ(accuracy.kinds.at("original"), (Tally{4, 0, 1, 0, 0}));
  EXPECT_EQ(accuracy.kinds.at("original").recall(), std::nullopt);
}

TEST(Judge, CountsAMissingCallAsUniqueAndReportsIt) {
  std::vector<std::optional<Call>> calls = EightCalls();
  EXPECT_EQ(Judge(EightLabels(), calls).missing, 1);
  calls[5] = kMissing;  // r6, which was found
  const Accuracy accuracy = Judge(EightLabels(), calls);
  EXPECT_EQ(accuracy.missing, 2);
  EXPECT_EQ(accuracy.all, (Tally{8, 4, 3, 2, 1}));
}

TEST(Judge, TakesALaterOrUnknownOriginalAndTheRecordItselfAsWrong) {
  for (const std::optional<Call>& wrong :
       {Duplicate(3), Duplicate(2), std::optional<Call>(Call{true, std::nullopt})}) {
    std::vector<std::optional<Call>> calls = EightCalls();
    calls[2] = wrong;
    const Accuracy accuracy = Judge(EightLabels(), calls);
    EXPECT_EQ(accuracy.all, (Tally{8, 4, 4, 3, 1}));
    EXPECT_EQ(accuracy.all.strict_f1(), 0.25);
  }
}

TEST(Judge, NeverTakesAFalseCallAsRight) {
  // r5 is the first record of its cluster; it names a later record of the same cluster.
  std::vector<std::optional<Call>> calls = EightCalls();
  calls[4] = Duplicate(6);
  EXPECT_EQ(Judge(EightLabels(), calls).all, (Tally{8, 4, 4, 3, 2}));
}

TEST(Judge, AcceptsAnyEarlierRecordOfTheClusterAsOriginal) {
  std::vector<std::optional<Call>> calls = EightCalls();
  calls[3] = Duplicate(2);  // r4 names r3, an earlier record of cluster A
  EXPECT_EQ(Judge(EightLabels(), calls).all, (Tally{8, 4, 4, 3, 3}));
}

TEST(Tally, RatiosWithADenominatorOfZeroAreNotDefined) {
  const std::vector<std::optional<Call>> nothing(8, kUnique);
  const Tally none = Judge(EightLabels(), nothing).all;
  EXPECT_EQ(none.precision(), std::nullopt);
  EXPECT_EQ(none.recall(), 0.0);
  EXPECT_EQ(none.f1(), std::nullopt);
  EXPECT_EQ(none.strict_f1(), std::nullopt);
  // All calls are false: precision and recall are 0, and so is F1.
  std::vector<std::optional<Call>> wrong(8, kUnique);
  wrong[7] = Duplicate(0);
  const Tally all_wrong = Judge(EightLabels(), wrong).all;
  EXPECT_EQ(all_wrong.precision(), 0.0);
  EXPECT_EQ(all_wrong.f1(), 0.0);
}

TEST(CallList, PutsTheCallOnAPayloadAtTheRowOfItsLabel) {
  const auto set = JoinLabels("s", {R"({"id":"x"})", R"({"id":"b"})", R"({"id":"a"})"},
                              {{"a", "A", "original", ""}, {"b", "A", "exact", ""}}, "id");
  ASSERT_TRUE(set.ok());
  CallList calls(*set);
  calls.AddUnique(0);
  EXPECT_FALSE(calls.calls()[0].has_value());
  calls.AddDuplicate(1, 0);  // names a record without a label
  EXPECT_TRUE(calls.calls()[1]->duplicate);
  EXPECT_EQ(calls.calls()[1]->original, std::nullopt);
  calls.AddDuplicate(2, 1);
  EXPECT_EQ(calls.calls()[0]->original, std::optional<size_t>(1));
}

}  // namespace
}  // namespace neardup
