// Fields that may differ, and the selector of all other fields.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "detect/filter/record_features.h"
#include "neardup/filter.h"

namespace neardup {
namespace {

FilterOptions Options() {
  FilterOptions options;
  options.record.fields = {{"text"}, {"", 1.0, true}, {"shop", 1.0, false, true}};
  options.record.exclude = {"id", "/batch/*/seen"};
  options.match.distance_max = 8;
  return options;
}

/// Whether the second record is a duplicate of the first.
bool Joins(const FilterOptions& options, const std::string& first, const std::string& second) {
  Fingerprinter fingerprinter(options);
  const auto filter = Filter::New(options);
  EXPECT_TRUE(filter.ok()) << filter.error().text;
  const std::vector<RecordView> records = {{{0, 0}, 0, first}, {{0, 1}, 0, second}};
  EXPECT_EQ((*filter)->Decide(fingerprinter.Compute(records[0])).decision, Decision::kUnique);
  return (*filter)->Decide(fingerprinter.Compute(records[1])).decision == Decision::kDuplicate;
}

const std::string kText =
    R"("text":"the ferry from the old harbour is late again and the captain says nothing about it")";

std::string Record(const std::string& rest) { return "{" + kText + rest + "}"; }

TEST(FreeFields, MayDifferWhereTheTextSaysWhatTheRecordIs) {
  EXPECT_TRUE(Joins(Options(), Record(R"(,"shop":"north","size":4)"),
                    Record(R"(,"shop":"south","size":4,"id":7)")));
}

TEST(FreeFields, MustAgreeWhereTheTextIsShort) {
  const auto heading = [](const char* shop) {
    return std::string(R"({"text":"Editorial","size":4,"shop":")") + shop + "\"}";
  };
  EXPECT_FALSE(Joins(Options(), heading("north"), heading("south")));
  EXPECT_TRUE(Joins(Options(), heading("north"), heading("north")));
}

TEST(FreeFields, MustAgreeBesideAStandingText) {
  FilterOptions options = Options();
  RecordTokenReader reader(options, 0);
  const std::string first = Record(R"(,"shop":"north")");
  options.model.standing = {reader.Read({{0, 0}, 0, first}).text};
  EXPECT_FALSE(Joins(options, first, Record(R"(,"shop":"south")")));
  EXPECT_TRUE(Joins(options, first, first));
  EXPECT_NE(FingerprintSpec(options), FingerprintSpec(Options()));
}

TEST(OtherFields, MustAgreeWhateverTheirNames) {
  EXPECT_FALSE(Joins(Options(), Record(R"(,"size":4)"), Record(R"(,"size":5)")));
  EXPECT_FALSE(Joins(Options(), Record(""), Record(R"(,"new":{"a":[1]})")));
  EXPECT_TRUE(Joins(Options(), Record(R"(,"size":null)"), Record("")))
      << "null is as good as missing";
  EXPECT_TRUE(Joins(Options(), Record(R"(,"a":1,"b":2)"), Record(R"(,"b":2,"a":1)")));
}

TEST(OtherFields, OfRecordsWithoutATextAreAllThatCounts) {
  EXPECT_TRUE(Joins(Options(), R"({"user":"ann","id":1})", R"({"user":"ann","id":2})"));
  EXPECT_FALSE(Joins(Options(), R"({"user":"ann"})", R"({"user":"bob"})"));
}

TEST(AnyElement, IsSelectedInEveryElementOfAnArray) {
  const auto batch = [](int seen, int size) {
    return Record(R"(,"batch":[{"seen":)" + std::to_string(seen) + R"(,"size":1},{"seen":)" +
                  std::to_string(seen + 1) + R"(,"size":)" + std::to_string(size) + "}]");
  };
  EXPECT_TRUE(Joins(Options(), batch(1, 4), batch(8, 4)));
  EXPECT_FALSE(Joins(Options(), batch(1, 4), batch(1, 5)));
}

TEST(FieldOptions, RefuseWhatHasNoMeaning) {
  const auto error = [](const std::vector<FieldSelector>& fields) {
    FilterOptions options;
    options.record.fields = fields;
    const Result<void> checked = CheckOptions(options);
    return checked.ok() ? "" : checked.error().text;
  };
  EXPECT_EQ(error({{"text"}, {"", 1.0, true}}), "");
  EXPECT_NE(error({{""}}).find("can only be a key field"), std::string::npos);
  EXPECT_NE(error({{"text"}, {"a", 1.0, true, true}}).find("both a key"), std::string::npos);
  EXPECT_NE(error({{"a", 1.0, false, true}}).find("at least one other field"), std::string::npos);
  EXPECT_NE(error({{"text"}, {"a", 2.0, false, true}}).find("weight"), std::string::npos);
  FilterOptions all;
  all.record.exclude = {""};
  EXPECT_FALSE(CheckOptions(all).ok());
}

TEST(FieldOptions, ThatAreFreeArePartOfTheFingerprintSpec) {
  FilterOptions key = Options();
  key.record.fields[2].free = false;
  EXPECT_NE(FingerprintSpec(key), FingerprintSpec(Options()));
}

}  // namespace
}  // namespace neardup
