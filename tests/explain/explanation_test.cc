// Three pairs, exact, near and not near, and what stands in the way of a comparison.
#include "explain/explanation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace neardup {
namespace {

const char* const kBridge =
    R"({"title":"Council approves the new harbour bridge after a long debate on cost and traffic in the city"})";
const char* const kBridgeLoud =
    R"({"title":"COUNCIL approves the <b>new</b> harbour bridge after a long debate on cost and traffic in the city"})";
const char* const kBridgeOur =
    R"({"title":"Council approves the new harbour bridge after a long debate on cost and traffic in our city"})";
const char* const kRain =
    R"({"title":"Rain expected over the weekend in the north while the south stays dry and mostly sunny"})";

FilterOptions Titles() {
  FilterOptions options;
  options.record.fields = {{.path = "title"}};
  return options;
}

PairExplanation Explained(const FilterOptions& options, const std::string& a, const std::string& b,
                          int64_t b_ms = 0) {
  auto explained = ExplainPair(options, {{}, 0, a}, {{}, b_ms, b});
  EXPECT_TRUE(explained.ok());
  return std::move(*explained);
}

/// path=value of each change with one setting.
std::vector<std::string> Changes(const PairExplanation& explained) {
  std::vector<std::string> texts;
  for (const VerdictChange& change : explained.changes) {
    std::string text;
    for (const auto& setting : change.settings) {
      text += (text.empty() ? "" : " ") + setting.path + "=" + setting.value;
    }
    texts.push_back(text);
  }
  return texts;
}

bool Has(const std::vector<std::string>& texts, const std::string& text) {
  return std::find(texts.begin(), texts.end(), text) != texts.end();
}

TEST(Explanation, OfEqualTextsSaysEqualAndThatMarkupMattered) {
  const PairExplanation explained = Explained(Titles(), kBridge, kBridgeLoud);
  EXPECT_EQ(explained.cause, Cause::kEqual);
  EXPECT_EQ(explained.distance, 0);
  EXPECT_EQ(explained.order_distance, 0);
  EXPECT_TRUE(explained.words.pulls.empty());
  EXPECT_EQ(Changes(explained), std::vector<std::string>{"feature.markup=false"});
}

TEST(Explanation, OfANearPairNamesTheWordsThatPull) {
  const PairExplanation explained = Explained(Titles(), kBridge, kBridgeOur);
  EXPECT_EQ(explained.cause, Cause::kNear);
  EXPECT_EQ(explained.distance, 2);
  EXPECT_EQ(explained.limits.distance_max, 5);  // 16 words, 3 for each bit
  EXPECT_EQ(explained.limits.sum_max, 24);
  ASSERT_EQ(explained.words.pulls.size(), 2);
  const auto of_word = [&](const std::string& word) {
    return std::find_if(explained.words.pulls.begin(), explained.words.pulls.end(),
                        [&](const WordPull& pull) { return pull.text == word; });
  };
  const auto the = of_word("the");
  const auto our = of_word("our");
  ASSERT_NE(the, explained.words.pulls.end());
  ASSERT_NE(our, explained.words.pulls.end());
  EXPECT_EQ(the->count_a, 2);
  EXPECT_EQ(the->count_b, 1);
  EXPECT_GT(the->weight_a, the->weight_b);
  EXPECT_EQ(our->count_a, 0);
  EXPECT_EQ(our->weight_b, 256);
  EXPECT_NEAR(the->bits + our->bits, 2, 1e-9);
  EXPECT_FALSE(explained.shared_keys.empty());
  EXPECT_TRUE(Has(Changes(explained), "match.distance_max=1"));
  EXPECT_TRUE(Has(Changes(explained), "match.distance_max=0"));
}

TEST(Explanation, OfRecordsThatAreNotNearSaysWhatWouldMatch) {
  const PairExplanation explained = Explained(Titles(), kBridge, kRain);
  EXPECT_EQ(explained.cause, Cause::kTooFar);
  EXPECT_GT(explained.distance, 12);
  EXPECT_TRUE(explained.changes.empty());  // no setting calls these two duplicates
}

TEST(Explanation, FindsTheFewestMatchSettingsThatSuffice) {
  FilterOptions options = Titles();
  options.match.distance_max = 1;
  EXPECT_EQ(Explained(options, kBridge, kBridgeOur).cause, Cause::kTooFar);
  EXPECT_EQ(Changes(Explained(options, kBridge, kBridgeOur)).front(), "match.distance_max=2");
  options.match.distance_sum_max = 3;
  EXPECT_TRUE(Changes(Explained(options, kBridge, kBridgeOur))
                  .front()
                  .starts_with("match.distance_max=2 match.distance_sum_max="));
  options = Titles();
  options.feature.features_min = 40;
  EXPECT_EQ(Explained(options, kBridge, kBridgeOur).cause, Cause::kFewWords);
  EXPECT_TRUE(Changes(Explained(options, kBridge, kBridgeOur))
                  .front()
                  .starts_with("feature.features_min=1"));
}

TEST(Explanation, NamesTheFieldsThatKeepTwoRecordsApart) {
  const std::string a =
      R"({"text":"one two three four five six seven eight nine ten eleven twelve",)"
      R"("lang":"en","about":{"~/":"x"}})";
  const std::string b =
      R"({"text":"one two three four five six seven eight nine ten eleven twelve",)"
      R"("lang":"de","about":{"~/":"x"}})";
  FilterOptions options;
  options.record.fields = {{.path = "text"}, {.path = "lang", .key = true}};
  const PairExplanation keyed = Explained(options, a, b);
  EXPECT_EQ(keyed.cause, Cause::kKeysDiffer);
  EXPECT_TRUE(keyed.keys_differ);
  EXPECT_TRUE(keyed.words.bits.empty());
  EXPECT_EQ(Changes(keyed), std::vector<std::string>{"record.fields=without lang"});
  options.record.fields.clear();
  options.match.distance_max = 0;
  const PairExplanation all = Explained(options, a, b);
  EXPECT_EQ(all.cause, Cause::kExactMode);
  EXPECT_TRUE(Has(Changes(all), "record.exclude=with lang"));
  std::vector<std::string> paths;
  for (const ExplainedText& text : all.a.texts) paths.push_back(text.path);
  EXPECT_EQ(paths, (std::vector<std::string>{"text", "lang", "/about/~0~1"}));
}

TEST(Explanation, NamesTheWindowThatWouldReach) {
  FilterOptions options = Titles();
  options.window.window_ms = 1000;
  const PairExplanation explained = Explained(options, kBridge, kBridgeLoud, 1500);
  EXPECT_EQ(explained.cause, Cause::kOutsideWindow);
  EXPECT_EQ(Changes(explained), std::vector<std::string>{"window.window_ms=1500"});
}

TEST(Explanation, NamesTheMaskThatWouldHideTheDifference) {
  FilterOptions options;
  options.record.fields = {{.path = "m"}};
  options.match.distance_max = 0;
  const auto line = [](const std::string& number) {
    return R"({"m":"worker )" + number +
           R"( took a job and finished it without any error at all today"})";
  };
  const PairExplanation explained = Explained(options, line("17"), line("23"));
  EXPECT_TRUE(Has(Changes(explained), "feature.masks=[number]"));
  options.feature.masks.number = true;
  const PairExplanation masked = Explained(options, line("17"), line("23"));
  EXPECT_EQ(masked.cause, Cause::kEqual);
  EXPECT_EQ(masked.a.words[1].text, "<number>");
}

TEST(Explanation, KeepsTheReasonOfARecordThatCannotBeCompared) {
  const PairExplanation explained = Explained(Titles(), kBridge, R"({"text":"no title"})");
  EXPECT_EQ(explained.cause, Cause::kNotComparable);
  EXPECT_EQ(explained.b.fingerprinted.outcome.reason, Reason::kMissingField);
  EXPECT_FALSE(explained.distance);
  EXPECT_TRUE(explained.changes.empty());
}

TEST(Explanation, RefusesInvalidOptions) {
  FilterOptions options;
  options.match.distance_max = 99;
  EXPECT_EQ(ExplainPair(options, {{}, 0, kBridge}, {{}, 0, kRain}).error().code,
            ErrorCode::kConfig);
}

}  // namespace
}  // namespace neardup
