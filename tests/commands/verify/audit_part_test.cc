// The audit of a part of the records. Against a simple model: what a whole audit finds, restricted
// to the records of the part.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "commands/verify/audit_world.h"
#include "stream/lane/route_header.h"

namespace neardup {
namespace {

using testing::HasSubstr;

constexpr size_t kRecords = 3000;

World LongWorld() {
  return World({.seed = kWorldSeed, .filter = SmallFilter(), .records = kRecords});
}

/// Smallest and largest timestamp of the inputs.
std::pair<int64_t, int64_t> Times(const World& world) {
  int64_t first_ms = INT64_MAX;
  int64_t last_ms = INT64_MIN;
  for (const auto& [partition, records] : world.inputs) {
    for (const StoredRecord& record : records) {
      first_ms = std::min(first_ms, record.timestamp_ms);
      last_ms = std::max(last_ms, record.timestamp_ms);
    }
  }
  return {first_ms, last_ms};
}

/// The middle third.
std::pair<int64_t, int64_t> Middle(const World& world) {
  const auto [first_ms, last_ms] = Times(world);
  return {first_ms + (last_ms - first_ms) / 3, first_ms + (last_ms - first_ms) * 2 / 3};
}

ParsedHeader HeaderOf(const StoredRecord& record) {
  return *ParseRouteHeader(record.message(0).headers);
}

/// Makes a unique of a duplicate whose original is audited or not, as is the duplicate itself.
/// Returns false if there is none.
bool PlantMissedDuplicate(World& world, bool audited, bool original_audited) {
  std::vector<World::Spot> spots;
  for (const auto& [place, records] : world.outputs) {
    for (size_t i = 1; i + 1 < records.size(); ++i) {
      const ParsedHeader header = HeaderOf(records[i]);
      if (!header.original || header.late) continue;
      const bool is_in = world.IsAudited(header.origin, header.origin_offset);
      const bool original_is_in =
          world.IsAudited(header.original->partition, header.original->offset);
      if (is_in == audited && original_is_in == original_audited) spots.push_back({place, i});
    }
  }
  if (spots.empty()) return false;
  const World::Spot spot = spots[spots.size() / 2];
  std::string& header = world.header(spot);
  header = header.substr(0, header.find(";original"));
  world.MoveTo(spot, "unique");
  return true;
}

TEST(AuditPart, AnyPartOfACorrectWorldPassesAndCountsItsOwnRecords) {
  const World whole = LongWorld();
  const auto [first_ms, last_ms] = Times(whole);
  std::mt19937_64 random(5);
  for (int round = 0; round < 40; ++round) {
    const auto span = static_cast<uint64_t>(last_ms - first_ms);
    auto from_ms = first_ms + static_cast<int64_t>(random() % span);
    auto to_ms = first_ms + static_cast<int64_t>(random() % span);
    if (from_ms > to_ms) std::swap(from_ms, to_ms);
    SCOPED_TRACE(testing::Message() << "round " << round << " of seed 5");
    World world = whole;
    world.TakePart(from_ms, to_ms);
    uint64_t inputs = 0;
    uint64_t originals_left_out = 0;
    uint64_t duplicates = 0;
    for (const auto& [place, records] : world.outputs) {
      for (const StoredRecord& record : records) {
        const ParsedHeader header = HeaderOf(record);
        if (!world.IsAudited(header.origin, header.origin_offset)) continue;
        ++inputs;
        if (!header.original) continue;
        ++duplicates;
        originals_left_out +=
            world.IsAudited(header.original->partition, header.original->offset) ? 0 : 1;
      }
    }
    const AuditReport report = world.Audited();
    EXPECT_TRUE(report.ok()) << ReportText(report);
    EXPECT_EQ(report.inputs, inputs);
    EXPECT_EQ(report.duplicates, duplicates);
    EXPECT_EQ(report.originals_left_out, originals_left_out);
    EXPECT_EQ(report[AuditCheck::kCoverage].looked_at, inputs);
    EXPECT_EQ(report.inputs + report.older_outputs + report.newer_outputs, kRecords);
    if (HasFailure()) return;
  }
}

TEST(AuditPart, AMissedDuplicateInsideIsFound) {
  World world = LongWorld();
  const auto [from_ms, to_ms] = Middle(world);
  world.TakePart(from_ms, to_ms);
  ASSERT_TRUE(PlantMissedDuplicate(world, true, true));
  ExpectViolated(world.Audited(), {AuditCheck::kCompleteness}, "is unique at distance");
}

TEST(AuditPart, AMissedDuplicateOutsideOrAcrossTheBeginIsNotSeen) {
  for (const bool audited : {false, true}) {
    World world = LongWorld();
    const auto [from_ms, to_ms] = Middle(world);
    world.TakePart(from_ms, to_ms);
    ASSERT_TRUE(PlantMissedDuplicate(world, audited, false));
    EXPECT_TRUE(world.Audited().ok());
    World whole = LongWorld();
    whole.outputs = world.outputs;
    EXPECT_FALSE(whole.Audited().ok());
  }
}

TEST(AuditPart, ALostOutputInsideIsFoundAndOneOutsideIsNot) {
  for (const bool audited : {false, true}) {
    World world = LongWorld();
    const auto [from_ms, to_ms] = Middle(world);
    world.TakePart(from_ms, to_ms);
    for (auto& [place, records] : world.outputs) {
      const auto lost = std::find_if(records.begin(), records.end(), [&](const auto& record) {
        const ParsedHeader header = HeaderOf(record);
        return !header.original && header.reason != Reason::kNone &&
               world.IsAudited(header.origin, header.origin_offset) == audited;
      });
      if (lost == records.end()) continue;
      records.erase(lost);
      break;
    }
    if (audited) {
      ExpectViolated(world.Audited(), {AuditCheck::kCoverage}, "is in no output");
    } else {
      EXPECT_TRUE(world.Audited().ok());
    }
  }
}

TEST(AuditPart, AWrongDistanceInsideIsFound) {
  World world = LongWorld();
  const auto [from_ms, to_ms] = Middle(world);
  world.TakePart(from_ms, to_ms);
  for (auto& [place, records] : world.outputs) {
    for (StoredRecord& record : records) {
      const ParsedHeader header = HeaderOf(record);
      if (!header.original || !world.IsAudited(header.origin, header.origin_offset) ||
          !world.IsAudited(header.original->partition, header.original->offset)) {
        continue;
      }
      std::string& text = *record.headers.back().second;
      text = Replaced(text, "distance=", "distance=1");
      ExpectViolated(world.Audited(), {AuditCheck::kSoundness}, "states distance 1");
      return;
    }
  }
  FAIL() << "no duplicate of the part has its original there";
}

TEST(AuditPart, WhatMayHaveBeenForgottenIsExcusedUnlessTheHorizonSaysOtherwise) {
  World world = LongWorld();
  const auto [from_ms, to_ms] = Middle(world);
  world.TakePart(from_ms, to_ms);
  ASSERT_TRUE(PlantMissedDuplicate(world, true, true));
  world.audit.earlier_time_max_ms = INT64_MAX;  // anything may have been decided before
  const AuditReport report = world.Audited();
  EXPECT_TRUE(report.ok()) << ReportText(report);
  EXPECT_GT(report.pairs_excused, 0u);
  world.audit.horizon_ms = from_ms;
  ExpectViolated(world.Audited(), {AuditCheck::kCompleteness}, "is unique at distance");
}

TEST(AuditPart, RecordsDecidedAfterAYoungerOneThatIsLeftOutAreExcused) {
  World world = LongWorld();
  const auto [from_ms, to_ms] = Middle(world);
  world.TakePart(from_ms, to_ms);
  ASSERT_TRUE(PlantMissedDuplicate(world, true, true));
  // The end of one partition comes so early that the others are decided after younger records.
  auto& [partition, end] = *world.ends.begin();
  end = world.begins.at(partition) + 1;
  EXPECT_TRUE(world.Audited().ok()) << ReportText(world.Audited());
}

TEST(AuditPart, RecordsWhoseOutputsWereDeletedAreCountedAndOthersAreFound) {
  World world = LongWorld();
  world.audit.part = true;
  world.audit.earlier_time_max_ms = INT64_MIN;
  for (auto& [place, records] : world.outputs) {
    if (place.topic != "a.news.unique") continue;
    records.erase(records.begin(), records.begin() + 30);
    world.beheaded.push_back(place);
  }
  AuditReport report = world.Audited();
  EXPECT_TRUE(report.ok()) << ReportText(report);
  EXPECT_EQ(report.outputs_deleted, 60u);
  EXPECT_GT(report.originals_left_out, 0u);
  EXPECT_THAT(ReportText(report), HasSubstr("whose output may be deleted, not checked: 60"));
  const auto spot = world.FindOutput("unique");
  auto& place = world.outputs[spot.place];
  place.erase(place.begin() + 50);
  report = world.Audited();
  EXPECT_EQ(report[AuditCheck::kCoverage].violations, 1u) << ReportText(report);
}

}  // namespace
}  // namespace neardup
