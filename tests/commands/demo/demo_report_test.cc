// The report of the demo, for labels and verdicts made by hand.
#include "commands/demo/demo_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace neardup {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kExact = "exact";
constexpr const char* kReordered = "reordered";
constexpr const char* kInserted = "inserted-1";
constexpr const char* kReplaced = "replaced-1";

/// Adds records to a stream; clusters are named after their originals.
class StreamOf {
 public:
  StreamOf& Original(std::string payload = "{}") {
    const std::string id = "o" + std::to_string(stream_.labels.size());
    return Add({id, id, "original", ""}, std::move(payload));
  }
  StreamOf& Copy(size_t original, const char* kind, std::string payload = "{}") {
    const std::string id = "c" + std::to_string(stream_.labels.size());
    const Label& first = stream_.labels[original];
    return Add({id, first.cluster, kind, first.id}, std::move(payload));
  }
  const SyntheticStream& stream() const { return stream_; }
  const std::vector<Label>& labels() const { return stream_.labels; }

 private:
  StreamOf& Add(Label label, std::string payload) {
    stream_.records.push_back({label.id, std::move(payload), 0});
    stream_.labels.push_back(std::move(label));
    return *this;
  }

  SyntheticStream stream_;
};

DemoVerdict Unique() { return {.original = {}, .place = "articles/0/1"}; }

DemoVerdict Duplicate(size_t original, MatchKind match = MatchKind::kNear) {
  return {.decision = Decision::kDuplicate,
          .original = original,
          .distance = match == MatchKind::kNear ? 2 : 0,
          .match = match,
          .place = "articles/1/7"};
}

DemoVerdict Dead(Reason reason) {
  return {.decision = Decision::kDeadLetter, .reason = reason, .original = {}, .place = {}};
}

DemoCounts Count(const StreamOf& records, const std::vector<DemoVerdict>& verdicts) {
  return CountVerdicts(records.labels(), verdicts);
}

TEST(CountVerdicts, CountsEveryRecordOnce) {
  StreamOf records;
  for (int i = 0; i < 6; ++i) records.Original();
  const DemoCounts counts =
      Count(records, {Unique(), Duplicate(0, MatchKind::kExact), Duplicate(0), Dead(Reason::kParse),
                      Dead(Reason::kParse), Dead(Reason::kMissingField)});
  EXPECT_EQ(counts.records, 6U);
  EXPECT_EQ(counts.unique, 1U);
  EXPECT_EQ(counts.exact_duplicates, 1U);
  EXPECT_EQ(counts.near_duplicates, 1U);
  EXPECT_EQ(counts.dead_letters[static_cast<size_t>(Reason::kParse)], 2U);
  EXPECT_EQ(counts.dead(), 3U);
}

TEST(CountVerdicts, CountsAMissedCopyAsPlantedOnly) {
  const DemoCounts counts =
      Count(StreamOf().Original().Copy(0, kExact).Copy(0, kExact).Copy(0, kReordered),
            {Unique(), Duplicate(0), Unique(), Duplicate(0)});
  EXPECT_EQ(counts.accuracy.kinds.at(kExact).true_duplicates, 2U);
  EXPECT_EQ(counts.accuracy.kinds.at(kExact).right, 1U);
  EXPECT_EQ(counts.accuracy.kinds.at(kReordered).right, 1U);
  EXPECT_EQ(counts.accuracy.all.true_duplicates, 3U);
  EXPECT_EQ(counts.accuracy.all.right, 2U);
  EXPECT_EQ(counts.false_matches(), 0U);
}

TEST(CountVerdicts, AcceptsACopyOfTheSameOriginal) {
  const StreamOf records = StreamOf().Original().Copy(0, kInserted).Copy(0, kReplaced);
  const DemoCounts earlier = Count(records, {Unique(), Unique(), Duplicate(1)});
  EXPECT_EQ(earlier.accuracy.kinds.at(kReplaced).right, 1U);
  EXPECT_EQ(earlier.accuracy.kinds.at(kInserted).right, 0U);
  EXPECT_EQ(earlier.false_matches(), 0U);
  const DemoCounts later = Count(records, {Unique(), Duplicate(2), Unique()});
  EXPECT_EQ(later.accuracy.kinds.at(kInserted).right, 1U);
  EXPECT_EQ(later.false_matches(), 0U);
}

