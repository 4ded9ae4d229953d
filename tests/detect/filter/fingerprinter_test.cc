#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "detect/base/hash.h"
#include "detect/base/simd_levels.h"
#include "neardup/filter.h"

namespace neardup {
namespace {

constexpr uint32_t kSeed = 20260131;

const char* const kEnglish =
    R"({"title":"River bridge reopens after two years of repairs","body":"The old stone bridge over the river was opened to walkers and cyclists again on Monday. Builders had replaced eleven of its forty arches, and the town paid for new lamps on both sides. Cars will have to wait until the spring, the mayor said, because the approach road still has to be widened."})";
const char* const kEnglishEdited =
    R"({"title":"River bridge reopens after two years of repairs","body":"The old stone bridge over the river was opened to walkers and cyclists again on Tuesday. Builders had replaced twelve of its forty arches, and the town paid for new lamps on both sides. Cars will have to wait until the spring, the mayor said, because the approach road still has to be widened."})";
const char* const kEnglishOther =
    R"({"title":"Bakers win the regional cup","body":"A team of four bakers from the valley took first place with a loaf of rye and roasted walnuts. The jury tasted thirty entries in one afternoon and praised its dark crust. Next year's contest will be held by the lake, where the winners promise to defend their title with a sweeter recipe."})";
const char* const kChinese =
    R"({"title":"图书馆周末延长开放时间","body":"从下个月起，市图书馆将在每个周末延长开放时间两小时，方便白天上班的读者借书还书。馆长介绍说，儿童阅览室也会增加十二个座位，并且每周六下午邀请老师给孩子们讲故事。市民可以在网上提前预约，也可以直接到服务台登记。"})";
const char* const kChineseEdited =
    R"({"title":"图书馆周末延长开放时间","body":"从下个月起，市图书馆将在每个周末延长开放时间三小时，方便白天上班的读者借书还书。馆长介绍说，儿童阅览室也会增加二十个座位，并且每周日下午邀请老师给孩子们讲故事。市民可以在网上提前预约，也可以直接到服务台登记。"})";
const char* const kChineseOther =
    R"({"title":"新公交线路明天开通","body":"一条连接火车站和大学城的公交线路将于明天早上六点开通，全程三十五分钟，票价两元。公交公司表示，高峰时段每八分钟发一班车，末班车为晚上十点半。沿途共设二十二站，其中四站可以换乘地铁。乘客如有意见，可拨打热线反映。"})";

FilterOptions Fields(const std::vector<std::string>& paths) {
  FilterOptions options;
  for (const std::string& path : paths) options.record.fields.push_back({path, 1.0});
  return options;
}

FingerprintedRecord Compute(const FilterOptions& options, std::optional<std::string_view> payload) {
  Fingerprinter fingerprinter(options);
  return fingerprinter.Compute({{3, 4}, 5, payload});
}

Fingerprint Of(std::string_view payload) { return Compute(FilterOptions(), payload).fingerprint; }

int Distance(std::string_view left, std::string_view right) {
  return std::popcount(Of(left).simhash ^ Of(right).simhash);
}

// FORMAT: changelogs contain these numbers. If this test fails, the algorithm version in
// FingerprintSpec must be raised.
TEST(Fingerprinter, NeverChangesAFingerprint) {
  struct Golden {
    const char* payload;
    uint64_t simhash;
    uint64_t order;
    uint64_t exact;
    uint32_t features;
    uint32_t first_key;  ///< 0: none
    size_t keys;
  };
  const Golden goldens[] = {
      {kEnglish, 0x2F0D932B0D709857, 0x49857704111D8830, 0x6C8A6CA6A4AE2AC9, 50, 0x893ABC03, 8},
      {kEnglishEdited, 0x2F0DB72B2D72985B, 0x0D87750711198818, 0x47009056E46C4A0A, 50, 0x893ABC03,
       8},
      {kEnglishOther, 0xC31294A22AF2BE9E, 0xD20A91875CEA2F5A, 0xB388FC4781AF4660, 49, 0xCD083670,
       8},
      {kChinese, 0xD00EDD08F291C93A, 0x42E7702333631D04, 0x85853D39259CD2B4, 80, 0x135ED856, 8},
      {kChineseEdited, 0xF00CDD08D291C13A, 0x02FB306233735D0E, 0xCEF76173BCEC57E1, 80, 0x135ED856,
       8},
      {kChineseOther, 0x58067B335BF3CA7B, 0xE9D5CD46D2B93666, 0xC36A46AF8861D649, 77, 0x86C3756A,
       8},
      {R"({"a":""})", 0xC77B3ABB6F87ACD9, 0xBB55D439C705DF34, 0xC77B3ABB6F87ACD9, 0, 0, 0},
      {R"({"a":"short text"})", 0xA8D54EFDA0B9EBEA, 0xF977BAAABEC7565C, 0xA8D54EFDA0B9EBEA, 2, 0,
       0},
      {R"({"n":-2.10,"b":true,"list":["x",["y"],{"z":1e5}]})", 0x275D7310B9B0A00B,
       0x5E568A72AC8AEB22, 0x275D7310B9B0A00B, 5, 0, 0},
      {R"({"a":"<p>Caf&eacute; au lait</p>","b":"ＦＵＬＬ　ｗｉｄｔｈ　１２"})", 0x9B505798005B7BF3,
       0x1D5D7630D522E020, 0x9B505798005B7BF3, 6, 0, 0},
      {R"({"a":"a b c d e f g h i j k l m n o p a a a b b c"})", 0xE440231656DC8A1F,
       0x9223442960029C0C, 0x7A6AD576F4A9028C, 16, 0x5BC9E30F, 8},
      {R"({"a":"हिन्दी भाषा ที่นี่ 한국어 ｶﾞｷﾞ ελληνικά Straße עברית"})", 0x3064204225864CAE,
       0x7E508DCF88B7AD8D, 0x362D25F750545739, 12, 0xEB4B04E9, 8},
      {R"({"a":"\ud83d\ude00 \ud840\udc00 e\u0301"})", 0x6D64A1C26D6E851B, 0xD0065C4E0FE9C8FE,
       0x6D64A1C26D6E851B, 3, 0, 0},
      {R"({"a":"C++ at -5% of $7 <3","b":"in/aB3x","c":"kV","d":"1.10"})", 0x5ECEB99E56901272,
       0x4420805684640101, 0xDF12DE5C71909FF4, 15, 0x68A8CED9, 8},
  };
  AtEachSimdLevel([&] {
    for (const Golden& golden : goldens) {
      const auto record = Compute(FilterOptions(), golden.payload);
      EXPECT_EQ(record.outcome.reason, Reason::kNone) << record.outcome.error;
      EXPECT_EQ(record.fingerprint.simhash, golden.simhash) << golden.payload;
      EXPECT_EQ(record.fingerprint.order, golden.order) << golden.payload;
      EXPECT_EQ(record.fingerprint.exact, golden.exact) << golden.payload;
      EXPECT_EQ(record.features, golden.features) << golden.payload;
      const auto keys = record.text_keys.keys();
      EXPECT_EQ(keys.size(), golden.keys) << golden.payload;
      EXPECT_EQ(keys.empty() ? 0 : keys[0], golden.first_key) << golden.payload;
    }
  });
}

TEST(Fingerprinter, NeverChangesAFingerprintOfWeightedFields) {
  FilterOptions options;
  options.record.fields = {{"title", 2.5}, {"body", 0.3}};
  AtEachSimdLevel([&] {
    const auto english = Compute(options, kEnglish);
    EXPECT_EQ(english.fingerprint.simhash, 0xAC45172F2B729052U);
    EXPECT_EQ(english.fingerprint.exact, Of(kEnglish).exact);
  });
}

TEST(Fingerprinter, ComputesTheSameForARecordThatItHasSeenBefore) {
  constexpr int kRecords = 20'000;
  std::mt19937_64 random(kSeed);
  const auto text = [&] {
    std::string words;
    // Some texts fill more than one batch of tokens that are hashed together.
    for (uint64_t left = random() % (random() % 200 == 0 ? 1500 : 30); left > 0; --left) {
      words += "w" + std::to_string(random() % 40) + " ";
    }
    return words;
  };
  FilterOptions keyed = Fields({"a", "b"});
  keyed.record.fields.push_back({"k", 1.0, /*key=*/true});
  FilterOptions weighted = Fields({"a"});
  weighted.record.fields.push_back({"b", 2.5});
  for (const FilterOptions& options : {FilterOptions(), keyed, weighted}) {
    // More texts than it keeps, and many come again: some are found, others are gone.
    std::vector<std::string> texts(3'000);
    for (std::string& each : texts) each = text();
    Fingerprinter fingerprinter(options);
    for (int i = 0; i < kRecords; ++i) {
      const std::string& a = texts[random() % texts.size()];
      const std::string b = random() % 2 == 0 ? "the same" : "another";
      const std::string k = random() % 2 == 0 ? "one" : "two";
      // The members may come in any order.
      const std::string payload =
          random() % 2 == 0 ? R"({"a":")" + a + R"(","b":")" + b + R"(","k":")" + k + R"("})"
                            : R"({"k":")" + k + R"(","b":")" + b + R"(","a":")" + a + R"("})";
      const RecordView record{{0, i}, i, payload};
      const FingerprintedRecord seen = fingerprinter.Compute(record);
      if (i % 10 > 0) continue;
      const FingerprintedRecord fresh = Fingerprinter(options).Compute(record);
      ASSERT_EQ(seen.fingerprint, fresh.fingerprint) << payload;
      ASSERT_EQ(seen.text_keys, fresh.text_keys) << payload;
      ASSERT_EQ(seen.features, fresh.features) << payload;
      ASSERT_EQ(seen.position, record.position);
      ASSERT_EQ(seen.outcome.time_ms, i);
    }
  }
}

TEST(Fingerprinter, ComputesTheExactHashAloneIfOnlyEqualRecordsMatch) {
  FilterOptions options;
  options.match.distance_max = 0;
  AtEachSimdLevel([&] {
    std::string large = R"({"a":")";
    for (int word = 0; word < 1200; ++word) large += "w" + std::to_string(word) + " ";
    large += R"("})";
    for (const std::string& payload : {std::string(kEnglish), std::string(kChinese),
                                       std::string(R"({"a":"short text"})"), large}) {
      const FingerprintedRecord record = Compute(options, payload);
      const uint64_t exact = Of(payload).exact;
      EXPECT_EQ(record.fingerprint, (Fingerprint{exact, Mix64(exact), exact, 0}));
      EXPECT_TRUE(record.text_keys.keys().empty());
      EXPECT_EQ(record.outcome.time_ms, 5);
    }
    EXPECT_EQ(Compute(options, R"({"a":"one two","b":"two"})").features, 3U);
    EXPECT_EQ(Compute(options, "{").outcome.reason, Reason::kParse);
  });
}

