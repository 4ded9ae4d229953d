// The summary of outputs against counts by hand, over records in random order.
#include "commands/report/verdict_summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

namespace neardup {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsSubsetOf;
using testing::Not;

/// An output record that owns its bytes.
struct Output {
  std::string header;
  std::string value = "{}";
  int64_t timestamp_ms = 1'700'000'000'000;
  int64_t offset = 0;

  Message AsMessage() const {
    Message message;
    message.position = {0, offset};
    message.timestamp_ms = timestamp_ms;
    message.value = value;
    if (!header.empty()) message.headers.push_back({"neardup", header});
    return message;
  }
};

const InputPartition kPlace{"news.unique", 2};

Output Near(int distance, const std::string& original = "news/0/7") {
  return {"seq=1;origin=news/0/1;original=" + original + ";distance=" + std::to_string(distance) +
          ";kind=near"};
}

VerdictReport ReportOf(const std::vector<Output>& outputs, size_t examples = 3) {
  VerdictSummary summary(examples);
  for (const Output& output : outputs) summary.Add(kPlace, output.AsMessage());
  return {summary.counts(), summary.closest_calls(), summary.MostCopied(examples), {}};
}

TEST(VerdictSummary, CountsEachVerdictReasonAndDistanceOnce) {
  const VerdictReport report =
      ReportOf({{"seq=1;origin=news/0/1"},
                {"seq=2;origin=news/0/2;late"},
                {"seq=3;origin=news/0/3;original=news/0/1;distance=0;kind=exact;observed"},
                Near(4),
                Near(40),
                {"seq=6;origin=news/0/6;reason=parse;observed"},
                {""},
                {"seq=x"}});
  const VerdictCounts& counts = report.counts;
  EXPECT_EQ(counts.unique, 2U);
  EXPECT_EQ(counts.exact, 1U);
  EXPECT_EQ(counts.near, 2U);
  EXPECT_EQ(counts.dead(), 1U);
  EXPECT_EQ(counts.dead_letters[static_cast<size_t>(Reason::kParse)], 1U);
  EXPECT_EQ(counts.records(), 6U);
  EXPECT_EQ(counts.late, 1U);
  EXPECT_EQ(counts.observed, 2U);
  EXPECT_EQ(counts.unreadable, 2U);
  EXPECT_EQ(counts.distances[4], 1U);
  EXPECT_EQ(counts.distances[kDistancesCounted - 1], 1U);
}

TEST(VerdictSummary, KeepsThePairsWithTheLargestDistancesWhateverTheirOrder) {
  std::mt19937_64 random(20261125);
  for (int round = 0; round < 50; ++round) {
    std::vector<Output> outputs;
    std::vector<int> distances;
    for (int64_t i = 0; i < 40; ++i) {
      const int distance = static_cast<int>(random() % 9);
      outputs.push_back(Near(distance));
      outputs.back().offset = i;
      distances.push_back(distance);
    }
    std::stable_sort(distances.begin(), distances.end(), std::greater<>());
    const VerdictReport report = ReportOf(outputs, 5);
    ASSERT_EQ(report.closest_calls.size(), 5U);
    for (size_t i = 0; i < 5; ++i) EXPECT_EQ(report.closest_calls[i].distance, distances[i]);
  }
  EXPECT_TRUE(ReportOf({Near(3)}, 0).closest_calls.empty());
}

TEST(VerdictSummary, TakesSomeAtRandomAmongEqualDistances) {
  std::vector<Output> outputs;
  for (int64_t i = 0; i < 200; ++i) {
    outputs.push_back(Near(4));
    outputs.back().offset = i;
  }
  const auto copies = [&outputs] {
    std::vector<std::string> names;
    for (const ClosestCall& call : ReportOf(outputs, 5).closest_calls) names.push_back(call.copy);
    return names;
  };
  const std::vector<std::string> chosen = copies();
  EXPECT_THAT(chosen, Not(IsSubsetOf({"news.unique/2/0", "news.unique/2/1", "news.unique/2/2",
                                      "news.unique/2/3", "news.unique/2/4"})));
  std::reverse(outputs.begin(), outputs.end());
  EXPECT_EQ(copies(), chosen);
}

TEST(VerdictSummary, NamesTheRecordsThatWereCopiedMost) {
  std::mt19937_64 random(7);
  std::map<std::string, uint64_t> copies;
  std::vector<Output> outputs;
  for (int i = 0; i < 300; ++i) {
    const std::string original = "news/1/" + std::to_string(random() % (1 + random() % 20));
    ++copies[original];
    outputs.push_back(Near(1, original));
    outputs.back().timestamp_ms += i;
  }
  uint64_t most = 0;
  for (const auto& [name, count] : copies) most = std::max(most, count);
  const VerdictReport report = ReportOf(outputs, 4);
  ASSERT_EQ(report.most_copied.size(), 4U);
  EXPECT_EQ(report.most_copied[0].copies, most);
  for (size_t i = 0; i < 4; ++i) {
    const CopiedRecord& copied = report.most_copied[i];
    EXPECT_EQ(copied.copies, copies[copied.original]);
    EXPECT_LE(copied.first_ms, copied.last_ms);
    EXPECT_LE(copied.copies, report.most_copied[i == 0 ? 0 : i - 1].copies);
  }
}

TEST(VerdictReport, MarksTheWordsThatDifferAndObeysNoControlCharacter) {
  VerdictReport report = ReportOf({Near(6)});
  report.closest_calls[0].original_text = R"({"title":"a blue house"})";
  report.closest_calls[0].copy_text = "{\"title\":\"a red house\"}\x1b";
  EXPECT_THAT(ReportText(report),
              AllOf(HasSubstr("distance 6: news.unique/2/0 of news/0/7"), HasSubstr("[blue]"),
                    HasSubstr("[red]"), Not(HasSubstr("\x1b"))));
  report.closest_calls[0].original_text.reset();
  EXPECT_THAT(ReportText(report), HasSubstr("not in its topic any more"));
}

TEST(VerdictReport, ShowsTheComparedFieldsOfItsExamples) {
  VerdictReport report = ReportOf({Near(6)});
  report.record.fields = {{"title"}, {"text"}};
  report.closest_calls[0].original_text = R"({"id":"aaa","title":"a house","text":"blue"})";
  report.closest_calls[0].copy_text = R"({"id":"bbb","title":"a house","text":"red"})";
  report.most_copied[0].text = R"({"id":"ccc","title":"a tower","text":"green"})";
  EXPECT_THAT(ReportText(report), AllOf(HasSubstr("a house | [blue]"), HasSubstr("a house | [red]"),
                                        HasSubstr("a tower | green"), Not(HasSubstr("aaa")),
                                        Not(HasSubstr("bbb")), Not(HasSubstr("ccc"))));
  report.most_copied[0].text = "no JSON";
  EXPECT_THAT(ReportText(report), HasSubstr("no JSON"));
}

TEST(VerdictReport, WritesItsPairsAsCasesThatCanBeMarked) {
  VerdictReport report = ReportOf({Near(6), Near(5), Near(4)});
  report.closest_calls[0].original_text = R"({"title":"blue"})";
  report.closest_calls[0].copy_text = R"({"title":"red"})";
  report.closest_calls[1].original_text = R"({"title":"cut…)";
  EXPECT_EQ(ReportCases(report),
            R"({"name":"news.unique/2/0 of news/0/7, distance 6","a":{"title":"blue"},)"
            R"("b":{"title":"red"},"expect":"duplicate"})"
            "\n");
}

TEST(VerdictReport, SaysWhatRoutingWouldHaveDone) {
  const VerdictReport report =
      ReportOf({{"seq=1;origin=news/0/1"},
                {"seq=2;origin=news/0/2;original=news/0/1;distance=0;kind=exact;observed"}});
  EXPECT_THAT(ReportText(report),
              AllOf(HasSubstr("2 decided records, 2023-11-14T22:13:20Z to"), HasSubstr("50.00 %"),
                    HasSubstr("1 of them went to the unique topic because the lane observed")));
  const auto json = nlohmann::json::parse(ReportJson(report));
  EXPECT_EQ(json["records"], 2);
  EXPECT_EQ(json["observed"], 1);
  EXPECT_EQ(json["most_copied"][0]["original"], "news/0/1");
}

TEST(VerdictReport, OfNothingIsNoError) {
  EXPECT_THAT(ReportText(ReportOf({})), HasSubstr("0 decided records\n"));
}

}  // namespace
}  // namespace neardup
