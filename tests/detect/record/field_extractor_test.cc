#include "detect/record/field_extractor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "detect/base/each_of.h"

namespace neardup {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

RecordOptions Fields(std::vector<std::string> paths) {
  RecordOptions options;
  for (std::string& path : paths) options.fields.push_back({std::move(path), 1.0});
  return options;
}

/// A copy of an ExtractedRecord, whose views would end with the next record.
struct Extracted {
  std::vector<std::pair<uint32_t, std::string>> texts;
  std::vector<uint64_t> path_hashes;
  ReadOutcome outcome;
};

Extracted Extract(FieldExtractor& extractor, std::optional<std::string_view> payload) {
  const ExtractedRecord& record = extractor.Extract({{0, 0}, 77, payload});
  Extracted copy;
  for (const TextPiece& piece : record.pieces) {
    copy.texts.emplace_back(piece.field, piece.text);
    copy.path_hashes.push_back(piece.path_hash);
  }
  copy.outcome = record.outcome;
  return copy;
}

Extracted Extract(const RecordOptions& options, std::optional<std::string_view> payload) {
  FieldExtractor extractor(options);
  return Extract(extractor, payload);
}

TEST(FieldExtractor, TakesTheSelectedFieldsOnly) {
  const auto record = Extract(Fields({"b", "a"}), R"({"a":"x","b":"y","c":"z"})");
  EXPECT_THAT(record.texts, ElementsAre(Pair(1, "x"), Pair(0, "y")));
  EXPECT_EQ(record.outcome.time_ms, 77);
}

TEST(FieldExtractor, TellsNumbersFromTextsThatLookAlike) {
  FieldExtractor extractor{RecordOptions()};
  std::vector<std::pair<std::string, bool>> found;
  for (const TextPiece& piece :
       extractor.Extract({{0, 0}, 77, R"({"a":1.10,"b":"1.10","c":[true,-1]})"}).pieces) {
    found.emplace_back(piece.text, piece.number);
  }
  EXPECT_THAT(found, ElementsAre(Pair("1.10", true), Pair("1.10", false), Pair("true", false),
                                 Pair("-1", true)));
}

TEST(FieldExtractor, IgnoresAByteOrderMarkBeforeTheDocument) {
  const auto record = Extract(RecordOptions(), "\xEF\xBB\xBF{\"a\":\"x\"}");
  EXPECT_THAT(record.texts, ElementsAre(Pair(0, "x")));
  const auto broken = Extract(RecordOptions(), "\xEF\xBB\xBF{\"a\":\"\xFF\"}");
  EXPECT_THAT(broken.outcome.error, testing::StartsWith("not UTF-8 at byte 9; convert"));
  EXPECT_EQ(Extract(RecordOptions(), "\xEF\xBB\xBF").outcome.reason, Reason::kParse);
}

TEST(FieldExtractor, TakesEveryTopLevelFieldIfNoneIsListed) {
  const auto record = Extract(RecordOptions(), R"({"a":"x","b":{"c":[1,"y"]},"d":null})");
  EXPECT_THAT(record.texts, ElementsAre(Pair(0, "x"), Pair(0, "1"), Pair(0, "y")));
}

TEST(FieldExtractor, LeavesOutExcludedFieldsAlsoBelowASelectedField) {
  RecordOptions options = Fields({"a"});
  options.exclude = {"/a/skip", "/a/list/1", "elsewhere"};
  const auto record =
      Extract(options, R"({"a":{"skip":{"deep":"n"},"keep":"y","list":["0","1","2"]}})");
  EXPECT_THAT(record.texts, ElementsAre(Pair(0, "y"), Pair(0, "0"), Pair(0, "2")));
}

TEST(FieldExtractor, GivesATextToTheDeepestSelectorThatCoversIt) {
  const auto record = Extract(Fields({"a", "/a/b"}), R"({"a":{"b":["x"],"c":"y"}})");
  EXPECT_THAT(record.texts, ElementsAre(Pair(1, "x"), Pair(0, "y")));
}

TEST(FieldExtractor, FollowsPointersThroughKeysAndElements) {
  const auto record = Extract(Fields({"/a~1b/m~0n/1", "/", "/list/0/x"}),
                              R"({"a/b":{"m~n":["no","yes"]},"":"empty","list":[{"x":"in"},7]})");
  EXPECT_THAT(record.texts, ElementsAre(Pair(0, "yes"), Pair(1, "empty"), Pair(2, "in")));
}

TEST(FieldExtractor, MatchesElementsByTheirCanonicalIndexOnly) {
  EXPECT_EQ(Extract(Fields({"/a/01"}), R"({"a":["x","y"]})").outcome.reason, Reason::kMissingField);
  EXPECT_EQ(Extract(Fields({"/a/-"}), R"({"a":["x","y"]})").outcome.reason, Reason::kMissingField);
}

TEST(FieldExtractor, GivesNumbersAsTheyAreWrittenAndBooleansAsText) {
  const auto record = Extract(
      RecordOptions(),
      R"({"a":2.10,"b":-0 ,"c":123456789012345678901234567890,"d":1E400,"e":true,"f":false})");
  EXPECT_THAT(record.texts,
              ElementsAre(Pair(0, "2.10"), Pair(0, "-0"), Pair(0, "123456789012345678901234567890"),
                          Pair(0, "1E400"), Pair(0, "true"), Pair(0, "false")));
}

TEST(FieldExtractor, ResolvesEscapesInKeysAndTexts) {
  const auto record = Extract(Fields({"k\"é"}), R"({"k\"\u00e9":"\ud83d\ude00\n\\ \u4e2d"})");
  EXPECT_THAT(record.texts, ElementsAre(Pair(0, "\xF0\x9F\x98\x80\n\\ \xE4\xB8\xAD")));
}