TEST(Fingerprinter, PutsEditedTextsNearAndOthersFar) {
  EXPECT_LE(Distance(kEnglish, kEnglishEdited), 7);
  EXPECT_LE(Distance(kChinese, kChineseEdited), 7);
  EXPECT_GE(Distance(kEnglish, kEnglishOther), 12);
  EXPECT_GE(Distance(kChinese, kChineseOther), 12);
  EXPECT_GE(Distance(kEnglish, kChinese), 12);
  EXPECT_NE(Of(kEnglish).exact, Of(kEnglishEdited).exact);
}

TEST(Fingerprinter, SeesNoDifferenceInFormatting) {
  const Fingerprint plain = Of(R"({"a":"Hello, World 12","n":2.1})");
  for (const char* payload :
       {R"({"n":2.1,"a":"Hello, World 12"})", R"({"a":"hello world 12","n":2.10})",
        R"({"a":"<b>HELLO</b>&nbsp;world - １２！","n":"2.1"})",
        R"({ "a" : "\u0048ello\tWorld\n12", "n" : "＋２．１" })",
        R"({"a":"Hello, World 12","n":2.1,"empty":"","none":null,"blank":"<br>\n"})"}) {
    EXPECT_EQ(Of(payload), plain) << payload;
  }
}

TEST(Fingerprinter, SeesADifferenceInSignsAndWordsThatAreMoreThanLetters) {
  const std::pair<const char*, const char*> pairs[] = {
      {"\U0001F44D", "\U0001F44E"},
      {"rated A+ today", "rated A- today"},
      {"C", "C++"},
      {"stars ★★★★", "stars ★★"},
      {"at -5 degrees", "at 5 degrees"},
      {"x > 3", "x < 3"},
      {"1.10", "1.1"},
      {"???", "!!!"},
      {"see aB3x", "see Ab3X"},
      {"out/b-1.csv", "out/b_1.csv"},
      {"kV", "KV"},
      {"we <3 tea -> Arden", "we <3 coffee -> Arden"}};
  for (const auto& [one, other] : pairs) {
    const auto payload = [](const std::string& text) { return R"({"a":")" + text + R"("})"; };
    EXPECT_NE(Of(payload(one)).exact, Of(payload(other)).exact) << one;
  }
  for (const char* same : {R"({"a":"Hat"})", R"({"a":"HAT!"})", R"({"a":" <i>hat</i> "})"}) {
    EXPECT_EQ(Of(same), Of(R"({"a":"hat"})")) << same;
  }
}

