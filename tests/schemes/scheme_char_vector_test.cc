#include <gtest/gtest.h>

#include "base/hash.h"
#include "schemes/char_vector_schemes.h"
#include "schemes/scheme_record.h"
#include "schemes/token_counts.h"

namespace neardup {
namespace {

constexpr uint64_t kHeaven = 0x5929;
constexpr uint64_t kEarth = 0x5730;

SharedFrequencies Learn(const std::vector<std::string>& records) {
  auto frequencies = std::make_shared<DocumentFrequencies>();
  for (const std::string& text : records) {
    frequencies->Add(DistinctTokens(SchemeRecord{text}.texts()));
  }
  return frequencies;
}

TEST(CharVector, CountsTheCommonestCharacters) {
  const auto scheme = NewCharVector(2, 0.9, Learn({"天地", "天地人", "天地"}));
  EXPECT_EQ(SketchOf(*scheme, {"天地，天 人", "天 sky 1"}).words,
            (std::vector<uint64_t>{10, kEarth << 32 | 1, kHeaven << 32 | 3}));
}

TEST(CharVector, ComparesByTanimoto) {
  const auto frequencies = Learn({"天地"});
  // {2, 1} and {1, 1}: 3 / (5 + 2 - 3).
  EXPECT_EQ(DistanceOf(*NewCharVector(9, 0.75, frequencies), {"天天地"}, {"地天"}), 250);
  EXPECT_EQ(DistanceOf(*NewCharVector(9, 0.76, frequencies), {"天天地"}, {"地天"}), std::nullopt);
  EXPECT_EQ(DistanceOf(*NewCharVector(9, 0.76, frequencies), {"天天地"}, {"地天天"}), 0);
  EXPECT_TRUE(NewCharVector(9, 0.9, frequencies)->scans_all());
}

TEST(CharVector, TakesOnlyEqualsOfRecordsWithoutSuchACharacter) {
  const auto scheme = NewCharVector(9, 0.5, Learn({"天地 sky a"}));
  EXPECT_EQ(DistanceOf(*scheme, {"the sky"}, {"The sky!"}), 0);
  EXPECT_EQ(DistanceOf(*scheme, {"a sky"}, {"a sea"}), std::nullopt);
  EXPECT_EQ(DistanceOf(*scheme, {"天"}, {"the sky"}), std::nullopt);
}

TEST(CharVectorCode, CountsByCodePoint) {
  const auto scheme = NewCharVectorCode(0x100, 0.9);
  EXPECT_EQ(SketchOf(*scheme, {"天 Baa"}).words,
            (std::vector<uint64_t>{6, uint64_t{kHeaven % 0x100} << 32 | 1, uint64_t{'a'} << 32 | 2,
                                   uint64_t{'b'} << 32 | 1}));
}

TEST(CharVectorCode, PutsCharactersOfOnePlaceTogether) {
  EXPECT_EQ(DistanceOf(*NewCharVectorCode(16, 0.9), {"aq"}, {"qq"}), 0);  // 0x61 and 0x71
  EXPECT_EQ(DistanceOf(*NewCharVectorCode(65'536, 0.9), {"aq"}, {"qq"}), std::nullopt);
}

}  // namespace
}  // namespace neardup