TEST(FieldExtractor, GivesTheSamePathsInAnyOrderOfKeys) {
  const auto one = Extract(RecordOptions(), R"({"a":{"x":"1","y":"2"},"b":"3"})");
  const auto two = Extract(RecordOptions(), R"({"b":"3","a":{"y":"2","x":"1"}})");
  EXPECT_THAT(two.path_hashes,
              ElementsAre(one.path_hashes[2], one.path_hashes[1], one.path_hashes[0]));
}

TEST(FieldExtractor, GivesEveryPlaceItsOwnPath) {
  const auto record =
      Extract(RecordOptions(),
              R"({"a":["1","2"],"b":{"0":"1"},"0":"x","c":{"a":"y"},"d":[["z"]],"e":["w"]})");
  std::set<uint64_t> distinct(record.path_hashes.begin(), record.path_hashes.end());
  EXPECT_EQ(distinct.size(), 7U);
  const auto element = Extract(RecordOptions(), R"({"b":["1"]})");
  EXPECT_NE(element.path_hashes[0], record.path_hashes[2]);
}

TEST(FieldExtractor, CallsFieldsMissingByPolicy) {
  RecordOptions all = Fields({"a", "b"});
  EXPECT_EQ(Extract(all, R"({"a":"x"})").outcome.reason, Reason::kNone);
  EXPECT_EQ(Extract(all, R"({"a":"x","b":null})").outcome.reason, Reason::kNone);
  EXPECT_EQ(Extract(all, R"({"a":null,"c":"x"})").outcome.reason, Reason::kMissingField);
  RecordOptions any = all;
  any.missing_fields = MissingFields::kAny;
  EXPECT_EQ(Extract(any, R"({"a":"x","b":"y"})").outcome.reason, Reason::kNone);
  const auto record = Extract(any, R"({"a":"x","b":null})");
  EXPECT_EQ(record.outcome.reason, Reason::kMissingField);
  EXPECT_THAT(record.outcome.error, HasSubstr("/b"));
}

TEST(FieldExtractor, CallsTopLevelFieldsMissingByPolicyIfNoneIsListed) {
  RecordOptions options;
  options.exclude = {"skip"};
  EXPECT_EQ(Extract(options, "{}").outcome.reason, Reason::kMissingField);
  EXPECT_EQ(Extract(options, R"({"skip":"x","a":null})").outcome.reason, Reason::kMissingField);
  EXPECT_EQ(Extract(options, R"({"b":1,"a":null})").outcome.reason, Reason::kNone);
  options.missing_fields = MissingFields::kAny;
  EXPECT_EQ(Extract(options, R"({"b":1,"a":null})").outcome.reason, Reason::kMissingField);
  EXPECT_EQ(Extract(options, R"({"b":[null],"skip":null})").outcome.reason, Reason::kNone);
}