TEST(Fingerprinter, DistinguishesFieldsInTheExactHash) {
  EXPECT_NE(Of(R"({"a":"1 2"})").exact, Of(R"({"a":"1","b":"2"})").exact);
  EXPECT_NE(Of(R"({"a":"x","b":"y"})").exact, Of(R"({"a":"y","b":"x"})").exact);
  EXPECT_NE(Of(R"({"a":["x","y"]})").exact, Of(R"({"a":["y","x"]})").exact);
  EXPECT_NE(Of(R"({"a":5})").exact, Of(R"({"a":-5})").exact);
  EXPECT_NE(Of(R"({"a":"x y"})").exact, Of(R"({"a":"y x"})").exact);
  EXPECT_NE(Of(R"({"a":{"b":"x"}})").exact, Of(R"({"b":"x"})").exact);
}

TEST(Fingerprinter, JoinsFieldsInTheSimhash) {
  FilterOptions options;
  options.feature.features_min = 0;
  const auto one = Compute(options, R"({"a":"red green blue","b":"one two"})");
  const auto two = Compute(options, R"({"a":"red green","c":"two one blue"})");
  EXPECT_EQ(one.fingerprint.simhash, two.fingerprint.simhash);
  EXPECT_NE(one.fingerprint.exact, two.fingerprint.exact);
}

