#include "learn/settings_change.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "learn/synthetic_streams.h"

namespace neardup {
namespace {

using ::testing::HasSubstr;

Tuning Tuned(const std::vector<std::string>& payloads, const FilterOptions& given) {
  TuneOptions options;
  options.filter = given;
  const Result<Tuning> tuning = Tune(ViewsOf(payloads), options);
  EXPECT_TRUE(tuning.ok()) << tuning.error().text;
  return *tuning;
}

std::vector<SettingsChange> Changes(const FilterOptions& options,
                                    const std::vector<std::string>& payloads, bool keep_fields) {
  return ChangesOf(options, Tuned(payloads, UntunedOptions(options, keep_fields)));
}

bool Matter(const std::vector<SettingsChange>& changes) {
  return std::any_of(changes.begin(), changes.end(),
                     [](const SettingsChange& change) { return change.matters; });
}

TEST(SettingsChange, DoesNotMatterWithinOneStream) {
  for (const uint64_t copies_per_mille : {80U, 0U}) {
    const FilterOptions options = Tuned(TextStream(1, 600, copies_per_mille, 3), {}).proposed;
    const std::vector<std::string> later = TextStream(2, 600, copies_per_mille, 3);
    for (const bool keep_fields : {false, true}) {
      for (const SettingsChange& change : Changes(options, later, keep_fields)) {
        EXPECT_FALSE(change.matters) << change.setting << ": " << change.reason;
      }
    }
  }
}

TEST(UntunedOptions, KeepTheFieldsWithWhatTheyAreForOrNoFields) {
  FilterOptions options = Tuned(TextStream(1, 600, 80, 3), {}).proposed;
  options.record.fields.insert(options.record.fields.begin(), {"shelf", 1.0, false, true});
  options.record.exclude = {"seen"};
  const FilterOptions untuned = UntunedOptions(options, true);
  EXPECT_EQ(untuned.record, options.record);
  EXPECT_EQ(untuned.match, MatchOptions());
  EXPECT_EQ(UntunedOptions(options, false).record, RecordOptions());
}

TEST(SettingsChange, MattersWhenAStreamOfTextsBecomesASeries) {
  const FilterOptions options = Tuned(TextStream(1, 600, 80, 3), {}).proposed;
  ASSERT_GT(options.match.distance_max, 0);
  EXPECT_TRUE(Matter(Changes(options, SeriesStream(2, 600), false)));
}

TEST(SettingsChange, NamesAFieldThatIsGoneAndAFieldOfText) {
  const FilterOptions options = Tuned(TextStream(1, 600, 80, 3), {}).proposed;
  std::vector<std::string> renamed = TextStream(2, 600, 80, 3);
  for (std::string& payload : renamed) payload.replace(payload.find("text"), 4, "body");
  const std::vector<SettingsChange> changes = Changes(options, renamed, false);
  ASSERT_TRUE(Matter(changes));
  std::string text;
  for (const SettingsChange& change : changes) {
    text += change.was + ": " + change.now + " (" + change.reason + ")\n";
  }
  EXPECT_THAT(text, HasSubstr("text is compared: leave it out (no record of the sample has this"));
  EXPECT_THAT(text, HasSubstr("body is not compared: compare it (it holds text"));
}

TEST(SettingsChange, OfADistanceNextToItDoesNotMatter) {
  FilterOptions options = Tuned(TextStream(1, 600, 80, 3), {}).proposed;
  const int chosen = options.match.distance_max;
  options.match.distance_max = chosen - kDistanceTolerance;
  const std::vector<SettingsChange> near = Changes(options, TextStream(1, 600, 80, 3), false);
  ASSERT_EQ(near.size(), 1U);
  EXPECT_EQ(near[0].setting, "match.distance_max");
  EXPECT_FALSE(near[0].matters);
  options.match.distance_max = chosen - kDistanceTolerance - 1;
  EXPECT_TRUE(Matter(Changes(options, TextStream(1, 600, 80, 3), false)));
  const Tuning now = Tuned(TextStream(1, 600, 80, 3), UntunedOptions(options, false));
  EXPECT_FALSE(Matter(ChangesOf(options, now, true))) << "where nothing has drifted";
}

TEST(SettingsChange, FindsMasksThatAreWanted) {
  SeededRandom random(4);
  std::vector<std::string> lines;
  for (int i = 0; i < 600; ++i) {
    Fields line = LogLine(random);
    line[1].second.insert(0, "2026-06-05 04:03:" + std::to_string(10 + i % 50) + " ");
    lines.push_back(RecordOf(line));
  }
  FilterOptions options = Tuned(lines, {}).proposed;
  ASSERT_TRUE(options.feature.masks.any());
  EXPECT_FALSE(Matter(Changes(options, lines, false)));
  options.feature.masks = {};
  EXPECT_TRUE(Matter(Changes(options, lines, false)));
}

}  // namespace
}  // namespace neardup
