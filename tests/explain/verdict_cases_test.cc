#include "explain/verdict_cases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace neardup {
namespace {

using ::testing::HasSubstr;

constexpr const char* kText =
    "the council approves the new harbour bridge after a long debate on cost and traffic in the "
    "city";

FilterOptions Titles() {
  FilterOptions options;
  options.record.fields = {{"title"}};
  return options;
}

std::string RecordOf(const std::string& title) { return R"({"title":")" + title + R"("})"; }

VerdictCase CaseOf(const std::string& a, const std::string& b, ExpectedVerdict expected) {
  return {1, "", a, b, expected};
}

std::string ErrorOf(const std::string& text) {
  const auto parsed = ParseVerdictCases(text, "cases.jsonl");
  return parsed.ok() ? "no error" : parsed.error().text;
}

TEST(VerdictCases, AreReadFromThePairsOfTheFilter) {
  const std::string pair =
      R"({"kind":"near","distance":3,"original":{"id":"1","record":{"title":"x"}},)"
      R"("duplicate":{"id":"2","record":{"title":"y"}})";
  const auto parsed = ParseVerdictCases(pair + "}\n" + pair + R"(,"expect":"unique"})", "pairs");
  ASSERT_TRUE(parsed.ok()) << parsed.error().text;
  ASSERT_EQ(parsed->size(), 2U);
  EXPECT_EQ((*parsed)[0].a, RecordOf("x"));
  EXPECT_EQ((*parsed)[0].b, RecordOf("y"));
  EXPECT_EQ((*parsed)[0].expected, ExpectedVerdict::kDuplicate);
  EXPECT_EQ((*parsed)[1].expected, ExpectedVerdict::kUnique);
  EXPECT_THAT(ErrorOf(R"({"original":1,"duplicate":{"record":{}}})"),
              HasSubstr("a: expected a record"));
}

TEST(VerdictCases, AreReadFromLines) {
  const auto parsed = ParseVerdictCases(
      R"({"name": "case", "a": {"title": "x"}, "b": {"title": "X"}, "expect": "exact"})"
      "\n\n"
      R"({"a": {"title": "x"}, "b": "{broken", "expect": "dead-letter"})",
      "cases.jsonl");
  ASSERT_TRUE(parsed.ok()) << parsed.error().text;
  ASSERT_EQ(parsed->size(), 2U);
  EXPECT_EQ((*parsed)[0].name, "case");
  EXPECT_EQ((*parsed)[0].a, R"({"title":"x"})");
  EXPECT_EQ((*parsed)[0].expected, ExpectedVerdict::kExact);
  EXPECT_EQ((*parsed)[1].line, 3U);
  EXPECT_EQ((*parsed)[1].b, "{broken");
}

TEST(VerdictCases, NameTheLineThatIsWrong) {
  EXPECT_THAT(ErrorOf(""), HasSubstr("holds no case"));
  EXPECT_THAT(ErrorOf("\n[]"), HasSubstr("cases.jsonl:2: expected {\"a\""));
  EXPECT_THAT(ErrorOf(R"({"a": {}, "b": {}})"), HasSubstr("cases.jsonl:1: expect is missing"));
  EXPECT_THAT(ErrorOf(R"({"a": {}, "b": {}, "expect": "copy"})"),
              HasSubstr("expected one of unique, duplicate, exact, near, dead-letter, found "
                        "\"copy\""));
  EXPECT_THAT(ErrorOf(R"({"a": 1, "b": {}, "expect": "near"})"), HasSubstr("a: expected a record"));
  EXPECT_THAT(ErrorOf(R"({"a": {}, "b": {}, "expect": "near", "c": 1})"), HasSubstr("found c"));
}

TEST(VerdictCases, HoldIfTheVerdictIsTheExpectedOne) {
  const std::string a = RecordOf(kText);
  std::string near_text = kText;
  near_text.replace(near_text.find("city"), 4, "town");
  const struct {
    std::string b;
    std::vector<ExpectedVerdict> hold;
  } rows[] = {
      {RecordOf("THE " + std::string(kText).substr(4)),
       {ExpectedVerdict::kDuplicate, ExpectedVerdict::kExact}},
      {RecordOf(near_text), {ExpectedVerdict::kDuplicate, ExpectedVerdict::kNear}},
      {RecordOf("rain is expected over the weekend in the north while the south stays dry"),
       {ExpectedVerdict::kUnique}},
      {"{", {ExpectedVerdict::kDeadLetter}},
  };
  for (const auto& row : rows) {
    for (const ExpectedVerdict expected :
         {ExpectedVerdict::kUnique, ExpectedVerdict::kDuplicate, ExpectedVerdict::kExact,
          ExpectedVerdict::kNear, ExpectedVerdict::kDeadLetter}) {
      const auto outcome = RunCase(CaseOf(a, row.b, expected), Titles());
      ASSERT_TRUE(outcome.ok());
      const bool holds = std::find(row.hold.begin(), row.hold.end(), expected) != row.hold.end();
      EXPECT_EQ(outcome->as_expected, holds) << row.b << " " << Name(expected);
      EXPECT_EQ(outcome->reason.empty(), holds);
    }
  }
}

TEST(VerdictCases, SayWhatWouldMakeThemHold) {
  FilterOptions strict = Titles();
  strict.match.distance_max = 0;
  std::string near_text = kText;
  near_text.replace(near_text.find("city"), 4, "town");
  const auto outcome =
      RunCase(CaseOf(RecordOf(kText), RecordOf(near_text), ExpectedVerdict::kNear), strict);
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome->found, "unique");
  EXPECT_THAT(outcome->reason, HasSubstr("It would be as expected with match.distance_max"));
}

}  // namespace
}  // namespace neardup