TEST(Fingerprinter, ComparesARecordOfFewTokensExactlyOnly) {
  const char* const payload = R"({"a":"a b c d e f g h i j k"})";
  FilterOptions options;
  options.feature.features_min = 12;
  const auto few = Compute(options, payload);
  EXPECT_EQ(few.features, 11U);
  EXPECT_EQ(few.fingerprint.simhash, few.fingerprint.exact);
  options.feature.features_min = 11;
  const auto enough = Compute(options, payload);
  EXPECT_NE(enough.fingerprint.simhash, enough.fingerprint.exact);
  EXPECT_EQ(enough.fingerprint.exact, few.fingerprint.exact);
}

TEST(Fingerprinter, TreatsRecordsWithoutATokenAsEqual) {
  FilterOptions options;
  options.feature.features_min = 0;
  const auto empty = Compute(options, R"({"a":""})");
  EXPECT_EQ(empty.outcome.reason, Reason::kNone);
  EXPECT_EQ(empty.features, 0U);
  EXPECT_EQ(empty.fingerprint.simhash, empty.fingerprint.exact);
  EXPECT_EQ(Compute(options, R"({"b":{"c":[]},"a":" \n "})").fingerprint, empty.fingerprint);
}

TEST(Fingerprinter, AnotherSeedChangesEverythingButTheExactHash) {
  FilterOptions options;
  std::vector<FingerprintedRecord> records;
  for (const uint64_t seed : {uint64_t{0}, uint64_t{1}, uint64_t{1} << 63}) {
    options.model.hash_seed = seed;
    records.push_back(Compute(options, kEnglish));
    EXPECT_EQ(records.back().features, records[0].features);
    EXPECT_EQ(records.back().fingerprint.exact, records[0].fingerprint.exact);
    EXPECT_EQ(Compute(options, R"({"a":"short text"})").fingerprint, Of(R"({"a":"short text"})"));
  }
  for (size_t i = 0; i < records.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      const Fingerprint& a = records[i].fingerprint;
      const Fingerprint& b = records[j].fingerprint;
      EXPECT_GT(std::popcount(a.simhash ^ b.simhash), 12);
      EXPECT_GT(std::popcount(a.order ^ b.order), 12);
      for (const uint32_t key : records[i].text_keys.keys()) {
        const auto others = records[j].text_keys.keys();
        EXPECT_EQ(std::count(others.begin(), others.end(), key), 0);
      }
    }
  }
}

TEST(Fingerprinter, WordOrderChangesEverythingButTheSimhash) {
  FilterOptions options;
  options.feature.features_min = 0;
  const auto one = Compute(options, R"({"a":"one two three four five six seven"})");
  const auto two = Compute(options, R"({"a":"seven six five four three two one"})");
  EXPECT_EQ(one.fingerprint.simhash, two.fingerprint.simhash);
  EXPECT_GT(std::popcount(one.fingerprint.order ^ two.fingerprint.order), 12);
  EXPECT_NE(one.fingerprint.exact, two.fingerprint.exact);
  EXPECT_EQ(one.text_keys.keys().size(), 5U);
  EXPECT_NE(one.text_keys, two.text_keys);
}

