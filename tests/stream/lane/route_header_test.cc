// The writer against the documented text, the parser against the writer over random values, and
// the parser against headers broken on purpose.
#include "stream/lane/route_header.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace neardup {
namespace {

using testing::HasSubstr;

/// Owns what the writer only borrows.
struct Sample {
  uint64_t seq = 81;
  InputPartition origin{"news", 3};
  int64_t origin_offset = 5512;
  Verdict verdict;
  bool observed = false;
  bool released = false;
  std::optional<JoinedGroup> joined{};
  InputPartition newest{"a b", 4};
  bool keyed = false;
  std::optional<std::string_view> own_key{};
  InputPartition original{"news", 1};
  Fingerprint fingerprint{0x0123456789abcdef, 0x00112233445566ff, 0xfedcba9876543210,
                          0x8000000000000001};

  const std::vector<HeaderView>& WriteWith(RouteHeaderWriter& writer) const {
    const bool replaces = joined && joined->replaces && !observed;
    const RoutingMode mode = released || replaces ? RoutingMode::kRoute : RoutingMode::kObserve;
    const Route route = observed || released ? Route::kUnique : RouteOf(verdict.decision);
    Message message;
    message.position = {0, origin_offset};
    message.key = own_key;
    RoutedRecord record{.message = message,
                        .input = origin,
                        .verdict = verdict,
                        .fingerprint = fingerprint,
                        .route = route,
                        .mode = mode,
                        .seq = seq,
                        .original_input = &original};
    if (joined) {
      record.joined = &*joined;
      record.newest_input = &newest;
      if (joined->replaces) record.route = Route::kUnique;
    }
    if (keyed) record.group_key = "";
    return writer.Write(record);
  }
};

Sample Duplicate() {
  Sample sample;
  sample.verdict.decision = Decision::kDuplicate;
  sample.verdict.match.original = {7, 771};
  sample.verdict.match.distance = 2;
  sample.verdict.match.kind = MatchKind::kNear;
  return sample;
}

Sample Suspect() {
  Sample sample = Duplicate();
  sample.verdict.decision = Decision::kUnique;
  sample.verdict.match.suspect = true;
  return sample;
}

Sample DeadLetter(std::string error) {
  Sample sample;
  sample.verdict.decision = Decision::kDeadLetter;
  sample.verdict.outcome.reason = Reason::kParse;
  sample.verdict.outcome.error = std::move(error);
  return sample;
}

std::string Packed(const Sample& sample, HeaderStyle style = HeaderStyle::kPacked) {
  RouteHeaderWriter writer(style);
  const auto& headers = sample.WriteWith(writer);
  EXPECT_EQ(headers.size(), 1u);
  EXPECT_EQ(headers.at(0).name, "neardup");
  return std::string(headers.at(0).value.value());
}

std::vector<std::string> Separate(const Sample& sample) {
  RouteHeaderWriter writer(HeaderStyle::kSeparate);
  std::vector<std::string> lines;
  for (const HeaderView& header : sample.WriteWith(writer)) {
    lines.push_back(std::string(header.name) + ": " + std::string(header.value.value()));
  }
  return lines;
}

Result<ParsedHeader> Parse(std::string_view packed) {
  return ParseRouteHeader({{"neardup", packed}});
}

TEST(RouteHeader, AUniqueRecordNamesSeqAndOrigin) {
  EXPECT_EQ(Packed(Sample{}), "seq=81;origin=news/3/5512");
}

TEST(RouteHeader, ADuplicateNamesItsOriginalDistanceAndKind) {
  EXPECT_EQ(Packed(Duplicate()),
            "seq=81;origin=news/3/5512;original=news/1/771;distance=2;kind=near");
}

TEST(RouteHeader, ADeadLetterNamesItsReasonAndEncodesItsError) {
  EXPECT_EQ(Packed(DeadLetter("at byte 3: ';' = 100%\n")),
            "seq=81;origin=news/3/5512;reason=parse;"
            "error=at%20byte%203:%20'%3B'%20%3D%20100%25%0A");
}

TEST(RouteHeader, AnEmptyErrorIsAbsent) {
  EXPECT_EQ(Packed(DeadLetter("")), "seq=81;origin=news/3/5512;reason=parse");
}

TEST(RouteHeader, FlagsArePresentOnlyWhenTheyHold) {
  Sample sample;
  sample.verdict.late = true;
  EXPECT_EQ(Packed(sample), "seq=81;origin=news/3/5512;late");
  sample.verdict.clamped = true;
  sample.verdict.outcome.passed = true;
  EXPECT_EQ(Packed(sample), "seq=81;origin=news/3/5512;late;clamped;passed");
}

TEST(RouteHeader, ADuplicateOrADeadLetterOnTheUniqueTopicIsObserved) {
  Sample sample = Duplicate();
  sample.observed = true;
  EXPECT_EQ(Packed(sample),
            "seq=81;origin=news/3/5512;original=news/1/771;distance=2;kind=near;observed");
  EXPECT_EQ(Parse(Packed(sample))->decision(), Decision::kDuplicate);
  EXPECT_EQ(Parse(Packed(sample))->route(), Route::kUnique);
  EXPECT_EQ(Parse(Packed(Duplicate()))->route(), Route::kDuplicate);
  sample = DeadLetter("");
  sample.observed = true;
  EXPECT_EQ(Packed(sample), "seq=81;origin=news/3/5512;reason=parse;observed");
  sample = Sample();
  sample.observed = true;
  EXPECT_EQ(Packed(sample), "seq=81;origin=news/3/5512") << "a unique record is where it belongs";
}

TEST(RouteHeader, AReleasedDuplicateIsOnTheUniqueTopic) {
  Sample sample = Duplicate();
  sample.released = true;
  EXPECT_EQ(Packed(sample),
            "seq=81;origin=news/3/5512;original=news/1/771;distance=2;kind=near;released");
  EXPECT_EQ(Parse(Packed(sample))->route(), Route::kUnique);
  EXPECT_EQ(Parse(Packed(sample))->decision(), Decision::kDuplicate);
  EXPECT_FALSE(Parse("seq=81;origin=news/3/5512;released").ok());
}

TEST(RouteHeader, ADuplicateOfALaneThatKeepsTheNewestNamesTheRecordThatItReplacesOrThatStays) {
  Sample sample = Duplicate();
  sample.joined = JoinedGroup{{9, 12}, true};
  EXPECT_EQ(Packed(sample),
            "seq=81;origin=news/3/5512;original=news/1/771;distance=2;kind=near;"
            "replaces=a%20b/4/12");
  EXPECT_EQ(Parse(Packed(sample))->route(), Route::kUnique);
  EXPECT_EQ(Parse(Packed(sample))->decision(), Decision::kDuplicate);
  EXPECT_EQ(*Parse(Packed(sample))->replaces, (ParsedPosition{{"a b", 4}, 12}));
  sample.observed = true;
  EXPECT_THAT(Packed(sample), HasSubstr(";replaces=a%20b/4/12;observed"));
  sample.observed = false;
  sample.joined->replaces = false;
  EXPECT_THAT(Packed(sample), HasSubstr(";kind=near;newest=a%20b/4/12"));
  EXPECT_EQ(Parse(Packed(sample))->route(), Route::kDuplicate);
  EXPECT_FALSE(Parse("seq=81;origin=news/3/5512;replaces=a/0/1").ok()) << "it is no duplicate";
  EXPECT_FALSE(Parse(Packed(sample) + ";replaces=a/0/1").ok()) << "it is one of both";
  EXPECT_FALSE(Parse(Packed(Duplicate()) + ";newest=a/0").ok());
}

TEST(RouteHeader, ARecordThatIsKeyedByItsGroupHasItsOwnKeyInAHeaderBefore) {
  for (const HeaderStyle style :
       {HeaderStyle::kPacked, HeaderStyle::kSeparate, HeaderStyle::kFull}) {
    for (const std::optional<std::string_view>& key :
         {std::optional<std::string_view>(), std::optional<std::string_view>("\xff;=")}) {
      Sample sample = Duplicate();
      sample.keyed = true;
      sample.own_key = key;
      RouteHeaderWriter writer(style);
      // An earlier lane may have left the same headers.
      std::vector<HeaderView> headers = {{"own", "1"}, {"neardup-key", "earlier"}};
      const std::vector<HeaderView>& ours = sample.WriteWith(writer);
      EXPECT_EQ(ours[0].name, "neardup-key");
      headers.insert(headers.end(), ours.begin(), ours.end());
      const auto parsed = ParseRouteHeader(headers);
      ASSERT_TRUE(parsed.ok()) << parsed.error().text;
      EXPECT_TRUE(parsed->keyed);
      EXPECT_EQ(parsed->own_key, key);
      EXPECT_EQ(parsed->first, 2U);
      EXPECT_EQ(parsed->count, ours.size());
      headers.erase(headers.begin() + 1, headers.begin() + 3);
      EXPECT_FALSE(ParseRouteHeader(headers).ok()) << "the own key is gone";
    }
  }
}

TEST(RouteHeader, OfOneOfSeveralLanesNamesTheLane) {
  for (const HeaderStyle style : {HeaderStyle::kPacked, HeaderStyle::kSeparate}) {
    RouteHeaderWriter writer(style, 12);
    const std::vector<HeaderView>& ours = Duplicate().WriteWith(writer);
    const auto parsed = ParseRouteHeader(ours);
    ASSERT_TRUE(parsed.ok()) << parsed.error().text;
    EXPECT_EQ(parsed->lane, 12);
    if (style == HeaderStyle::kPacked) {
      EXPECT_THAT(std::string(*ours[0].value), HasSubstr("seq=81;lane=12;origin=news/3/5512;"));
    }
  }
  EXPECT_EQ(Parse(Packed(Sample()))->lane, 0);
  EXPECT_FALSE(Parse("seq=81;lane=x;origin=news/3/5512").ok());
}

TEST(RouteHeader, ADuplicateThatKeepsItsKeyIsNotGivenThatOfAnEarlierLane) {
  const std::string packed = Packed(Duplicate());
  const auto parsed = ParseRouteHeader({{"neardup-key", "earlier"}, {"neardup", packed}});
  ASSERT_TRUE(parsed.ok()) << parsed.error().text;
  EXPECT_FALSE(parsed->keyed);
  EXPECT_EQ(parsed->first, 1U);
}

TEST(RouteHeader, ASuspectIsUniqueAndNamesTheOriginalThatItSeemsToRepeat) {
  EXPECT_EQ(Packed(Suspect()),
            "seq=81;origin=news/3/5512;original=news/1/771;distance=2;kind=near;suspect");
  const auto parsed = Parse(Packed(Suspect()));
  ASSERT_TRUE(parsed.ok()) << parsed.error().text;
  EXPECT_EQ(parsed->decision(), Decision::kUnique);
  EXPECT_EQ(parsed->route(), Route::kUnique);
  EXPECT_EQ(parsed->original->offset, 771);
  EXPECT_FALSE(Parse("seq=81;origin=news/3/5512;suspect").ok());
  EXPECT_FALSE(Parse("seq=81;origin=news/3/5512;observed").ok());
}

TEST(RouteHeader, TheFullStyleAddsTheFingerprintWhereThereIsOne) {
  EXPECT_EQ(Packed(Sample{}, HeaderStyle::kFull),
            "seq=81;origin=news/3/5512;simhash=0123456789abcdef;order=00112233445566ff;"
            "exact=fedcba9876543210;numbers=8000000000000001");
  EXPECT_EQ(Packed(DeadLetter(""), HeaderStyle::kFull), Packed(DeadLetter("")));
  Sample passed;
  passed.verdict.outcome.passed = true;
  EXPECT_EQ(Packed(passed, HeaderStyle::kFull), Packed(passed));
}

TEST(RouteHeader, TheSeparateStyleHasOneHeaderPerField) {
  Sample sample = Duplicate();
  sample.verdict.late = true;
  EXPECT_EQ(Separate(sample),
            (std::vector<std::string>{"neardup-seq: 81", "neardup-origin: news/3/5512",
                                      "neardup-original: news/1/771", "neardup-distance: 2",
                                      "neardup-kind: near", "neardup-late: true"}));
  EXPECT_EQ(Separate(DeadLetter("a b")),
            (std::vector<std::string>{"neardup-seq: 81", "neardup-origin: news/3/5512",
                                      "neardup-reason: parse", "neardup-error: a%20b"}));
}

TEST(RouteHeader, ALongErrorIsCutBetweenTwoCharacters) {
  // 100 three-byte characters fill the bound; shifted by one byte, the last must go whole.
  std::string text;
  for (int i = 0; i < 120; ++i) text += "\xE4\xB8\xAD";
  auto error_of = [](const std::string& error) {
    return Parse(Packed(DeadLetter(error))).value().error;
  };
  EXPECT_EQ(error_of(text), text.substr(0, 300));
  EXPECT_EQ(error_of("x" + text), "x" + text.substr(0, 297));
  EXPECT_EQ(error_of("xy" + text), "xy" + text.substr(0, 297));
  EXPECT_EQ(error_of(std::string(300, 'a')), std::string(300, 'a'));
}

TEST(RouteHeader, TopicsMayContainDotsDashesAndSlashes) {
  for (const char* topic : {"a.b_c-d", "..", "data/2026/in.jsonl", "a;b=c%20/1/2", "ж"}) {
    Sample sample = Duplicate();
    sample.origin.topic = topic;
    sample.original.topic = topic;
    auto parsed = Parse(Packed(sample));
    ASSERT_TRUE(parsed.ok()) << parsed.error().text;
    EXPECT_EQ(parsed->origin, sample.origin);
    EXPECT_EQ(parsed->original->partition, sample.original);
  }
}

Sample RandomSample(std::mt19937_64& random) {
  Sample sample;
  sample.seq = random() % 1'000'000'000'000 + 1;
  sample.origin = {"topic." + std::to_string(random() % 9), static_cast<int32_t>(random() % 64)};
  sample.origin_offset = static_cast<int64_t>(random() >> 1);
  sample.original = {"topic-" + std::to_string(random() % 9), static_cast<int32_t>(random() % 64)};
  sample.fingerprint = {random(), random(), random(), random()};
  Verdict& verdict = sample.verdict;
  verdict.decision = static_cast<Decision>(random() % 3);
  verdict.late = random() % 2 == 0;
  verdict.clamped = random() % 2 == 0;
  verdict.match.suspect = verdict.decision == Decision::kUnique && random() % 4 == 0;
  if (verdict.has_match()) {
    verdict.match.original.offset = static_cast<int64_t>(random() >> 1);
    verdict.match.distance = static_cast<int>(random() % 8 == 0 ? random() >> 33 : random() % 8);
    verdict.match.kind = static_cast<MatchKind>(random() % 2);
  }
  if (verdict.decision == Decision::kDeadLetter) {
    verdict.outcome.reason = static_cast<Reason>(1 + random() % (kReasonCount - 1));
    for (uint64_t n = random() % 40; n > 0; --n) {
      verdict.outcome.error.push_back(static_cast<char>(random()));
    }
  }
  verdict.outcome.passed =
      verdict.decision == Decision::kUnique && !verdict.match.suspect && random() % 4 == 0;
  sample.observed = verdict.decision != Decision::kUnique && random() % 4 == 0;
  if (verdict.decision == Decision::kDuplicate && random() % 3 == 0) {
    sample.joined = JoinedGroup{{1, static_cast<int64_t>(random() >> 1)}, random() % 2 == 0};
  }
  sample.released = !sample.joined && verdict.decision == Decision::kDuplicate &&
                    !sample.observed && random() % 4 == 0;
  return sample;
}

void ExpectSame(const Sample& sample, HeaderStyle style, const ParsedHeader& parsed) {
  const Verdict& verdict = sample.verdict;
  EXPECT_EQ(parsed.seq, sample.seq);
  EXPECT_EQ(parsed.origin, sample.origin);
  EXPECT_EQ(parsed.origin_offset, sample.origin_offset);
  EXPECT_EQ(parsed.decision(), verdict.decision);
  ASSERT_EQ(parsed.original.has_value(), verdict.has_match());
  EXPECT_EQ(parsed.suspect, verdict.is_suspect());
  if (parsed.original) {
    EXPECT_EQ(*parsed.original, (ParsedOriginal{sample.original, verdict.match.original.offset,
                                                verdict.match.distance, verdict.match.kind}));
  }
  EXPECT_EQ(parsed.reason, verdict.outcome.reason);
  EXPECT_EQ(parsed.error, verdict.outcome.error);
  EXPECT_EQ(parsed.late, verdict.late);
  EXPECT_EQ(parsed.clamped, verdict.clamped);
  EXPECT_EQ(parsed.passed, verdict.outcome.passed);
  EXPECT_EQ(parsed.observed, sample.observed);
  EXPECT_EQ(parsed.released, sample.released);
  const bool replaces = sample.joined && sample.joined->replaces;
  EXPECT_EQ(parsed.replaces.has_value(), replaces);
  EXPECT_EQ(parsed.newest.has_value(), sample.joined && !replaces);
  if (sample.joined) {
    const ParsedPosition& newest = replaces ? *parsed.replaces : *parsed.newest;
    EXPECT_EQ(newest, (ParsedPosition{sample.newest, sample.joined->newest_before.offset}));
  }
  const bool has_fingerprint = style == HeaderStyle::kFull &&
                               verdict.decision != Decision::kDeadLetter && !verdict.outcome.passed;
  ASSERT_EQ(parsed.fingerprint.has_value(), has_fingerprint);
  if (has_fingerprint) {
    EXPECT_EQ(*parsed.fingerprint, sample.fingerprint);
  }
}

TEST(RouteHeader, EveryStyleReadsBackWhatWasWritten) {
  constexpr uint64_t kSeed = 20260131;
  SCOPED_TRACE(kSeed);
  std::mt19937_64 random(kSeed);
  for (HeaderStyle style : {HeaderStyle::kPacked, HeaderStyle::kSeparate, HeaderStyle::kFull}) {
    RouteHeaderWriter writer(style);
    for (int i = 0; i < 2000; ++i) {
      const Sample sample = RandomSample(random);
      auto parsed = ParseRouteHeader(sample.WriteWith(writer));
      ASSERT_TRUE(parsed.ok()) << parsed.error().text;
      ExpectSame(sample, style, *parsed);
    }
  }
}

TEST(RouteHeader, HeadersOfAnEarlierLaneCountAsTheRecordsOwn) {
  for (HeaderStyle earlier : {HeaderStyle::kPacked, HeaderStyle::kSeparate}) {
    for (HeaderStyle ours : {HeaderStyle::kPacked, HeaderStyle::kSeparate, HeaderStyle::kFull}) {
      RouteHeaderWriter earlier_writer(earlier);
      RouteHeaderWriter our_writer(ours);
      Sample first = Duplicate();
      Sample second;
      second.seq = 9;
      second.origin = {"news.unique", 3};
      std::vector<HeaderView> headers{{"trace", "1"}};
      for (const auto& header : first.WriteWith(earlier_writer)) headers.push_back(header);
      const size_t own = headers.size();
      for (const auto& header : second.WriteWith(our_writer)) headers.push_back(header);

      auto parsed = ParseRouteHeader(headers);
      ASSERT_TRUE(parsed.ok()) << parsed.error().text;
      EXPECT_EQ(parsed->seq, 9u);
      EXPECT_EQ(parsed->decision(), Decision::kUnique);
      EXPECT_EQ(parsed->first, own);
      EXPECT_EQ(parsed->first + parsed->count, headers.size());
    }
  }
}

TEST(RouteHeader, WithoutOurHeadersNothingIsFound) {
  for (const auto& headers :
       {std::vector<HeaderView>{}, std::vector<HeaderView>{{"Neardup", "seq=1;origin=a/0/0"}}}) {
    auto parsed = ParseRouteHeader(headers);
    ASSERT_FALSE(parsed.ok());
    EXPECT_EQ(parsed.error().code, ErrorCode::kNotFound);
  }
}

TEST(RouteHeader, RefusesAFieldOfAnotherFormAndNamesIt) {
  const std::string base = "seq=1;origin=a/0/0";
  const std::string simhash = ";simhash=0123456789abcdef";
  const std::string order = ";order=0123456789abcdef";
  const std::string exact = ";exact=0123456789abcdef";
  const std::string duplicate = base + ";original=a/0/1;distance=1;kind=near";
  ASSERT_TRUE(Parse(base).ok());
  ASSERT_TRUE(Parse(duplicate).ok());
  const std::pair<std::string, std::string> cases[] = {
      {"", "unknown field ''"},
      {base + ";", "unknown field ''"},
      {"origin=a/0/0", "'seq' is missing"},
      {"seq=1", "'origin' is missing"},
      {"seq=0;origin=a/0/0", "seq must be"},
      {"seq=01;origin=a/0/0", "seq must be"},
      {"seq=+1;origin=a/0/0", "seq must be"},
      {"seq=1 ;origin=a/0/0", "seq must be"},
      {"seq=;origin=a/0/0", "seq must be"},
      {"seq;origin=a/0/0", "seq must be a field with a value"},
      {"seq=99999999999999999999;origin=a/0/0", "seq must be"},
      {"seq=1;origin=a/0", "origin must be"},
      {"seq=1;origin=/0/0", "origin must be"},
      {"seq=1;origin=a//0", "origin must be"},
      {"seq=1;origin=a/0/-1", "origin must be"},
      {"seq=1;origin=a/2147483648/0", "origin must be"},
      {"seq=1;origin=a b/0/0", "origin must be"},
      {"seq=1;origin=a%2/0/0", "origin must be"},
      {"seq=1;origin=a%zz/0/0", "origin must be"},
      {base + ";seq=1", "'seq' occurs twice"},
      {base + ";late;late", "'late' occurs twice"},
      {base + ";late=1", "late must be"},
      {base + ";colour=red", "unknown field 'colour'"},
      {base + ";distance=1;kind=near", "'original' is missing"},
      {base + ";original=a/0/1;kind=near", "'distance' is missing"},
      {base + ";original=a/0/1;distance=1", "'kind' is missing"},
      {base + ";original=a/0/1;distance=2147483648;kind=near", "distance must be"},
      {base + ";original=a/0/1;distance=-1;kind=near", "distance must be"},
      {base + ";original=a/0/1;distance=1;kind=close", "kind must be"},
      {base + ";reason=none", "reason must be"},
      {base + ";reason=bad", "reason must be"},
      {base + ";error=x", "'reason' is missing"},
      {base + ";reason=parse;error=%4", "error must be"},
      {duplicate + ";reason=parse", "found both"},
      {base + simhash, "'order' is missing"},
      {base + order, "'simhash' is missing"},
      {base + exact, "'simhash' is missing"},
      {base + simhash + order, "'exact' is missing"},
      {base + simhash + exact, "'order' is missing"},
      {base + order + exact, "'simhash' is missing"},
      {base + ";simhash=0123456789abcde" + order + exact, "simhash must be"},
      {base + ";simhash=0123456789ABCDEF" + order + exact, "simhash must be"},
      {base + simhash + ";order=0123456789abcdefg" + exact, "order must be"},
      {base + simhash + order + ";exact=", "exact must be"},
      {base + ";numbers=0123456789abcdef", "'simhash' is missing"},
      {base + simhash + order + exact + ";numbers=", "numbers must be"},
  };
  for (const auto& [text, expected] : cases) {
    auto parsed = Parse(text);
    ASSERT_FALSE(parsed.ok()) << text;
    EXPECT_EQ(parsed.error().code, ErrorCode::kCorrupt) << text;
    EXPECT_NE(parsed.error().text.find(expected), std::string::npos)
        << text << " -> " << parsed.error().text;
  }
}

TEST(RouteHeader, RefusesSeparateHeadersOfAnotherForm) {
  const HeaderView seq{"neardup-seq", "1"};
  const HeaderView origin{"neardup-origin", "a/0/0"};
  ASSERT_TRUE(ParseRouteHeader({seq, origin, {"neardup-late", "true"}}).ok());
  const std::pair<std::vector<HeaderView>, std::string> cases[] = {
      {{seq}, "'origin' is missing"},
      {{origin}, "'seq' is missing"},
      {{seq, {"other", "x"}, origin}, "'seq' is missing"},
      {{seq, origin, origin}, "'origin' occurs twice"},
      {{seq, origin, {"neardup-late", std::nullopt}}, "late must be 'true'"},
      {{seq, origin, {"neardup-late", ""}}, "late must be 'true'"},
      {{seq, origin, {"neardup-reason", std::nullopt}}, "reason must be"},
      {{seq, origin, {"neardup-", "x"}}, "unknown field ''"},
      {{{"neardup", std::nullopt}}, "neardup must be text"},
  };
  for (const auto& [headers, expected] : cases) {
    auto parsed = ParseRouteHeader(headers);
    ASSERT_FALSE(parsed.ok()) << expected;
    EXPECT_EQ(parsed.error().code, ErrorCode::kCorrupt);
    EXPECT_NE(parsed.error().text.find(expected), std::string::npos) << parsed.error().text;
  }
}

TEST(RouteHeader, TheWriterReusesItsMemory) {
  RouteHeaderWriter writer(HeaderStyle::kPacked);
  const Sample sample = DeadLetter(std::string(400, ';'));
  sample.WriteWith(writer);
  const char* text = sample.WriteWith(writer)[0].value->data();
  Sample{}.WriteWith(writer);
  EXPECT_EQ(sample.WriteWith(writer)[0].value->data(), text);
}

}  // namespace
}  // namespace neardup
