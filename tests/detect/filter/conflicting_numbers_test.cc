// Near records are no duplicates if their numbers conflict (MatchOptions::numbers).
#include <gtest/gtest.h>

#include <string>

#include "neardup/filter.h"

namespace neardup {
namespace {

std::string Payload(const std::string& text) { return R"({"text":")" + text + R"("})"; }

FilterOptions Options(bool numbers = true) {
  FilterOptions options;
  options.match.distance_max = 12;
  options.match.distance_sum_max = 128;
  options.match.features_per_bit = 0;
  options.match.numbers = numbers;
  return options;
}

/// Whether the second text is called a near duplicate of the first.
bool Joined(const std::string& first, const std::string& second, const FilterOptions& options) {
  auto filter = Filter::New(options);
  EXPECT_TRUE(filter.ok());
  Fingerprinter fingerprinter(options);
  const FingerprintedRecord records[] = {fingerprinter.Compute({{0, 0}, 0, Payload(first)}),
                                         fingerprinter.Compute({{0, 1}, 0, Payload(second)})};
  EXPECT_EQ((*filter)->Decide(records[0]).decision, Decision::kUnique);
  const Verdict verdict = (*filter)->Decide(records[1]);
  EXPECT_EQ((*filter)->FindAll(records[1]).size(), verdict.decision == Decision::kDuplicate);
  return verdict.decision == Decision::kDuplicate;
}

const char* const kSaga =
    "the long winter of the river people a saga in several books told by the last ferryman who "
    "saw the old bridge fall and the town behind it burn";

TEST(ConflictingNumbers, KeepVolumesApart) {
  for (const auto& [first, second] : {std::pair{" volume 3", " volume 4"},
                                      {" volume 3 of 9", " volume 4 of 9"},
                                      {" 14 128gb", " 15 128gb"},
                                      {" 5th edition", " 6th edition"}}) {
    EXPECT_FALSE(Joined(kSaga + std::string(first), kSaga + std::string(second), Options()))
        << second;
    EXPECT_TRUE(Joined(kSaga + std::string(first), kSaga + std::string(second), Options(false)))
        << second;
  }
}

TEST(ConflictingNumbers, AreNotNumbersThatOnlyOneOfTheRecordsHas) {
  EXPECT_TRUE(Joined(std::string(kSaga) + " 412 pages", kSaga, Options()));
  EXPECT_TRUE(Joined(kSaga, std::string(kSaga) + " 412 pages", Options()));
  EXPECT_TRUE(Joined(std::string(kSaga) + " volume 3", std::string(kSaga) + " volume 3 412 pages",
                     Options()));
}

TEST(ConflictingNumbers, AreNeitherIdentifiersNorMaskedParts) {
  FilterOptions options = Options();
  EXPECT_TRUE(
      Joined(std::string(kSaga) + " ref 2bc9def", std::string(kSaga) + " ref 7ea1fff", options));
  options.feature.masks.number = true;
  EXPECT_TRUE(Joined(std::string(kSaga) + " volume 3", std::string(kSaga) + " volume 4", options));
}

TEST(ConflictingNumbers, AreNotThoseOfKeyFields) {
  FilterOptions options = Options();
  options.record.fields = {{.path = "text"}, {.path = "shop", .key = true}};
  Fingerprinter fingerprinter(options);
  const auto numbers = [&](const std::string& shop) {
    const std::string payload =
        R"({"text":")" + std::string(kSaga) + R"( volume 3","shop":)" + shop + "}";
    return fingerprinter.Compute({{0, 0}, 0, payload}).fingerprint.numbers;
  };
  EXPECT_NE(numbers("8"), 0U);
  EXPECT_EQ(numbers("8"), numbers("9"));
}

/// With its own number of distinct words.
std::string Long(int words, const std::string& end) {
  std::string text;
  for (int i = 0; i < words; ++i) {
    text += "word" + std::string(1, static_cast<char>('a' + i / 26)) +
            static_cast<char>('a' + i % 26) + " ";
  }
  return text + end;
}

TEST(ConflictingNumbers, MayBeOneInFiftyTokens) {
  EXPECT_FALSE(Joined(Long(46, "in 1998"), Long(46, "in 1999"), Options()));
  EXPECT_TRUE(Joined(Long(48, "in 1998"), Long(48, "in 1999"), Options()));
  EXPECT_FALSE(Joined(Long(90, "from 1998 to 2004"), Long(90, "from 1999 to 2005"), Options()));
  EXPECT_TRUE(Joined(Long(200, "from 1998 to 2004"), Long(200, "from 1999 to 2005"), Options()));
}

TEST(ConflictingNumbers, KeepNoEqualRecordsApartAndNoShortOnes) {
  EXPECT_TRUE(
      Joined(std::string(kSaga) + " volume 3", std::string(kSaga) + ", Volume 3.", Options()));
  const FilterOptions options = Options();
  const FingerprintedRecord few = Fingerprinter(options).Compute({{0, 0}, 0, Payload("volume 3")});
  EXPECT_EQ(few.fingerprint.numbers, 0U);
}

TEST(ConflictingNumbers, LeaveNoSuspectsEither) {
  FilterOptions options = Options();
  options.match.distance_max = 1;
  options.match.suspect_distance_max = 16;
  Fingerprinter fingerprinter(options);
  for (const bool conflict : {false, true}) {
    auto filter = Filter::New(options);
    const std::string saga = kSaga;
    (*filter)->Decide(fingerprinter.Compute({{0, 0}, 0, Payload(saga + " volume 3 in green")}));
    const Verdict verdict = (*filter)->Decide(fingerprinter.Compute(
        {{0, 1}, 0, Payload(saga + (conflict ? " volume 4 in blue" : " volume 3 in blue"))}));
    EXPECT_EQ(verdict.decision, Decision::kUnique);
    EXPECT_EQ(verdict.is_suspect(), !conflict);
  }
}

}  // namespace
}  // namespace neardup
