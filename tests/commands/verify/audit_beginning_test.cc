// The audit of a lane that began with entries of records that it has not decided itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "commands/verify/audit.h"
#include "commands/verify/audit_world.h"

namespace neardup {
namespace {

using testing::HasSubstr;

constexpr uint64_t kBefore = 300;  ///< records up to this seq were decided elsewhere

uint64_t SeqOf(const StoredRecord& record) {
  return std::stoull(FieldOf(*record.headers.back().second, "seq"));
}

void SetSeq(StoredRecord& record, uint64_t seq) {
  std::string& header = *record.headers.back().second;
  header = Replaced(header, "seq=" + FieldOf(header, "seq"), "seq=" + std::to_string(seq));
}

/// The outputs of the first kBefore records are gone, as if a batch job had decided them.
World ImportedWorld() {
  World world = SmallWorld();
  for (auto& [place, outputs] : world.outputs) {
    std::erase_if(outputs, [](const StoredRecord& record) { return SeqOf(record) <= kBefore; });
    for (StoredRecord& record : outputs) SetSeq(record, SeqOf(record) - kBefore);
  }
  world.audit.beginning = {BeganWith::kHistory, false, 1, INT64_MIN};
  return world;
}

TEST(AuditBeginning, OriginalsOfAnImportedHistoryNeedNoOutput) {
  World world = ImportedWorld();
  const AuditReport report = world.Audited();
  EXPECT_TRUE(report.ok()) << ReportText(report);
  EXPECT_GT(report.originals_of_history, 5U);
  world.audit.beginning = {};
  ExpectViolated(world.Audited(), {AuditCheck::kCoverage, AuditCheck::kSoundness},
                 "is in no output");
}

TEST(AuditBeginning, AnOriginalThatTheLaneShouldHaveDecidedIsNotOfTheHistory) {
  World world = ImportedWorld();
  // The output of an original that comes after the first decided record of its partition.
  const auto spot = world.FindOutput("unique");
  const std::string origin = FieldOf(world.header(spot), "origin");
  std::string& copy = world.header(world.FindOutput("duplicate"));
  copy = Replaced(copy, "original=" + FieldOf(copy, "original"), "original=" + origin);
  std::vector<StoredRecord>& outputs = world.outputs[spot.place];
  outputs.erase(outputs.begin() + static_cast<std::ptrdiff_t>(spot.index));
  const AuditReport report = world.Audited();
  EXPECT_FALSE(report.ok());
  ASSERT_GT(report[AuditCheck::kSoundness].violations, 0U) << ReportText(report);
  EXPECT_THAT(report[AuditCheck::kSoundness].first.back().text,
              HasSubstr("it is not of the history that was imported"));
  EXPECT_GT(report[AuditCheck::kCoverage].violations, 0U);
}

/// The first kBefore records were decided by two lanes, each of which counted for itself.
World MigratedWorld() {
  World world = SmallWorld();
  std::map<uint64_t, StoredRecord*> by_seq;
  for (auto& [place, outputs] : world.outputs) {
    for (StoredRecord& record : outputs) by_seq[SeqOf(record)] = &record;
  }
  std::map<bool, uint64_t> counts;
  for (const auto& [seq, record] : by_seq) {
    if (seq > kBefore) break;
    const std::string origin = FieldOf(*record->headers.back().second, "origin");
    SetSeq(*record, ++counts[origin.find("news/1") != std::string::npos]);
  }
  world.audit.beginning = {BeganWith::kLanes, false, kBefore + 1, INT64_MIN};
  world.audit.settings_seq = kBefore + 1;
  return world;
}

TEST(AuditBeginning, OlderLanesCountedForThemselves) {
  World world = MigratedWorld();
  const AuditReport report = world.Audited();
  EXPECT_TRUE(report.ok()) << ReportText(report);
  EXPECT_EQ(report[AuditCheck::kSeq].looked_at, report.inputs - kBefore);
  world.audit.beginning = {};
  EXPECT_GT(world.Audited()[AuditCheck::kSeq].violations, 0U);
}

TEST(AuditBeginning, TheNewLaneCountsOnWithoutGaps) {
  for (const uint64_t wrong : {kBefore + 1, kBefore + 2}) {
    World world = MigratedWorld();
    for (auto& [place, outputs] : world.outputs) {
      std::erase_if(outputs, [&](const StoredRecord& record) { return SeqOf(record) == wrong; });
    }
    const AuditReport report = world.Audited();
    EXPECT_EQ(report[AuditCheck::kSeq].violations, 1U) << wrong;
    EXPECT_EQ(report[AuditCheck::kCoverage].violations, 1U) << wrong;
  }
}

}  // namespace
}  // namespace neardup
