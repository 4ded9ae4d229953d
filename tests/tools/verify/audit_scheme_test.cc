// The audit of a lane under another scheme than the filter's own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "filter/match_scheme.h"
#include "verify/audit_world.h"
#include "verify/completeness.h"

namespace neardup {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

World SchemeWorld(const char* scheme) {
  FilterOptions filter = SmallFilter();
  filter.scheme.name = scheme;
  return World({.seed = kWorldSeed, .filter = filter});
}

class AuditOfAScheme : public testing::TestWithParam<const char*> {};

TEST_P(AuditOfAScheme, ACorrectWorldPasses) {
  const World world = SchemeWorld(GetParam());
  const AuditReport report = world.Audited();
  ExpectPasses(report);
  EXPECT_EQ(report[AuditCheck::kCompleteness].looked_at, report.unique);
  EXPECT_EQ(report[AuditCheck::kSoundness].looked_at, report.duplicates);
  if (std::string(GetParam()) == "minhash") {
    ASSERT_EQ(report.notes.size(), 1U);
    EXPECT_THAT(report.notes[0], HasSubstr("uniques that share no key were not compared"));
  } else {
    EXPECT_THAT(report.notes, IsEmpty());
  }
}

TEST_P(AuditOfAScheme, AnOriginalThatIsNotSimilarIsFound) {
  World world = SchemeWorld(GetParam());
  std::string& header = world.header(world.FindOutput("duplicate"));
  // The first unique: it has other words, and no record comes before it.
  const auto first = world.FindOutput("unique", "seq=");
  for (auto& [place, records] : world.outputs) {
    for (StoredRecord& record : records) {
      std::string& doctored = *record.headers.back().second;
      if (&doctored != &header) continue;
      const std::string origin = FieldOf(world.header(first), "origin");
      ASSERT_NE(FieldOf(header, "original"), origin);
      doctored =
          Replaced(doctored, "original=" + FieldOf(doctored, "original"), "original=" + origin);
    }
  }
  const AuditReport report = world.Audited();
  EXPECT_GT(report[AuditCheck::kSoundness].violations, 0U);
  EXPECT_THAT(ReportText(report),
              HasSubstr("the scheme " + std::string(GetParam()) + " does not accept its original"));
}

TEST_P(AuditOfAScheme, ADistanceThatDiffersFromTheSketchesIsFound) {
  World world = SchemeWorld(GetParam());
  std::string& header = world.header(world.FindOutput("duplicate"));
  header = Replaced(header, "distance=" + FieldOf(header, "distance"), "distance=70000");
  ExpectViolated(world.Audited(), {AuditCheck::kSoundness},
                 "states distance 70000 to its original");
}

TEST_P(AuditOfAScheme, TwoUniquesThatAreDuplicatesAreFound) {
  World world = SchemeWorld(GetParam());
  const auto spot = world.FindOutput("duplicate", "kind=exact");
  std::string& header = world.header(spot);
  header = header.substr(0, header.find(";original"));
  world.MoveTo(spot, "unique");
  ExpectViolated(world.Audited(), {AuditCheck::kCompleteness}, "is unique at distance 0 of");
}

INSTANTIATE_TEST_SUITE_P(Schemes, AuditOfAScheme,
                         testing::Values("segments", "shingles", "minhash", "simhash",
                                         "char-vector-code"));

TEST(ForEachSketchPair, VisitsEachPairOfAFullScanOnce) {
  const auto chosen = ChooseScheme({"simhash", {{"distance_max", 5}}});
  ASSERT_TRUE(chosen.ok());
  std::mt19937_64 random(31);
  std::vector<Sketch> sketches(600);
  std::vector<SketchRecord> records;
  for (Sketch& sketch : sketches) {
    uint64_t code = std::mt19937_64(random() % 40)();
    for (uint64_t flips = random() % 6; flips > 0; --flips) code ^= uint64_t{1} << random() % 64;
    sketch.words = {code};
    // Like the keys of the scheme: of 6 blocks, with the block's number in the low bits.
    for (uint64_t block = 0; block < 6; ++block) {
      const uint64_t begin = 64 * block / 6;
      const uint64_t bits = 64 * (block + 1) / 6 - begin;
      sketch.keys.push_back((code >> begin & ((uint64_t{1} << bits) - 1)) << 8 | block);
    }
    records.push_back({&sketch, static_cast<int64_t>(random() % 1000)});
  }
  std::set<std::pair<uint32_t, uint32_t>> expected;
  for (uint32_t a = 0; a < records.size(); ++a) {
    for (uint32_t b = a + 1; b < records.size(); ++b) {
      const bool near = chosen->scheme->Distance(sketches[a].words, sketches[b].words).has_value();
      if (near && std::llabs(records[a].time_ms - records[b].time_ms) <= 300)
        expected.emplace(a, b);
    }
  }
  std::set<std::pair<uint32_t, uint32_t>> visited;
  ForEachSketchPair(*chosen->scheme, records, 300, [&](uint32_t a, uint32_t b, int distance) {
    EXPECT_EQ(distance, chosen->scheme->Distance(sketches[a].words, sketches[b].words));
    EXPECT_TRUE(visited.emplace(a, b).second);
  });
  EXPECT_EQ(visited, expected);
  EXPECT_GT(expected.size(), 100U);
}

}  // namespace
}  // namespace neardup