TEST(CountVerdicts, FindsACopyThatWasDecidedBeforeItsOriginal) {
  const DemoCounts counts = Count(StreamOf().Original().Copy(0, kExact).Copy(0, kInserted),
                                  {Duplicate(1), Unique(), Duplicate(1)});
  EXPECT_EQ(counts.accuracy.kinds.at(kExact).right, 1U);
  EXPECT_EQ(counts.accuracy.kinds.at(kInserted).right, 1U);
  EXPECT_EQ(counts.accuracy.all.right, 2U);
  EXPECT_EQ(counts.false_matches(), 0U);
}

TEST(CountVerdicts, CountsAMatchWithAnotherClusterAsFalseAndNotAsFound) {
  const DemoCounts counts = Count(StreamOf().Original().Original().Copy(0, kExact),
                                  {Unique(), Duplicate(0), Duplicate(1)});
  EXPECT_EQ(counts.false_matches(), 2U);
  EXPECT_EQ(counts.accuracy.all.right, 0U);
}

TEST(DemoTable, ShowsTheCounts) {
  DemoCounts counts;
  counts.records = 20'000;
  counts.unique = 15'000;
  counts.dead_letters[static_cast<size_t>(Reason::kParse)] = 3;
  counts.dead_letters[static_cast<size_t>(Reason::kEncoding)] = 1;
  counts.accuracy.kinds[kReordered].true_duplicates = 1200;
  counts.accuracy.kinds[kReordered].right = 1199;
  counts.accuracy.all.called = 1206;
  counts.accuracy.all.right = 1199;
  const std::string table = DemoTable(counts, {2.0, 10'000.4});
  EXPECT_THAT(table, HasSubstr("20,000 records in 2.0 s, 10,000 records/s\n"));
  EXPECT_THAT(table, HasSubstr("  unique                    15,000    75.0 %\n"));
  EXPECT_THAT(table, HasSubstr("   parse 3, encoding 1\n"));
  EXPECT_THAT(table, HasSubstr("  sentences reordered        1,200     1,199    99.9 %\n"));
  EXPECT_THAT(table, HasSubstr("  false matches                  7   called"));
  EXPECT_THAT(table, Not(HasSubstr("sentence dropped"))) << "none was planted";
}

TEST(PickDuplicates, TakesOneOfEachShapeAndPrefersEditedWords) {
  const std::string english = R"({"title":"News","body":"b"})";
  const std::string chinese = R"({"title":"港","body":"b"})";
  const std::string product = R"({"name":"Pan","description":"d"})";
  StreamOf records;
  records.Original(english)
      .Copy(0, kExact, english)
      .Copy(0, kReordered, english)
      .Copy(0, kInserted, english)
      .Copy(0, kInserted, english)
      .Copy(0, kExact, product)
      .Copy(0, kReplaced, chinese);
  std::vector<DemoVerdict> verdicts(7, Duplicate(0));
  verdicts[0] = Unique();
  verdicts[1] = Duplicate(0, MatchKind::kExact);
  verdicts[5] = Duplicate(0, MatchKind::kExact);
  EXPECT_THAT(PickDuplicates(records.stream(), verdicts), ElementsAre(3, 6, 5));
  verdicts[6] = Unique();
  EXPECT_THAT(PickDuplicates(records.stream(), verdicts), ElementsAre(3, 5));
}

TEST(DuplicateText, NamesBothPositionsDistanceAndKindAndMarksTheDifference) {
  StreamOf records;
  records.Original(R"({"id":"1","title":"Old news","body":"b"})")
      .Copy(0, kReplaced, R"({"id":"2","title":"New news","body":"b"})");
  EXPECT_EQ(DuplicateText(records.stream(), std::vector<DemoVerdict>{Unique(), Duplicate(0)}, 1),
            "  near, distance 2 (planted: 1 % of words replaced)\n"
            "    original   articles/0/1\n"
            "      [Old] news | b\n"
            "    duplicate  articles/1/7\n"
            "      [New] news | b\n");
}

}  // namespace
}  // namespace neardup
