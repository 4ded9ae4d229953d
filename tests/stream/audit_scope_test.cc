// What an audit demands and what it excuses: parts of inputs, records that were forgotten.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "stream/audit.h"
#include "stream/audit_world.h"

namespace neardup {
namespace {

TEST(AuditScope, RecordsBehindTheEndAreLeftOut) {
  World world = SmallWorld();
  // The end of one transaction: everything of a smaller seq is in, nothing else.
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

TEST(AuditScope, OutputsOfDeletedInputsAreJudgedByThemselves) {
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

TEST(AuditScope, ALaneThatStartedLateOwesNothingBeforeItsFirstRecord) {
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

TEST(AuditScope, WhatCapacityForgotIsExcused) {
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

TEST(AuditScope, WhatTheHorizonForgotIsExcused) {
  World world({.seed = kWorldSeed, .filter = SmallFilter(), .records = 6000});
  const AuditReport report = world.Audited();
  ExpectPasses(report);
  EXPECT_GT(report.pairs_excused, 0u) << "no late record's original was forgotten";
}

}  // namespace
}  // namespace neardup
