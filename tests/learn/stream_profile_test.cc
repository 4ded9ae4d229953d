// Profiles against counts made by hand, and drift between streams whose changes are known.
#include "learn/stream_profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

#include "learn/drift.h"
#include "learn/model_file.h"
#include "learn/synthetic_streams.h"
#include "neardup/filter.h"

namespace neardup {
namespace {

using ::testing::HasSubstr;

constexpr size_t kRecords = 1000;

StreamProfile Profile(const std::vector<std::string>& payloads,
                      const FilterOptions& options = TextOptions()) {
  return ProfileOf(ViewsOf(payloads), options);
}

std::string Field(const std::string& name, const std::string& text) {
  return '"' + name + R"(":")" + text + '"';
}

TEST(StreamProfile, CountsWhatAPersonWouldCount) {
  FilterOptions options = OptionsOf({"title", "text"});
  SeededRandom random(1);
  const std::string title = Field("title", "Harbour");
  const std::string text = Phrase(random, 40);
  const std::vector<std::string> payloads = {
      "{" + title + "," + Field("text", text) + "}",
      "{" + title + "," + Field("text", text) + "}",
      "{" + title + "," + Field("text", Phrase(random, 40)) + "}",
      "{" + Field("text", Phrase(random, 40)) + "}",
      "{" + Field("title", "") + "," + Field("text", "x") + "}",
      "no JSON",
  };
  const StreamProfile profile = Profile(payloads, options);
  EXPECT_EQ(profile.records, 6U);
  EXPECT_EQ(profile.dead_letters, 1U);
  EXPECT_EQ(profile.exact_duplicates, 1U);
  EXPECT_EQ(profile.near_duplicates, 0U);
  EXPECT_EQ(profile.unique, 4U);
  EXPECT_EQ(profile.sketched, 3U) << "the record of one word is compared for equality only";
  EXPECT_EQ(profile.lengths[1], 1U) << "the text x";
  ASSERT_EQ(profile.fields.size(), 2U);
  EXPECT_EQ(profile.fields[0], (FieldProfile{"title", 3, 1}));
  EXPECT_EQ(profile.fields[1], (FieldProfile{"text", 5, 4}));
}

TEST(StreamProfile, CountsTheBitsOfTheSimhash) {
  const std::vector<std::string> payloads = TextStream(2, 300, 0, 0);
  const StreamProfile profile = Profile(payloads);
  Fingerprinter fingerprinter(TextOptions());
  std::array<uint64_t, 64> ones{};
  for (const RecordView& record : ViewsOf(payloads)) {
    const uint64_t simhash = fingerprinter.Compute(record).fingerprint.simhash;
    for (size_t bit = 0; bit < 64; ++bit) ones[bit] += simhash >> bit & 1;
  }
  EXPECT_EQ(profile.sketched, 300U);
  EXPECT_EQ(profile.ones, ones);
}

TEST(StreamProfile, LeavesTheSimhashOutWhereOnlyEqualRecordsAreJoined) {
  FilterOptions options = TextOptions();
  options.match.distance_max = 0;
  EXPECT_EQ(Profile(TextStream(2, 300, 0, 0), options).sketched, 0U);
}

TEST(StreamProfile, DoesNotDependOnWhatCameBefore) {
  const std::vector<std::string> payloads = TextStream(3, 400, 100, 3);
  const FilterOptions options = TextOptions();
  StreamProfiler profiler(options, payloads.size());
  Fingerprinter fingerprinter(options);
  std::vector<StreamProfile> profiles;
  for (int round = 0; round < 2; ++round) {
    for (const RecordView& record : ViewsOf(payloads)) {
      ASSERT_FALSE(profiler.complete());
      profiler.Add(record, fingerprinter.Compute(record));
    }
    EXPECT_TRUE(profiler.complete());
    profiles.push_back(profiler.Take());
  }
  EXPECT_EQ(profiles[0], profiles[1]);
  EXPECT_EQ(profiles[0], Profile(payloads));
}

TEST(StreamProfile, LeavesOutVeryLargeRecords) {
  const std::vector<std::string> payloads = {
      "{" + Field("text", std::string(kProfiledBytesMax, 'x')) + "}",
      "{" + Field("text", "x") + "}"};
  EXPECT_EQ(Profile(payloads).records, 1U);
}

TEST(ProfileText, IsReadBackAsItWas) {
  const StreamProfile profile = Profile(TextStream(4, 500, 100, 3));
  EXPECT_EQ(ParseProfile(ProfileText(profile)), profile);
}

TEST(ProfileText, OfAnotherFormIsNoProfile) {
  const std::string text = ProfileText(Profile(TextStream(4, 300, 100, 3)));
  std::string newer = text;
  newer.replace(newer.find("1"), 1, "2");
  std::string vast = text;
  vast.replace(vast.find("\"records\":") + 10, 3, "1e300");
  for (const std::string& other :
       {std::string(), std::string("[]"), std::string("{}"), text.substr(0, text.size() / 2), newer,
        vast, std::string(5000, '[')}) {
    EXPECT_FALSE(ParseProfile(other)) << other.substr(0, 40);
  }
}

TEST(ProfileText, WithCountsThatNoRecordsCanHaveIsNoProfile) {
  const StreamProfile good = Profile(TextStream(4, 300, 100, 3));
  ASSERT_TRUE(ParseProfile(ProfileText(good)));
  std::vector<StreamProfile> bad(6, good);
  bad[0].dead_letters = UINT64_MAX;
  bad[1].records = good.unique;
  bad[2].ones[7] = good.sketched + 1;
  bad[3].fields[0].present = good.comparable() + 1;
  bad[4].fields[0].distinct = good.fields[0].present + 1;
  bad[5].distances[0] = good.near_duplicates + 1;
  for (const StreamProfile& profile : bad) EXPECT_FALSE(ParseProfile(ProfileText(profile)));
}

class DriftTest : public testing::Test {
 protected:
  /// Text of the aspect if it has drifted, otherwise empty.
  static std::string Found(const std::vector<AspectDrift>& drift, DriftAspect aspect) {
    for (const AspectDrift& found : Drifted(drift)) {
      if (found.aspect == aspect) return found.text;
    }
    return "";
  }
};

TEST_F(DriftTest, IsSilentOnStreamsThatDoNotChange) {
  for (uint64_t seed = 0; seed < 6; ++seed) {
    for (const size_t size : {size_t{250}, size_t{1000}}) {
      const auto halves = [&](const std::vector<std::string>& all, const FilterOptions& options) {
        const std::vector<RecordView> views = ViewsOf(all);
        const std::span<const RecordView> span(views);
        const auto drift = Drifted(Compare(ProfileOf(span.first(size), options),
                                           ProfileOf(span.subspan(size, size), options)));
        EXPECT_TRUE(drift.empty()) << "seed " << seed << ", " << size
                                   << " records: " << (drift.empty() ? "" : drift[0].text);
      };
      halves(TextStream(seed, 2 * size, 100, 3), TextOptions());
      halves(SeriesStream(seed, 2 * size), TextOptions());
      halves(CitationStream(seed, 2 * size), OptionsOf({"title", "author", "venue", "publisher"}));
      halves(EditStream(seed, 2 * size, 50), OptionsOf({"user", "comment", "page"}));
    }
  }
}

TEST_F(DriftTest, FindsThatAStreamChangesHalfWay) {
  std::vector<std::string> joined = TextStream(1, kRecords, 100, 3);
  const std::vector<std::string> other = SeriesStream(2, kRecords);
  joined.insert(joined.end(), other.begin(), other.end());
  const std::vector<RecordView> views = ViewsOf(joined);
  const std::span<const RecordView> span(views);
  FilterOptions options = TextOptions();
  options.match.numbers = false;  // the events of a series differ in numbers
  const auto drift =
      Compare(ProfileOf(span.first(kRecords), options), ProfileOf(span.last(kRecords), options));
  EXPECT_NE(Found(drift, DriftAspect::kDuplicates), "");
}

TEST_F(DriftTest, NamesTheShareOfDuplicates) {
  const auto drift =
      Compare(Profile(TextStream(1, kRecords, 50, 0)), Profile(TextStream(2, kRecords, 600, 0)));
  EXPECT_THAT(Found(drift, DriftAspect::kDuplicates), HasSubstr("exact and 0 % near, now"));
}

TEST_F(DriftTest, NamesTheFieldThatIsGone) {
  SeededRandom random(5);
  const auto records = [&](uint64_t with_title_per_mille) {
    std::vector<std::string> payloads;
    for (size_t i = 0; i < kRecords; ++i) {
      Fields fields = {{"text", Phrase(random, 30)}};
      if (random.Chance(with_title_per_mille)) fields.push_back({"title", Phrase(random, 5)});
      payloads.push_back(RecordOf(fields));
    }
    return Profile(payloads, OptionsOf({"title", "text"}));
  };
  const StreamProfile before = records(1000);
  EXPECT_EQ(Found(Compare(before, records(980)), DriftAspect::kPresence), "");
  const auto drift = Compare(before, records(100));
  EXPECT_THAT(Found(drift, DriftAspect::kPresence),
              HasSubstr("field title: in 100 % of the records, now in"));
}

TEST_F(DriftTest, NamesTheFieldWhoseValuesRepeat) {
  SeededRandom random(6);
  const auto records = [&](uint64_t titles) {
    std::vector<std::string> payloads;
    for (size_t i = 0; i < kRecords; ++i) {
      payloads.push_back(RecordOf(
          {{"title", "report " + LetterWord(random.Below(titles))}, {"text", Phrase(random, 30)}}));
    }
    return Profile(payloads, OptionsOf({"title", "text"}));
  };
  const auto drift = Compare(records(1'000'000), records(10));
  EXPECT_THAT(Found(drift, DriftAspect::kDistinctness),
              HasSubstr("field title: 100 % of its values are distinct, now 1.0 %"));
}

TEST_F(DriftTest, SeesThatTheTextsAreAboutSomethingElse) {
  SeededRandom random(8);
  const std::vector<std::string> subject = RandomWords(random, 25);
  const auto records = [&](bool with_subject) {
    std::vector<std::string> payloads;
    while (payloads.size() < kRecords) {
      std::vector<std::string> words = RandomWords(random, 60);
      if (with_subject) std::copy(subject.begin(), subject.end(), words.begin());
      payloads.push_back(TextRecord(words));
    }
    return Profile(payloads);
  };
  const auto drift = Drifted(Compare(records(false), records(true)));
  ASSERT_EQ(drift.size(), 1U);
  EXPECT_EQ(drift[0].aspect, DriftAspect::kBits);
}

TEST_F(DriftTest, NamesLongerTextsAndDeadLetters) {
  SeededRandom random(7);
  const auto records = [&](size_t words, size_t broken) {
    std::vector<std::string> payloads(broken, "{");
    while (payloads.size() < kRecords) payloads.push_back(TextRecord(RandomWords(random, words)));
    return Profile(payloads);
  };
  const StreamProfile before = records(20, 0);
  EXPECT_THAT(Found(Compare(before, records(80, 0)), DriftAspect::kLengths),
              HasSubstr("length of the compared text: the median is"));
  EXPECT_THAT(Found(Compare(before, records(20, 300)), DriftAspect::kDeadLetters),
              HasSubstr("dead letters: 0 % of the records, now 30 %"));
}

TEST_F(DriftTest, FindsNearDuplicatesThatShareTooLittleWhateverWasBefore) {
  FilterOptions loose = TextOptions();
  loose.match.similarity = 0;
  loose.match.distance_max = 12;
  loose.match.distance_sum_max = 64;
  const StreamProfile copies = Profile(TextStream(1, kRecords, 500, 3), loose);
  const StreamProfile strangers = Profile(TextStream(2, kRecords, 500, 18), loose);
  ASSERT_GT(copies.joined.near, 100U);
  ASSERT_GT(strangers.joined.near, 30U);
  EXPECT_EQ(Found(Compare(strangers, copies), DriftAspect::kJoins), "");
  for (const StreamProfile& before : {copies, strangers}) {
    EXPECT_THAT(Found(Compare(before, strangers), DriftAspect::kJoins),
                HasSubstr("share less than 60 % of their phrases"));
  }
}

TEST_F(DriftTest, IsNotMeasuredBetweenProfilesThatCannotBeCompared) {
  const StreamProfile before = Profile(TextStream(1, kRecords, 50, 0));
  const StreamProfile after = Profile(SeriesStream(2, kRecords));
  ASSERT_FALSE(Drifted(Compare(before, after)).empty());
  EXPECT_TRUE(Drifted(Compare(before, Profile(SeriesStream(2, kRecords / 2 - 1)))).empty())
      << "too few records";
  FilterOptions other = TextOptions();
  other.match.distance_max = 3;
  EXPECT_TRUE(Drifted(Compare(before, Profile(SeriesStream(2, kRecords), other))).empty())
      << "other options";
  EXPECT_EQ(Compare(before, after).size(), kDriftAspects);
}

}  // namespace
}  // namespace neardup