TEST(FieldExtractor, AcceptsAnEmptyTextOrContainerAsPresent) {
  EXPECT_EQ(Extract(Fields({"a"}), R"({"a":""})").outcome.reason, Reason::kNone);
  const auto record = Extract(Fields({"a"}), R"({"a":{}})");
  EXPECT_EQ(record.outcome.reason, Reason::kNone);
  EXPECT_THAT(record.texts, IsEmpty());
}

TEST(FieldExtractor, ForgetsThePreviousRecord) {
  FieldExtractor extractor(Fields({"a", "b"}));
  EXPECT_EQ(Extract(extractor, R"({"a":"x"})").outcome.reason, Reason::kNone);
  EXPECT_EQ(Extract(extractor, R"({"c":"x"})").outcome.reason, Reason::kMissingField);
  EXPECT_EQ(Extract(extractor, R"({"a":)").outcome.reason, Reason::kParse);
  const auto record = Extract(extractor, R"({"b":"y"})");
  EXPECT_EQ(record.outcome.reason, Reason::kNone);
  EXPECT_EQ(record.outcome.error, "");
  EXPECT_THAT(record.texts, ElementsAre(Pair(1, "y")));
}

TEST(FieldExtractor, RefusesASelectedKeyThatOccursTwice) {
  const auto record = Extract(Fields({"a"}), R"({"a":"x","b":1,"\u0061":"y"})");
  EXPECT_EQ(record.outcome.reason, Reason::kDuplicateKey);
  EXPECT_THAT(record.outcome.error, HasSubstr("/a"));
  EXPECT_EQ(Extract(Fields({"/a/b"}), R"({"a":{"b":1},"a":{}})").outcome.reason,
            Reason::kDuplicateKey);
  EXPECT_EQ(Extract(Fields({"/a/b"}), R"({"a":{"b":1,"b":2}})").outcome.reason,
            Reason::kDuplicateKey);
  EXPECT_EQ(Extract(Fields({"a"}), R"({"a":"x","b":1,"b":2})").outcome.reason, Reason::kNone);
}

TEST(FieldExtractor, RefusesAnyTopLevelKeyThatOccursTwiceIfNoneIsListed) {
  RecordOptions options;
  options.exclude = {"skip"};
  const auto record = Extract(options, R"({"x":1,"a":1,"y":2,"a":2})");
  EXPECT_EQ(record.outcome.reason, Reason::kDuplicateKey);
  EXPECT_THAT(record.outcome.error, HasSubstr("\"a\""));
  EXPECT_EQ(Extract(options, R"({"a":1,"skip":1,"skip":2})").outcome.reason, Reason::kNone);
}

TEST(FieldExtractor, DecidesNullValuesByPolicy) {
  RecordOptions options;
  EXPECT_EQ(Extract(options, std::nullopt).outcome.reason, Reason::kNullValue);
  EXPECT_FALSE(Extract(options, std::nullopt).outcome.passed);
  options.null_value = NullValue::kUnique;
  const auto record = Extract(options, std::nullopt);
  EXPECT_EQ(record.outcome.reason, Reason::kNone);
  EXPECT_TRUE(record.outcome.passed);
}

