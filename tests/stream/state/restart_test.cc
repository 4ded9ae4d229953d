// A lane that is thrown away and rebuilt from its changelog again and again decides every record as
// the one that was never restarted: on texts with edited copies, with text keys, hot ones among
// them, with expiry and capacity at work.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "neardup/filter.h"
#include "stream/state/delta.h"
#include "stream/state/lane_history.h"
#include "stream/state/lane_state.h"

namespace neardup {
namespace {

using Random = std::mt19937_64;
using Words = std::vector<std::string>;

FilterOptions Options(bool widen, bool neighbours) {
  FilterOptions options;
  options.record.fields = {{"title", 1.0}, {"text", 1.0}};
  options.model.hash_seed = 11;
  options.match.distance_max = 9;
  options.match.widen = widen;
  options.match.neighbours = neighbours;
  options.window = {
      .window_ms = 600'000, .lateness_ms = 1000, .ahead_max_ms = 1000, .entries_max = 1000};
  return options;
}

Words RandomWords(Random& random, size_t count) {
  Words words;
  for (size_t i = 0; i < count; ++i) words.push_back("w" + std::to_string(random() % 4000));
  return words;
}

/// Some words replaced, some dropped, perhaps a piece of new text at the end.
Words Edited(Words words, Random& random) {
  for (uint64_t edits = random() % 6; edits > 0; --edits) {
    words[random() % words.size()] = "e" + std::to_string(random() % 4000);
  }
  if (random() % 3 == 0) words.resize(words.size() - random() % (words.size() / 4));
  if (random() % 4 == 0) {
    for (const std::string& word : RandomWords(random, random() % 10)) words.push_back(word);
  }
  return words;
}

/// Half of the records are copies; a third of them all end with the same words, so that the keys of
/// this third are soon full.
class TextSource {
 public:
  explicit TextSource(uint64_t seed) : random_(seed) {}

  std::string Next() {
    Words words;
    if (originals_.empty() || random_() % 2 == 0) {
      words = RandomWords(random_, 20 + random_() % 60);
      originals_.push_back(words);
    } else {
      const size_t back = random_() % std::min<size_t>(originals_.size(), 700);
      words = Edited(originals_[originals_.size() - 1 - back], random_);
    }
    std::string text;
    for (const std::string& word : words) text += word + " ";
    if (random_() % 3 == 0) text += "subscribe to our letter and never miss what is new today";
    return R"({"title":"story of the day","text":")" + text + R"("})";
  }
  Random& random() { return random_; }

 private:
  Random random_;
  std::vector<Words> originals_;
};

std::unique_ptr<LaneState> Rebuilt(const FilterOptions& options,
                                   const std::vector<std::string>& changelog) {
  auto lane = MakeLane(options);
  for (const std::string& bytes : changelog) {
    const Result<Delta> delta = DecodeDelta(bytes);
    EXPECT_TRUE(delta.ok());
    const Result<void> applied = lane->Apply(*delta);
    EXPECT_TRUE(applied.ok()) << applied.error().text;
  }
  return lane;
}

/// What a run met, so that a test can see it was worth its while.
struct Met {
  size_t beyond_the_guarantee = 0;
  size_t keys_passed_over = 0;
  size_t restarts = 0;
};

void ExpectSame(const Verdict& a, const Verdict& b) {
  ASSERT_EQ(a.decision, b.decision);
  ASSERT_EQ(a.late, b.late);
  if (a.decision != Decision::kDuplicate) return;
  ASSERT_EQ(a.match.original, b.match.original);
  ASSERT_EQ(a.match.distance, b.match.distance);
  ASSERT_EQ(a.match.kind, b.match.kind);
}

Met RunBoth(const FilterOptions& options, uint64_t seed) {
  TextSource texts(seed);
  Fingerprinter fingerprinter(options);
  auto whole = MakeLane(options);
  auto restarted = MakeLane(options);
  EXPECT_TRUE(whole->AddInput({"news", 0}, 0).ok());
  EXPECT_TRUE(restarted->AddInput({"news", 0}, 0).ok());
  std::vector<std::string> changelog;
  Met met;
  int64_t time_ms = 1'700'000'000'000;
  for (int64_t offset = 0; offset < 4000; ++offset) {
    SCOPED_TRACE("seed " + std::to_string(seed) + " offset " + std::to_string(offset));
    time_ms += static_cast<int64_t>(texts.random()() % 1000);
    const Position position{0, offset};
    const FingerprintedRecord record = fingerprinter.Compute({position, time_ms, texts.Next()});
    const Verdict verdict = whole->filter().Decide(record);
    ExpectSame(restarted->filter().Decide(record), verdict);
    if (testing::Test::HasFatalFailure()) return met;
    whole->Advance(position);
    restarted->Advance(position);
    met.beyond_the_guarantee += verdict.match.distance > GuaranteedDistance(options.match) ? 1 : 0;
    if (verdict.decision == Decision::kUnique && !record.text_keys.keys().empty()) {
      const auto stored = whole->filter().uncommitted().back().text_keys.keys();
      const auto wanted = record.text_keys.keys().first(std::min(stored.size(), size_t{3}));
      const bool as_wanted =
          stored.size() == 3 && std::equal(stored.begin(), stored.end(), wanted.begin());
      met.keys_passed_over += as_wanted ? 0 : 1;
    }
    if (texts.random()() % 60 != 0) continue;
    for (const Delta& delta : whole->Uncommitted()) changelog.push_back(Encode(delta));
    whole->Commit();
    restarted->Commit();
    if (texts.random()() % 4 == 0) {
      restarted = Rebuilt(options, changelog);
      ++met.restarts;
    }
  }
  EXPECT_GT(whole->filter().entries_evicted() + whole->filter().entries_expired(), 500U);
  return met;
}

TEST(Restart, ALaneRestoredFromItsChangelogDecidesAsOneThatNeverStopped) {
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    const Met met = RunBoth(Options(seed % 2 == 0, seed == 3), seed);
    if (HasFatalFailure()) return;
    EXPECT_GT(met.beyond_the_guarantee, 100U);
    EXPECT_GT(met.keys_passed_over, 15U);
    EXPECT_GT(met.restarts, 8U);
  }
}

}  // namespace
}  // namespace neardup