TEST(Fingerprinter, PairsAndTriplesEndWithTheirField) {
  FilterOptions options;
  options.feature.features_min = 0;
  const auto apart = Compute(options, R"({"a":"one two","b":"three"})");
  EXPECT_EQ(apart.text_keys.keys().size(), 2U);  // one of the first text and one of the second
  const auto turned = Compute(options, R"({"b":"three","a":"one two"})");
  EXPECT_EQ(apart.fingerprint, turned.fingerprint);
  EXPECT_EQ(apart.text_keys, turned.text_keys);
  const auto joined = Compute(options, R"({"a":"one two three"})");
  EXPECT_EQ(joined.text_keys.keys().size(), 1U);
  EXPECT_EQ(joined.fingerprint.simhash, apart.fingerprint.simhash);
  EXPECT_NE(joined.fingerprint.order, apart.fingerprint.order);
}

TEST(Fingerprinter, ARecordOfFewTokensHasNoTextKeys) {
  const auto few = Compute(FilterOptions(), R"({"a":"short text of few words"})");
  EXPECT_TRUE(few.text_keys.keys().empty());
  EXPECT_EQ(few.fingerprint.order, Mix64(few.fingerprint.exact));
}

TEST(Fingerprinter, SubtractsTheCentreOfTheModel) {
  FilterOptions options;
  options.model.centre.fill(65'536);  // twice the largest value of any bit of any text
  const auto above = Compute(options, kEnglish);
  EXPECT_EQ(above.fingerprint.simhash, 0U);
  options.model.centre.fill(-65'536);
  EXPECT_EQ(Compute(options, kEnglish).fingerprint.simhash, UINT64_MAX);
  EXPECT_EQ(above.fingerprint.order, Of(kEnglish).order);
  EXPECT_EQ(above.fingerprint.exact, Of(kEnglish).exact);
}

TEST(Fingerprinter, AppliesTheWeightsOfFields) {
  const char* const payload = R"({"a":"one two three","b":"four five six seven eight nine"})";
  FilterOptions equal = Fields({"a", "b"});
  equal.feature.features_min = 0;
  FilterOptions heavy = equal;
  heavy.record.fields[0].weight = 100;
  FilterOptions alone = Fields({"a"});
  alone.feature.features_min = 0;
  const uint64_t of_a = Compute(alone, payload).fingerprint.simhash;
  EXPECT_EQ(Compute(heavy, payload).fingerprint.simhash, of_a);
  EXPECT_NE(Compute(equal, payload).fingerprint.simhash, of_a);
}

TEST(Fingerprinter, CarriesPositionTimeAndReason) {
  const auto good = Compute(FilterOptions(), kEnglish);
  EXPECT_EQ(good.position, (Position{3, 4}));
  EXPECT_EQ(good.outcome.time_ms, 5);
  EXPECT_FALSE(good.outcome.passed);
  const auto bad = Compute(FilterOptions(), "{");
  EXPECT_EQ(bad.position, (Position{3, 4}));
  EXPECT_EQ(bad.outcome.reason, Reason::kParse);
  EXPECT_NE(bad.outcome.error, "");
  FilterOptions options;
  options.record.null_value = NullValue::kUnique;
  EXPECT_TRUE(Compute(options, std::nullopt).outcome.passed);
}

TEST(Fingerprinter, GivesTheSameFingerprintAfterAnyOtherRecord) {
  Fingerprinter fingerprinter(FilterOptions{});
  const auto fresh = Of(kEnglish);
  const std::string large = R"({"a":")" + std::string(size_t{2} << 20, 'x') + R"("})";
  for (const std::string& before :
       {std::string(kChinese), std::string("{"), std::string("{\"a\":\"\\ud800\"}"), large,
        std::string(R"({"a":"e\u0301 \u1112\u1161"})"), std::string(R"({"a":""})")}) {
    fingerprinter.Compute({{}, 0, before});
    EXPECT_EQ(fingerprinter.Compute({{}, 0, kEnglish}).fingerprint, fresh);
  }
}

}  // namespace
}  // namespace neardup
