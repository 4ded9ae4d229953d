// What an audit requires and what it excuses: parts of the inputs, and forgotten records.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "commands/verify/audit.h"
#include "commands/verify/audit_world.h"

namespace neardup {
namespace {

constexpr int64_t kNowMs = 1'700'000'000'000;
constexpr int64_t kYear2100Ms = 4'102'444'800'000;
constexpr const char* kText = "alpha beta gamma delta epsilon zeta eta theta iota kappa";
constexpr const char* kSameWords = "kappa iota theta eta zeta epsilon delta gamma beta alpha";

/// A lane of one partition that decided every record as unique.
struct AllUnique {
  struct Row {
    std::string text;
    int64_t timestamp_ms;
    std::string flags;
  };

  AuditReport Audited(const std::vector<Row>& rows) const {
    Audit audit(options);
    AuditedInput input;
    input.partition.topic = "in";
    input.unique_topic = "u";
    audit.AddPartition(input);
    std::vector<StoredRecord> records;
    for (const Row& row : rows) {
      StoredRecord record;
      record.offset = static_cast<int64_t>(records.size());
      record.timestamp_ms = row.timestamp_ms;
      record.value = "{\"text\":\"" + row.text + "\"}";
      audit.AddInput(record.message(0));
      const std::string number = std::to_string(record.offset);
      record.headers = {{"neardup", "seq=" + std::to_string(record.offset + 1) + ";origin=in/0/" +
                                        number + row.flags}};
      record.timestamp_ms += output_late_ms;
      records.push_back(std::move(record));
    }
    for (const StoredRecord& record : records) audit.AddOutput({"u", 0}, record.message(0));
    return audit.Finish();
  }

