#include <gtest/gtest.h>

#include <string>

#include "commands/evaluate/scheme.h"
#include "commands/evaluate/scheme_record.h"
#include "detect/base/hash.h"

namespace neardup {
namespace {

using Words = std::vector<uint64_t>;
using std::string_literals::operator""s;

TEST(Md5Scheme, IsTheDigestOfAllFieldsUnchanged) {
  const auto scheme = Made("md5", {});
  const Sketch sketch = SketchOf(*scheme, {"Abc", "d e"});
  const Digest128 digest = Hash128("Abc\0d e\0"s);
  EXPECT_EQ(sketch.words, (Words{digest.low, digest.high}));
  EXPECT_EQ(sketch.keys, (Words{digest.low}));
}

TEST(Md5Scheme, TellsEveryByteAndEveryPlaceApart) {
  const auto scheme = Made("md5", {});
  EXPECT_EQ(DistanceOf(*scheme, {"Abc", "d"}, {"Abc", "d"}), 0);
  EXPECT_EQ(DistanceOf(*scheme, {"Abc", "d"}, {"abc", "d"}), std::nullopt);
  EXPECT_EQ(DistanceOf(*scheme, {"Abc", "d"}, {"Ab", "cd"}), std::nullopt);
}

TEST(Md5Scheme, IgnoresTheOrderInWhichTheFieldsWereWritten) {
  const auto scheme = Made("md5", {});
  SchemeRecord other;
  other.Add(1, "d");
  other.Add(0, "Abc");
  EXPECT_EQ(DistanceOf(*scheme, {"Abc", "d"}, other), 0);
}

/// Two first fields, of which one is equal, and half of all.
std::unique_ptr<Scheme> Multi() {
  return Made("multi-md5", {{"first_fields", 2}, {"first_equal", 1}, {"equal_share_min", 0.5}});
}

TEST(MultiMd5, HasAWordForEachField) {
  const auto scheme = Multi();
  const uint64_t a = Hash64("a\0"s);
  const uint64_t c = Hash64("c\0"s);
  const uint64_t d = Hash64("d\0"s);
  const Sketch sketch = SketchOf(*scheme, {"a", "", "c", "d", ""});
  EXPECT_EQ(sketch.words, (Words{a, 0, c, d}));
  EXPECT_EQ(sketch.keys, (Words{Mix64(a), Mix64(c + 2)}));
  EXPECT_EQ(SketchOf(*scheme, {"", ""}), (Sketch{{}, {kNothingKey}}));
}

TEST(MultiMd5, HashesAllTextsOfAFieldTogether) {
  SchemeRecord record;
  record.Add(0, "a");
  record.Add(0, "b");
  record.Add(1, "c");
  const uint64_t both = Hash64("a\0b\0"s);
  EXPECT_EQ(SketchOf(*Multi(), record).words, (Words{both, Hash64("c\0"s)}));
}

TEST(MultiMd5, NeedsOneFirstFieldAndHalfOfAllFieldsEqual) {
  const auto scheme = Multi();
  const SchemeRecord earlier{"a", "b", "c", "d"};
  EXPECT_EQ(DistanceOf(*scheme, earlier, {"a", "b", "c", "d"}), 0);
  EXPECT_EQ(DistanceOf(*scheme, earlier, {"x", "b", "c", "d"}), 1);
  EXPECT_EQ(DistanceOf(*scheme, earlier, {"x", "b", "y", "d"}), 2);
  EXPECT_EQ(DistanceOf(*scheme, earlier, {"x", "b", "y", "z"}),
            std::nullopt);  // one of four fields
  EXPECT_EQ(DistanceOf(*scheme, earlier, {"x", "y", "c", "d"}),
            std::nullopt);  // no first field is equal
  // A field that both lack does not count; a field that one lacks differs.
  EXPECT_EQ(DistanceOf(*scheme, {"a", "b"}, {"a", "b"}), 0);
  EXPECT_EQ(DistanceOf(*scheme, {"a", "b", "c"}, {"a", "b"}), 1);
}

TEST(MultiMd5, CanNeedAllFirstFieldsEqual) {
  const auto scheme =
      Made("multi-md5", {{"first_fields", 2}, {"first_equal", 2}, {"equal_share_min", 0.5}});
  EXPECT_EQ(DistanceOf(*scheme, {"a", "b", "c"}, {"a", "b", "x"}), 1);
  EXPECT_EQ(DistanceOf(*scheme, {"a", "b", "c"}, {"a", "x", "c"}), std::nullopt);
}

TEST(Md5ThenMulti, TakesWhatEitherSchemeTakes) {
  const auto scheme =
      Made("md5-then-multi", {{"first_fields", 3}, {"first_equal", 2}, {"equal_share_min", 0.6}});
  EXPECT_EQ(DistanceOf(*scheme, {"a", "b", "c"}, {"a", "b", "c"}), 0);
  EXPECT_EQ(DistanceOf(*scheme, {"a", "b", "c"}, {"a", "b", "x"}), 1);
  EXPECT_EQ(DistanceOf(*scheme, {"a", "b", "c"}, {"a", "x", "y"}), std::nullopt);
  const Sketch sketch = SketchOf(*scheme, {"a"});
  const Digest128 all = Hash128("a\0"s);
  const uint64_t field = Hash64("a\0"s);
  EXPECT_EQ(sketch.words, (Words{all.low, all.high, field}));
  EXPECT_EQ(sketch.keys, (Words{all.low, Mix64(field)}));
}

}  // namespace
}  // namespace neardup
