// A fingerprinter that has seen a record of each kind takes no more memory from the allocator.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "detect/base/counted_allocations.h"
#include "detect/base/simd_levels.h"
#include "neardup/filter.h"

namespace neardup {
namespace {

constexpr uint32_t kSeed = 20260131;

/// Parts of texts: plain words, Han, accents, marks that change their neighbours, markup, escapes,
/// and what masks take.
const char* const kParts[] = {"river ",
                              "Bridge, ",
                              "opened",
                              "一座老桥",
                              "修好了，",
                              "café ",
                              "Straße ",
                              "e\u0301a ",
                              "<b>new</b>",
                              "&eacute;&amp;",
                              "\\n\\\"",
                              "\\u4e2d",
                              "2026-01-31 ",
                              "10.0.0.1 ",
                              "4711 ",
                              "हिन्दी ",
                              "averyveryverylongwordindeed "};

/// Of 100 texts some are short and some long.
/// A title that was not used before makes the texts new to a fingerprinter.
std::vector<std::string> Payloads(const std::string& title) {
  std::mt19937_64 random(kSeed);
  std::vector<std::string> payloads;
  for (size_t i = 0; i < 100; ++i) {
    const bool plain = random() % 2 == 0;
    std::string text;
    for (size_t parts = random() % 300; parts > 0; --parts) {
      text += kParts[random() % (plain ? 5 : std::size(kParts))];
    }
    payloads.push_back(R"({"id":)" + std::to_string(i) + R"(,"title":")" + title +
                       R"(","list":["x",1.50],)" + R"("text":")" + text + "\"}");
  }
  return payloads;
}

uint64_t CountAllocations(const FilterOptions& options) {
  const std::vector<std::string> payloads = Payloads("A title");
  Fingerprinter fingerprinter(options);
  for (const std::string& payload : Payloads("B title")) fingerprinter.Compute({{}, 0, payload});
  const uint64_t before = counted_allocations;
  EXPECT_GT(before, 0U);  // the counter counts
  uint64_t unlike = 0;
  for (size_t i = 0; i < 2 * payloads.size(); ++i) {  // each twice
    const std::string& payload = payloads[i / 2];
    const FingerprintedRecord record = fingerprinter.Compute({{}, 0, payload});
    unlike += record.outcome.comparable() && record.fingerprint.simhash != 0;
  }
  const uint64_t counted = counted_allocations - before;
  EXPECT_EQ(unlike, 2 * payloads.size());
  return counted;
}

TEST(Fingerprinter, AllocatesNothingForARecordInTheLongRun) {
  AtEachSimdLevel([] { EXPECT_EQ(CountAllocations(FilterOptions()), 0U); });
}

TEST(Fingerprinter, AllocatesNothingForSelectedKeyedAndWeightedFields) {
  AtEachSimdLevel([] {
    FilterOptions options;
    options.record.fields = {{"title", 1, true}, {"text", 2.5}, {"/list", 0.5}};
    options.record.exclude = {"/list/0"};
    EXPECT_EQ(CountAllocations(options), 0U);
  });
}

TEST(Fingerprinter, AllocatesNothingIfOnlyEqualRecordsMatch) {
  AtEachSimdLevel([] {
    FilterOptions options;
    options.match.distance_max = 0;
    EXPECT_EQ(CountAllocations(options), 0U);
  });
}

TEST(Fingerprinter, AllocatesNothingForMasks) {
  AtEachSimdLevel([] {
    FilterOptions options;
    options.feature.masks = {true, true, true, true, true};
    EXPECT_EQ(CountAllocations(options), 0U);
  });
}

}  // namespace
}  // namespace neardup
