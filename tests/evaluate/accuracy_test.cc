#include <gtest/gtest.h>

#include "evaluate/labelled_set.h"

namespace neardup {
namespace {

constexpr std::optional<Call> kMissing = std::nullopt;
constexpr std::optional<Call> kUnique = Call{false, std::nullopt};

std::optional<Call> Duplicate(size_t original) { return Call{true, original}; }

/// r1 A, r2 B, r3 A, r4 A, r5 C, r6 B, r7 C, r8 D: true duplicates are r3, r4, r6, r7.
std::vector<Label> EightLabels() {
  return {{"r1", "A", "original", ""}, {"r2", "B", "original", ""}, {"r3", "A", "exact", ""},
          {"r4", "A", "edited", ""},   {"r5", "C", "original", ""}, {"r6", "B", "exact", ""},
          {"r7", "C", "edited", ""},   {"r8", "D", "original", ""}};
}

/// r3 is found right, r4 with a wrong original, r5 is a false call, r6 is found right, r7 missed;
/// of r8 nothing is said.
std::vector<std::optional<Call>> EightCalls() {
  return {kUnique,      kUnique,      Duplicate(0), Duplicate(1),
          Duplicate(1), Duplicate(1), kUnique,      kMissing};
}

// Counted by hand: called r3 r4 r5 r6, of them true r3 r4 r6; right r3 r6.
TEST(Accuracy, CountsAsAPersonWould) {
  const Accuracy accuracy = Judge(EightLabels(), EightCalls());
  EXPECT_EQ(accuracy.all, (Tally{8, 4, 4, 3, 2}));
  EXPECT_EQ(accuracy.all.precision(), 0.75);
  EXPECT_EQ(accuracy.all.recall(), 0.75);
  EXPECT_EQ(accuracy.all.f1(), 0.75);
  EXPECT_EQ(accuracy.all.strict_f1(), 0.5);
}

TEST(Accuracy, KindsAreCountedApart) {
  const Accuracy accuracy = Judge(EightLabels(), EightCalls());
  ASSERT_EQ(accuracy.kinds.size(), 3);
  EXPECT_EQ(accuracy.kinds.at("exact").recall(), 1.0);
  EXPECT_EQ(accuracy.kinds.at("edited").recall(), 0.5);
  EXPECT_EQ(accuracy.kinds.at("original"), (Tally{4, 0, 1, 0, 0}));
  EXPECT_EQ(accuracy.kinds.at("original").recall(), std::nullopt);
}

TEST(Accuracy, AMissingVerdictCountsAsUniqueAndIsReported) {
  std::vector<std::optional<Call>> calls = EightCalls();
  EXPECT_EQ(Judge(EightLabels(), calls).missing, 1);
  calls[5] = kMissing;  // r6, which was found
  const Accuracy accuracy = Judge(EightLabels(), calls);
  EXPECT_EQ(accuracy.missing, 2);
  EXPECT_EQ(accuracy.all, (Tally{8, 4, 3, 2, 1}));
}

TEST(Accuracy, AnOriginalThatIsLaterOrUnknownOrTheRecordItselfIsWrong) {
  for (const std::optional<Call>& wrong :
       {Duplicate(3), Duplicate(2), std::optional<Call>(Call{true, std::nullopt})}) {
    std::vector<std::optional<Call>> calls = EightCalls();
    calls[2] = wrong;
    const Accuracy accuracy = Judge(EightLabels(), calls);
    EXPECT_EQ(accuracy.all, (Tally{8, 4, 4, 3, 1}));
    EXPECT_EQ(accuracy.all.strict_f1(), 0.25);
  }
}

TEST(Accuracy, AFalseCallIsNeverRight) {
  // r5 is the first of its cluster: naming a record of it that is later changes nothing.
  std::vector<std::optional<Call>> calls = EightCalls();
  calls[4] = Duplicate(6);
  EXPECT_EQ(Judge(EightLabels(), calls).all, (Tally{8, 4, 4, 3, 2}));
}

TEST(Accuracy, ANotFirstDuplicateOfAClusterMayBeNamed) {
  std::vector<std::optional<Call>> calls = EightCalls();
  calls[3] = Duplicate(2);  // r4 names r3, which is of A and earlier
  EXPECT_EQ(Judge(EightLabels(), calls).all, (Tally{8, 4, 4, 3, 3}));
}

TEST(Accuracy, RatiosWithoutADenominatorAreNotDefined) {
  const std::vector<std::optional<Call>> nothing(8, kUnique);
  const Tally none = Judge(EightLabels(), nothing).all;
  EXPECT_EQ(none.precision(), std::nullopt);
  EXPECT_EQ(none.recall(), 0.0);
  EXPECT_EQ(none.f1(), std::nullopt);
  EXPECT_EQ(none.strict_f1(), std::nullopt);
  // All calls false: precision and recall are 0, and so is what is made of them.
  std::vector<std::optional<Call>> wrong(8, kUnique);
  wrong[7] = Duplicate(0);
  const Tally all_wrong = Judge(EightLabels(), wrong).all;
  EXPECT_EQ(all_wrong.precision(), 0.0);
  EXPECT_EQ(all_wrong.f1(), 0.0);
}

}  // namespace
}  // namespace neardup
