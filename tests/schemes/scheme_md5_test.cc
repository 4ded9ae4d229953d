#include <gtest/gtest.h>

#include "base/hash.h"
#include "schemes/md5_schemes.h"
#include "schemes/scheme_record.h"
#include "schemes/word_set.h"

namespace neardup {
namespace {

using Words = std::vector<uint64_t>;
using std::string_literals::operator""s;

TEST(Md5, AgreesWithTheVectorsOfRfc1321) {
  EXPECT_EQ(Md5(""), (Md5Digest{0x04B2008FD98C1DD4, 0x7E42F8EC980980E9}));
  EXPECT_EQ(Md5("abc"), (Md5Digest{0xB04FD23C98500190, 0x727FE1287D3F96D6}));
  EXPECT_TRUE(Md5IsOffered());
}

TEST(Md5Scheme, IsTheSumOfAllFieldsAsTheyAre) {
  const auto scheme = NewMd5();
  const Sketch sketch = SketchOf(*scheme, {"Abc", "d e"});
  const Md5Digest digest = Md5("Abc\0d e\0"s);
  EXPECT_EQ(sketch.words, (Words{digest.first, digest.last}));
  EXPECT_EQ(sketch.keys, (Words{digest.first}));
}

TEST(Md5Scheme, TellsEveryByteAndEveryPlaceApart) {
  const auto scheme = NewMd5();
  EXPECT_EQ(DistanceOf(*scheme, {"Abc", "d"}, {"Abc", "d"}), 0);
  EXPECT_EQ(DistanceOf(*scheme, {"Abc", "d"}, {"abc", "d"}), std::nullopt);
  EXPECT_EQ(DistanceOf(*scheme, {"Abc", "d"}, {"Ab", "cd"}), std::nullopt);
}

TEST(Md5Scheme, DoesNotSeeInWhichOrderTheFieldsWereWritten) {
  const auto scheme = NewMd5();
  SchemeRecord other;
  other.Add(1, "d");
  other.Add(0, "Abc");
  EXPECT_EQ(DistanceOf(*scheme, {"Abc", "d"}, other), 0);
}

constexpr MultiMd5Options kMulti = {.first_fields = 2, .first_equal = 1, .equal_share_min = 0.5};

TEST(MultiMd5, IsAWordForEachField) {
  const auto scheme = NewMultiMd5(kMulti);
  const uint64_t a = Md5("a\0"s).first;
  const uint64_t c = Md5("c\0"s).first;
  const uint64_t d = Md5("d\0"s).first;
  const Sketch sketch = SketchOf(*scheme, {"a", "", "c", "d", ""});
  EXPECT_EQ(sketch.words, (Words{a, 0, c, d}));
  EXPECT_EQ(sketch.keys, (Words{Mix64(a), Mix64(c + 2)}));
  EXPECT_EQ(SketchOf(*scheme, {"", ""}), (Sketch{{}, {kNothingKey}}));
}

TEST(MultiMd5, TakesAllTextsOfAFieldTogether) {
  SchemeRecord record;
  record.Add(0, "a");
  record.Add(0, "b");
  record.Add(1, "c");
  const uint64_t both = Md5("a\0b\0"s).first;
  EXPECT_EQ(SketchOf(*NewMultiMd5(kMulti), record).words, (Words{both, Md5("c\0"s).first}));
}

TEST(MultiMd5, WantsAFirstFieldAndHalfOfAllEqual) {
  const auto scheme = NewMultiMd5(kMulti);
  const SchemeRecord earlier{"a", "b", "c", "d"};
  EXPECT_EQ(DistanceOf(*scheme, earlier, {"a", "b", "c", "d"}), 0);
  EXPECT_EQ(DistanceOf(*scheme, earlier, {"x", "b", "c", "d"}), 1);
  EXPECT_EQ(DistanceOf(*scheme, earlier, {"x", "b", "y", "d"}), 2);
  EXPECT_EQ(DistanceOf(*scheme, earlier, {"x", "b", "y", "z"}), std::nullopt);  // a quarter only
  EXPECT_EQ(DistanceOf(*scheme, earlier, {"x", "y", "c", "d"}), std::nullopt);  // no first field
  // A field that is missing in both does not count, one that is missing in one differs.
  EXPECT_EQ(DistanceOf(*scheme, {"a", "b"}, {"a", "b"}), 0);
  EXPECT_EQ(DistanceOf(*scheme, {"a", "b", "c"}, {"a", "b"}), 1);
}

TEST(MultiMd5, CanWantAllFirstFieldsEqual) {
  const auto scheme = NewMultiMd5({.first_fields = 2, .first_equal = 2, .equal_share_min = 0.5});
  EXPECT_EQ(DistanceOf(*scheme, {"a", "b", "c"}, {"a", "b", "x"}), 1);
  EXPECT_EQ(DistanceOf(*scheme, {"a", "b", "c"}, {"a", "x", "c"}), std::nullopt);
}

TEST(Md5ThenMulti, TakesWhatEitherTakes) {
  const MultiMd5Options strict = {.first_fields = 3, .first_equal = 2, .equal_share_min = 0.6};
  const auto scheme = NewMd5ThenMulti(strict);
  EXPECT_EQ(DistanceOf(*scheme, {"a", "b", "c"}, {"a", "b", "c"}), 0);
  EXPECT_EQ(DistanceOf(*scheme, {"a", "b", "c"}, {"a", "b", "x"}), 1);
  EXPECT_EQ(DistanceOf(*scheme, {"a", "b", "c"}, {"a", "x", "y"}), std::nullopt);
  const Sketch sketch = SketchOf(*scheme, {"a"});
  const Md5Digest digest = Md5("a\0"s);
  EXPECT_EQ(sketch.words, (Words{digest.first, digest.last, digest.first}));
  EXPECT_EQ(sketch.keys, (Words{digest.first, Mix64(digest.first)}));
}

}  // namespace
}  // namespace neardup