  AuditOptions options{.filter = SmallFilter()};
  int64_t output_late_ms = 0;
};

TEST(AuditScope, AClampedTimeIsExcusedBecauseNoOutputStatesIt) {
  const AllUnique lane;
  ExpectViolated(lane.Audited({{kText, kNowMs, ""}, {kText, kNowMs + 1, ""}}),
                 {AuditCheck::kCompleteness}, "is unique at distance 0");
  ExpectViolated(lane.Audited({{kText, kNowMs, ""}, {kText, kNowMs + 1, ";clamped"}}),
                 {AuditCheck::kCompleteness}, "is unique at distance 0");
  for (const auto& rows :
       {std::vector<AllUnique::Row>{{kText, kNowMs, ""}, {kText, kYear2100Ms, ";clamped"}},
        std::vector<AllUnique::Row>{{kText, kNowMs, ";clamped"}, {kText, kNowMs + 1, ""}}}) {
    const AuditReport report = lane.Audited(rows);
    EXPECT_TRUE(report.ok()) << ReportText(report);
  }
}

TEST(AuditScope, ARecordFromTheFarFutureDoesNotExcuseLaterRecords) {
  AllUnique lane;
  const AllUnique::Row far{"one two three four five six", kYear2100Ms, ";clamped"};
  const std::vector<AllUnique::Row> rows{{kText, kNowMs, ""}, far, {kText, kNowMs + 10, ""}};
  EXPECT_EQ(lane.Audited(rows).pairs_excused, 1u) << "it may have moved the horizon anywhere";
  lane.options.now_ms = kNowMs;
  ExpectViolated(lane.Audited(rows), {AuditCheck::kCompleteness}, "is unique at distance 0");
}

TEST(AuditScope, ALaterRecordThatIsNotLateBoundsTheHorizon) {
  const AllUnique lane;
  std::vector<AllUnique::Row> rows{{kText, kNowMs, ""},
                                   {"one two three four five six", kYear2100Ms, ";clamped"},
                                   {kText, kNowMs + 10, ""},
                                   {"six seven eight nine ten eleven", kNowMs - 5, ""}};
  ExpectViolated(lane.Audited(rows), {AuditCheck::kCompleteness}, "is unique at distance 0");
  rows[3].flags = ";late";
  EXPECT_EQ(lane.Audited(rows).pairs_excused, 1u);
}

TEST(AuditScope, AtDistanceZeroOnlyEqualRecordsAreDuplicates) {
  AllUnique lane;
  lane.options.filter.match.distance_max = 0;
  EXPECT_TRUE(lane.Audited({{kText, kNowMs, ""}, {kSameWords, kNowMs, ""}}).ok());
  lane.options.filter.match.distance_max = 1;
  lane.options.filter.match.similarity = 0;
  lane.options.filter.match.distance_sum_max = 128;  // the words stand in another order
  ExpectViolated(lane.Audited({{kText, kNowMs, ""}, {kSameWords, kNowMs, ""}}),
                 {AuditCheck::kCompleteness}, "is unique at distance 0");
}

TEST(AuditScope, OnlyTheTimestampZeroMayChangeAndOnlyToOne) {
  AllUnique lane;
  EXPECT_TRUE(lane.Audited({{kText, 0, ""}}).ok());
  lane.output_late_ms = 1;
  EXPECT_TRUE(lane.Audited({{kText, 0, ""}}).ok());
  ExpectViolated(lane.Audited({{kText, 1, ""}}), {AuditCheck::kPayload}, "its timestamp is 2");
  lane.output_late_ms = 2;
  ExpectViolated(lane.Audited({{kText, 0, ""}}), {AuditCheck::kPayload}, "its timestamp is 2");
}

TEST(AuditScope, RecordsAfterTheEndAreLeftOut) {
  World world = SmallWorld();
  // The end of one transaction: it includes exactly the records with a smaller seq.
  for (const auto& [place, records] : world.outputs) {
    for (const StoredRecord& record : records) {
      const auto header = ParseRouteHeader(record.message(0).headers);
      auto [end, added] = world.ends.emplace(header->origin, 0);
      if (header->seq <= 300) end->second = std::max(end->second, header->origin_offset + 1);
    }
  }
  const AuditReport report = world.Audited();
  ExpectPasses(report);
  EXPECT_EQ(report.inputs, 300u);
  EXPECT_EQ(report.newer_outputs, 300u);
}

TEST(AuditScope, OutputsOfDeletedInputsAreCheckedByTheirOwnContent) {
  World world = SmallWorld();
  size_t deleted = 0;
  for (auto& [partition, records] : world.inputs) {
    world.begins[partition] = records[30].offset;
    records.erase(records.begin(), records.begin() + 30);
    deleted += 30;
  }
  AuditReport report = world.Audited();
  ExpectPasses(report);
  EXPECT_EQ(report.outputs_without_input, deleted);
  std::string& header = world.header(world.FindOutput("duplicate"));
  header = Replaced(header, "distance=", "distance=1");
  EXPECT_EQ(world.Audited()[AuditCheck::kSoundness].violations, 1u);
}

TEST(AuditScope, ALaneThatStartedLateNeedsNoOutputBeforeItsFirstRecord) {
  World world = SmallWorld();
  for (auto& [partition, records] : world.inputs) {
    StoredRecord before = records[0];
    before.offset = 0;
    records.insert(records.begin(), before);
  }
  ExpectViolated(world.Audited(), {AuditCheck::kCoverage}, "is in no output");
  world.audit.started_late = true;
  ExpectPasses(world.Audited());
}

TEST(AuditScope, DuplicatesForgottenByCapacityAreExcused) {
  FilterOptions filter = SmallFilter();
  filter.window.entries_max = 1000;
  filter.window.window_ms = int64_t{1000} * 24 * 3600 * 1000;
  World world({.seed = kWorldSeed, .filter = filter, .records = 3000, .new_text_one_in = 2});
  const AuditReport report = world.Audited();
  ExpectPasses(report);
  EXPECT_GT(report.pairs_excused, 0u);
  world.audit.filter.window.entries_max = 2000;
  EXPECT_GT(world.Audited()[AuditCheck::kCompleteness].violations, 0u);
}

TEST(AuditScope, DuplicatesForgottenByTimeAreExcused) {
  World world({.seed = kWorldSeed, .filter = SmallFilter(), .records = 6000});
  const AuditReport report = world.Audited();
  ExpectPasses(report);
  EXPECT_GT(report.pairs_excused, 0u) << "no late record's original was forgotten";
}

}  // namespace
}  // namespace neardup
