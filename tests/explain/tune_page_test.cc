#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "explain/pages.h"
#include "explain/tune_summary.h"
#include "learn/synthetic_streams.h"

namespace neardup {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const TuneFiles kFiles = {"articles <of> today.jsonl", "", "c.yaml", "c.model.json", "c.html"};

Tuning TuningOf(const std::vector<std::string>& payloads) {
  Result<Tuning> tuning = Tune(ViewsOf(payloads), {});
  EXPECT_TRUE(tuning.ok()) << tuning.error().text;
  return std::move(tuning).value();
}

size_t CountOf(const std::string& what, const std::string& text) {
  size_t count = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

std::string PageOf(const std::vector<std::string>& payloads) {
  return TunePage(TuningOf(payloads), kFiles, ViewsOf(payloads));
}

TEST(TunePage, ShowsVerdictFieldsAndPairs) {
  const std::vector<std::string> payloads = TextStream(3, 300, 100, 3);
  const Tuning tuning = TuningOf(payloads);
  const std::string page = TunePage(tuning, kFiles, ViewsOf(payloads));
  EXPECT_THAT(page, AllOf(HasSubstr(ModeText(tuning)), HasSubstr(tuning.calibration.reason),
                          HasSubstr(MeasuredText(tuning)), HasSubstr("<td>text</td>"),
                          HasSubstr("articles &lt;of&gt; today.jsonl")));
  size_t pairs = 0;
  for (const auto& at_distance : tuning.pairs) pairs += at_distance.size();
  EXPECT_GT(pairs, 5U);
  EXPECT_EQ(CountOf("<div class=\"pair\">", page), pairs);
  EXPECT_THAT(page, HasSubstr("<ins>edited"));
  EXPECT_EQ(CountOf(">joined</span>", page),
            static_cast<size_t>(tuning.proposed.match.distance_max) + 1);
}

TEST(TunePage, NeedsNothingFromOutside) {
  const std::string page = PageOf(TextStream(3, 120, 100, 3));
  for (const char* reference :
       {"http:", "https:", "src=", "href=", "url(", "@import", "<script", "<link"}) {
    EXPECT_THAT(page, Not(HasSubstr(reference)));
  }
  for (const char* element : {"html", "body", "style", "svg", "table", "h1", "h2", "h3", "p", "div",
                              "span", "tr", "td", "th", "text", "title", "del", "ins"}) {
    const std::string name = element;
    EXPECT_EQ(CountOf("<" + name + ">", page) + CountOf("<" + name + " ", page),
              CountOf("</" + name + ">", page))
        << name;
  }
}

TEST(TunePage, EscapesMarkupInRecords) {
  std::vector<std::string> payloads = TextStream(3, 120, 200, 3);
  for (std::string& payload : payloads) {
    const size_t at = payload.find("\"text\":\"") + 8;
    payload.insert(at, "1 < 2 & <img src=x onerror=alert(1)> ");
    payload.insert(1, R"("<b>name":"two words",)");
  }
  const std::string page = PageOf(payloads);
  EXPECT_THAT(page, AllOf(Not(HasSubstr("<img")), Not(HasSubstr("<b>")), HasSubstr("&lt;b&gt;name"),
                          HasSubstr("1 &lt; 2 &amp; ")));
}

TEST(TunePage, JoinsNoPairInExactMode) {
  const std::string page = PageOf(SeriesStream(3, 200));
  EXPECT_THAT(page, AllOf(HasSubstr("only equal records are joined"), HasSubstr("a few templates"),
                          Not(HasSubstr(">joined"))));
}

TEST(TunePage, AsksItsQuestionsWithAnExampleAndTheOptionThatAnswersThem) {
  const std::vector<std::string> payloads = {R"({"text":"a flat by the lake"})",
                                             R"({"text":"a flat by the river"})"};
  Tuning tuning = TuningOf(TextStream(3, 120, 100, 3));
  tuning.pairs.clear();
  EXPECT_THAT(TunePage(tuning, kFiles, ViewsOf(payloads)), Not(HasSubstr("Questions")));
  tuning.questions = {"2 records differ in rooms. To join them: --free rooms",
                      "texts of templates"};
  tuning.field_questions = {{"2 records differ in rooms", "--free rooms", {0, 0}, {0, 1}}};
  const std::string page = TunePage(tuning, kFiles, ViewsOf(payloads));
  EXPECT_THAT(page,
              AllOf(HasSubstr("To join them: --free rooms."), HasSubstr("lake"), HasSubstr("river"),
                    HasSubstr("texts of templates."), HasSubstr("neardup tune --cases FILE")));
  EXPECT_THAT(TuneText(tuning, kFiles), AllOf(HasSubstr("question      2 records differ in rooms"),
                                              HasSubstr("neardup tune --cases FILE")));
}

TEST(TunePage, DrawsTheNearestDistancesOfAllRecords) {
  const std::vector<std::string> payloads = TextStream(3, 300, 100, 3);
  const Tuning tuning = TuningOf(payloads);
  const std::string page = TunePage(tuning, kFiles, ViewsOf(payloads));
  for (size_t bin = 0; bin < NeighbourStatistics::kBins; ++bin) {
    const uint32_t count = tuning.calibration.neighbours.nearest[bin];
    if (count == 0) continue;
    EXPECT_THAT(page, HasSubstr("\"><title>" + std::to_string(count) + " records at " +
                                std::to_string(bin) + " bits</title>"));
  }
}

TEST(TunePage, HighlightsTheDistancesThatAreJoined) {
  const std::vector<std::string> payloads = TextStream(3, 120, 100, 3);
  Tuning tuning = TuningOf(payloads);
  for (const int distance_max : {0, 3, 12}) {
    tuning.proposed.match.distance_max = distance_max;
    EXPECT_EQ(CountOf("fill=\"var(--near)\"", TunePage(tuning, kFiles, ViewsOf(payloads))),
              distance_max == 0 ? 0U : static_cast<size_t>(distance_max) + 1);
  }
}

TEST(TuneSummary, CountsNearCopiesUpToTheDistance) {
  Tuning tuning = TuningOf(TextStream(3, 120, 100, 3));
  NeighbourStatistics& structure = tuning.calibration.neighbours;
  structure.nearest.assign(NeighbourStatistics::kBins, 0);
  structure.nearest[0] = 1;
  structure.nearest[5] = 2;
  structure.nearest[6] = 4;
  structure.records = 10;
  structure.with_neighbour = 4;
  structure.neighbours_mean = 1.25;
  tuning.proposed.match.distance_max = 5;
  EXPECT_EQ(NearCopiesText(tuning),
            "30 % of these records have an earlier record within 5 bits; 40 % have an earlier or "
            "later record within 10 bits, 1.2 of them on average");
  EXPECT_EQ(MeasuredText(tuning), ClaimText(tuning.claim)) << "a good claim leaves no doubt";
  tuning.claim.joined.near = 100;
  tuning.claim.joined.unlike = 50;
  EXPECT_THAT(MeasuredText(tuning), HasSubstr("50 % of the joined records share little text"));
  tuning.calibration.too_few = true;
  EXPECT_EQ(MeasuredText(tuning), "nothing: the sample is too small; give a larger one");
  EXPECT_EQ(ChanceText(tuning), "");
}

TEST(TuneSummary, SaysTheSameAsTextAndAsJson) {
  const Tuning tuning = TuningOf(TextStream(3, 300, 100, 3));
  const auto json = nlohmann::json::parse(TuneJson(tuning, kFiles));
  EXPECT_EQ(json["mode"], "near");
  EXPECT_EQ(json["match"]["distance_max"], tuning.proposed.match.distance_max);
  EXPECT_EQ(json["nearest"].get<std::vector<uint32_t>>(), tuning.calibration.neighbours.nearest);
  EXPECT_EQ(json["sample"]["records"], 300);
  EXPECT_EQ(json["fields"][0]["path"], "text");
  EXPECT_EQ(json["fields"][0]["compared"], true);
  const std::string text = TuneText(tuning, kFiles);
  EXPECT_THAT(text,
              AllOf(HasSubstr("near, similarity 0.6"), HasSubstr(json["reason"].get<std::string>()),
                    HasSubstr("c.model.json"), HasSubstr("<- distance_max")));
}

}  // namespace
}  // namespace neardup