TEST(FieldExtractor, RefusesPayloadsThatAreNotJson) {
  for (const char* payload :
       EachOf("", " \n", "{", "}", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{,}", "{\"a\":1 \"b\":2}",
              "{\"a\" 1}", "{a:1}", "{'a':1}", "{\"a\":1}}", "{\"a\":1} x", "{\"a\":1}{\"b\":2}",
              "{\"a\":[1,]}", "{\"a\":[1 2]}", "{\"a\":[}", "{\"a\":[1}", "{\"a\":[1]]}",
              "{\"a\":{]}", "{\"a\":01}", "{\"a\":1.}", "{\"a\":+1}", "{\"a\":.5}", "{\"a\":tru}",
              "{\"a\":nulll}", "{\"a\":True}", "{\"a\":NaN}", "{\"a\":\"x}", "{\"a\":\"\\x\"}",
              "{\"a\":\"\\u12\"}", "{\"a\":\"\t\"}", "{\"\\x\":1}", "{\"a\":1}\xEF\xBB\xBF", "[1,2",
              "[1,]", "truex", "1 2", "\"abc", "\"a\" \"b\"", "nul", "{\"a\":1}\f",
              "{\"b\":\"\\q\",\"a\":1}", "{\"b\":01,\"a\":1}", "{\"a\":\"x\"y\"\"}", "{1:2}",
              "//x\n{}", "{\"a\":\"b\":1}", "{\"a\":[\"b\":1]}", "{\"a\":/**/1}")) {
    const auto record = Extract(Fields({"a"}), payload);
    EXPECT_EQ(record.outcome.reason, Reason::kParse) << payload;
    EXPECT_NE(record.outcome.error, "") << payload;
  }
}

TEST(FieldExtractor, ReportsASyntaxErrorBeforeAnythingElse) {
  EXPECT_EQ(Extract(Fields({"a"}), R"({"a":1,"a":2)").outcome.reason, Reason::kParse);
  EXPECT_EQ(Extract(Fields({"a"}), R"({"a":1,"a":2,"b":01})").outcome.reason, Reason::kParse);
}

TEST(FieldExtractor, NamesTheByteWhereParsingStopped) {
  EXPECT_THAT(Extract(Fields({"a"}), R"({"a":1,"bad":tru})").outcome.error, HasSubstr("byte 13"));
}

TEST(FieldExtractor, RefusesTextThatIsNotUnicode) {
  for (const char* payload :
       {"{\"a\":\"\xff\"}", "{\"\xc3\":1}", "{\"b\":\"\xed\xa0\x80\",\"a\":1}",
        "{\"a\":\"\xf4\x90\x80\x80\"}", "{\"a\":\"\xc0\xaf\"}", "{\"a\":\"\\ud800\"}",
        "{\"a\":\"\\udc00x\"}", "{\"b\":\"\\ud83d\\u0041\",\"a\":1}", "{\"\\ud800\":1}"}) {
    EXPECT_EQ(Extract(Fields({"a"}), payload).outcome.reason, Reason::kEncoding) << payload;
  }
  EXPECT_THAT(Extract(Fields({"a"}), "{\"a\":\"\xff\"}").outcome.error, HasSubstr("byte 6"));
  EXPECT_THAT(Extract(Fields({"a"}), R"({"a":"x\ud800"})").outcome.error, HasSubstr("byte 5"));
}

TEST(FieldExtractor, RefusesARootThatIsNotAnObject) {
  const std::pair<const char*, const char*> cases[] = {
      {"[]", "an array"},       {" [1,{\"a\":2}] ", "an array"},
      {"\"x\\n\"", "a string"}, {"12 ", "a number"},
      {"-1.5e3", "a number"},   {"true", "a boolean"},
      {"false", "a boolean"},   {" null", "null"}};
  for (const auto& [payload, kind] : cases) {
    const auto record = Extract(Fields({"a"}), payload);
    EXPECT_EQ(record.outcome.reason, Reason::kNotObject) << payload;
    EXPECT_THAT(record.outcome.error, HasSubstr(kind));
  }
}

TEST(FieldExtractor, RefusesNestingDeeperThanAllowedEvenInFieldsNotSelected) {
  RecordOptions options = Fields({"a"});
  options.depth_max = 3;
  EXPECT_EQ(Extract(options, R"({"a":1,"b":[{"c":1}]})").outcome.reason, Reason::kNone);
  EXPECT_EQ(Extract(options, R"({"a":1,"b":[{"c":[]}]})").outcome.reason, Reason::kTooDeep);
  options.depth_max = 1;
  EXPECT_EQ(Extract(options, R"({"a":1})").outcome.reason, Reason::kNone);
  EXPECT_EQ(Extract(options, R"({"a":{}})").outcome.reason, Reason::kTooDeep);
}

TEST(FieldExtractor, ReadsTheLargestDepthButNoDeeper) {
  RecordOptions options = Fields({"a"});
  options.depth_max = 1024;
  const auto nested = [](size_t depth) {
    return "{\"a\":" + std::string(depth - 1, '[') + "1" + std::string(depth - 1, ']') + "}";
  };
  EXPECT_EQ(Extract(options, nested(1024)).outcome.reason, Reason::kNone);
  EXPECT_EQ(Extract(options, nested(1025)).outcome.reason, Reason::kTooDeep);
  EXPECT_EQ(Extract(options, nested(100'000)).outcome.reason, Reason::kTooDeep);
}

TEST(FieldExtractor, RefusesPayloadsThatAreTooLarge) {
  RecordOptions options = Fields({"a"});
  options.record_bytes_max = 1024;
  const std::string head = R"({"a":")";
  const std::string fits = head + std::string(1024 - head.size() - 2, 'x') + "\"}";
  EXPECT_EQ(Extract(options, fits).outcome.reason, Reason::kNone);
  EXPECT_EQ(Extract(options, fits + " ").outcome.reason, Reason::kTooLarge);
}

TEST(FieldExtractor, ReadsSmallRecordsAfterALargeOne) {
  FieldExtractor extractor(Fields({"a"}));
  const std::string large(size_t{3} << 20, 'x');
  EXPECT_EQ(Extract(extractor, R"({"a":")" + large + "\"}").texts[0].second, large);
  EXPECT_THAT(Extract(extractor, R"({"a":"y"})").texts, ElementsAre(Pair(0, "y")));
}

TEST(FieldExtractor, TakesTheEventTimeFromItsField) {
  RecordOptions options = Fields({"a"});
  options.time_field = "/meta/0/at";
  options.exclude = {"meta"};
  const auto record = Extract(options, R"({"meta":[{"at":"2026-01-31T12:00:00Z"}],"a":"x"})");
  EXPECT_EQ(record.outcome.time_ms, 1769860800000);
  EXPECT_THAT(record.texts, ElementsAre(Pair(0, "x")));
  options.time_format = TimeFormat::kMilliseconds;
  EXPECT_EQ(Extract(options, R"({"meta":[{"at":5}],"a":"x"})").outcome.time_ms, 5);
  EXPECT_EQ(Extract(options, R"({"meta":[{"at":"5"}],"a":"x"})").outcome.time_ms, 5);
}

TEST(FieldExtractor, ComparesTheTimeFieldIfItIsSelected) {
  RecordOptions options = Fields({"at"});
  options.time_field = "at";
  options.time_format = TimeFormat::kSeconds;
  const auto record = Extract(options, R"({"at":1.5})");
  EXPECT_EQ(record.outcome.time_ms, 1500);
  EXPECT_THAT(record.texts, ElementsAre(Pair(0, "1.5")));
}

TEST(FieldExtractor, TakesTheTimestampOfARecordWithoutATimeFieldIfAPersonSaysSo) {
  RecordOptions options = Fields({"a"});
  options.time_field = "at";
  options.missing_time = MissingTime::kTimestamp;
  for (const char* payload : {R"({"a":1})", R"({"a":1,"at":null})"}) {
    const auto record = Extract(options, payload);
    EXPECT_EQ(record.outcome.reason, Reason::kNone) << payload;
    EXPECT_EQ(record.outcome.time_ms, 77) << payload;
  }
  EXPECT_EQ(Extract(options, R"({"a":1,"at":"2026-01-31T12:00:00Z"})").outcome.time_ms,
            1'769'860'800'000);
  EXPECT_EQ(Extract(options, R"({"a":1,"at":"yesterday"})").outcome.reason, Reason::kEventTime);
}

TEST(FieldExtractor, RefusesARecordWithoutAReadableEventTime) {
  RecordOptions options = Fields({"a"});
  options.time_field = "at";
  for (const char* payload :
       {R"({"a":1})", R"({"a":1,"at":null})", R"({"a":1,"at":5})", R"({"a":1,"at":true})",
        R"({"a":1,"at":{}})", R"({"a":1,"at":["2026-01-31T12:00:00Z"]})",
        R"({"a":1,"at":"yesterday"})"}) {
    const auto record = Extract(options, payload);
    EXPECT_EQ(record.outcome.reason, Reason::kEventTime) << payload;
    EXPECT_THAT(record.outcome.error, HasSubstr("at")) << payload;
    EXPECT_THAT(record.outcome.error, HasSubstr("RFC 3339")) << payload;
    EXPECT_EQ(record.outcome.time_ms, 77);
  }
  EXPECT_THAT(Extract(options, R"({"a":1,"at":"yesterday"})").outcome.error,
              HasSubstr("yesterday"));
}

}  // namespace
}  // namespace neardup
