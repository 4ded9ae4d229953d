#include <gtest/gtest.h>

#include <algorithm>

#include "commands/evaluate/scheme_record.h"
#include "detect/base/hash.h"

namespace neardup {
namespace {

std::vector<uint64_t> HashesOf(const std::vector<std::string>& texts) {
  std::vector<uint64_t> hashes;
  for (const std::string& text : texts) hashes.push_back(Hash64(text));
  std::sort(hashes.begin(), hashes.end());
  return hashes;
}

TEST(Segments, AreTheDistinctSentences) {
  const auto scheme = Made("segments", {{"equal_share_min", 0.5}});
  const SchemeRecord record{"One two. Three, four! One TWO. Five"};
  EXPECT_EQ(SketchOf(*scheme, record).words, HashesOf({"one two ", "three four ", "five "}));
}

TEST(Segments, NeedAShareOfTheLargerRecordEqual) {
  const auto scheme = Made("segments", {{"equal_share_min", 0.5}});
  const SchemeRecord earlier{"A b. C d. E f. G h."};
  EXPECT_EQ(DistanceOf(*scheme, earlier, {"C d. E f. A b. G h."}), 0);
  EXPECT_EQ(DistanceOf(*scheme, earlier, {"A b. C d. E f. X."}), 250);
  EXPECT_EQ(DistanceOf(*scheme, earlier, {"A b. C d."}), 500);
  EXPECT_EQ(DistanceOf(*scheme, earlier, {"A b."}), std::nullopt);
  EXPECT_EQ(DistanceOf(*scheme, earlier, {"A b. C d. 1. 2. 3."}), std::nullopt);
}

TEST(Structure, TakesTheFirstAndTheLastSentenceOfEachParagraph) {
  const auto scheme = Made("structure", {{"equal_share_min", 0.5}});
  const SchemeRecord record{"a one. a two. a three.\nb one.", "c one. c two."};
  EXPECT_EQ(SketchOf(*scheme, record).words,
            HashesOf({"a one ", "a three ", "b one ", "c one ", "c two "}));
  EXPECT_EQ(DistanceOf(*scheme, record, {"a one. x. a three.\nb one.", "c one. c two."}), 0);
  EXPECT_EQ(DistanceOf(*scheme, record, {"a one. a two. x.\nb one.", "c one. c two."}), 200);
  EXPECT_EQ(DistanceOf(*scheme, record, {"a one. a two. x.\ny.", "c one. z."}), std::nullopt);
}

TEST(FeatureCode, TakesTheCharactersAroundEachMark) {
  const auto scheme = Made("feature-code", {{"characters", 2}, {"equal_share_min", 0.5}});
  EXPECT_EQ(SketchOf(*scheme, {". Ab, cd: e\xEF\xBC\x8C"
                               "f"})
                .words,
            HashesOf({"abcd", "cdef", "def"}));
  EXPECT_EQ(SketchOf(*scheme, {"天地人。"}).words, HashesOf({"地人"}));
  EXPECT_EQ(SketchOf(*scheme, {"no mark", "", "?!"}).words, HashesOf({"nomark"}));
}

TEST(FeatureCode, NeedsAShareOfTheCodesEqual) {
  const auto scheme = Made("feature-code", {{"characters", 1}, {"equal_share_min", 0.5}});
  EXPECT_EQ(DistanceOf(*scheme, {"ab,cd,ef"}, {"ab,cd,ef"}), 0);
  EXPECT_EQ(DistanceOf(*scheme, {"ab,cd,ef"}, {"ab,cx,yf"}),
            500);  // the codes are bc and de, then bc and xy
  EXPECT_EQ(DistanceOf(*scheme, {"ab,cd,ef"}, {"ax,yd,zf"}), std::nullopt);
}

}  // namespace
}  // namespace neardup
