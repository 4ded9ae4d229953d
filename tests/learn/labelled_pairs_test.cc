// The choice of settings for marked pairs: on made-up records whose right settings are known, and
// against a count by hand.
#include "learn/labelled_pairs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "learn/field_roles.h"
#include "neardup/filter.h"

namespace neardup {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::StartsWith;

/// Pairs that own their texts.
class Pairs {
 public:
  void Add(std::string a, std::string b, bool copy) {
    texts_.push_back({std::move(a), std::move(b), copy});
  }
  std::vector<LabelledPair> pairs() const {
    std::vector<LabelledPair> pairs;
    for (const Text& text : texts_) pairs.push_back({text.a, text.b, text.copy});
    return pairs;
  }

 private:
  struct Text {
    std::string a;
    std::string b;
    bool copy = false;
  };
  std::vector<Text> texts_;
};

class LabelledPairs : public testing::Test {
 protected:
  std::string Words(int count) {
    std::string text;
    for (int i = 0; i < count; ++i) {
      if (i > 0) text += ' ';
      for (int letter = 0; letter < 4; ++letter) text += static_cast<char>('a' + random_() % 26);
    }
    return text;
  }
  static std::string Record(const std::string& title, const std::string& site,
                            const std::string& lang = "en") {
    return R"({"title":")" + title + R"(","site":")" + site + R"(","lang":")" + lang + R"("})";
  }
  static FilterOptions Comparing(std::vector<std::string> fields) {
    FilterOptions options;
    for (std::string& field : fields) options.record.fields.push_back({std::move(field), 1.0});
    return options;
  }
  static std::vector<StudiedField> Fields() {
    std::vector<StudiedField> fields(3);
    fields[0].facts.path = "title";
    fields[1].facts.path = "site";
    fields[2].facts.path = "lang";
    return fields;
  }
  static std::vector<std::string> Keys(const FilterOptions& options) {
    std::vector<std::string> paths;
    for (const FieldSelector& field : options.record.fields) {
      if (field.key) paths.push_back(field.path);
    }
    return paths;
  }

  std::mt19937_64 random_{20261125};
};

TEST_F(LabelledPairs, AreDecidedOneByOne) {
  Pairs pairs;
  const std::string text = Words(30);
  pairs.Add(Record(text, "a"), Record(text, "b"), true);
  pairs.Add(Record(Words(30), "a"), Record(Words(30), "a"), false);
  pairs.Add(Record(text, "a"), Record(text, "b"), false);
  pairs.Add(Record(Words(30), "a"), Record(text, "a"), true);  // the previous pair does not count
  const LabelFit fit = FitOf(pairs.pairs(), Comparing({"title"}));
  EXPECT_EQ(fit.copies, 2U);
  EXPECT_EQ(fit.copies_found, 1U);
  EXPECT_EQ(fit.others, 2U);
  EXPECT_EQ(fit.others_apart, 1U);
  EXPECT_THAT(fit.wrong, ElementsAre(2, 3));
  EXPECT_DOUBLE_EQ(fit.score(), 0.5);
  EXPECT_DOUBLE_EQ(LabelFit().score(), 1.0);
}

TEST_F(LabelledPairs, SayWhichFieldIsCompared) {
  // Every title is written a little differently, so that it cannot be a key.
  Pairs pairs;
  for (int i = 0; i < 40; ++i) {
    const std::string title = Words(30);
    pairs.Add(Record(title, "north"), Record(title + " " + Words(1), "north"), true);
    pairs.Add(Record(Words(30), "north"), Record(Words(30), "north"), false);
  }
  const FilterOptions start = Comparing({"site"});
  const LabelledChoice choice = FitToLabels(pairs.pairs(), start, Fields(), /*keep_fields=*/false);
  SCOPED_TRACE(testing::PrintToString(choice.changes));
  EXPECT_EQ(choice.before.right(), 40U) << "all have one site";
  EXPECT_EQ(choice.after.right(), 80U);
  EXPECT_STREQ(UseOf(choice.options.record, "title"), "compared");
  EXPECT_THAT(choice.changes, ElementsAre(StartsWith("title is compared")));
  ASSERT_TRUE(choice.unseen_score);
  EXPECT_GT(*choice.unseen_score, 0.95);
}

TEST_F(LabelledPairs, SayThatANoisyFieldIsNotCompared) {
  Pairs pairs;
  for (int i = 0; i < 40; ++i) {
    const std::string title = Words(20);
    const std::string site = Words(20);
    pairs.Add(Record(title, Words(20)), Record(title, Words(20)), true);
    pairs.Add(Record(Words(20), site), Record(Words(20), site), false);
  }
  const LabelledChoice choice =
      FitToLabels(pairs.pairs(), Comparing({"site"}), Fields(), /*keep_fields=*/false);
  SCOPED_TRACE(testing::PrintToString(choice.changes));
  EXPECT_EQ(choice.before.right(), 0U);
  EXPECT_EQ(choice.after.right(), 80U);
  EXPECT_STRNE(UseOf(choice.options.record, "title"), "left out");
  EXPECT_STRNE(UseOf(choice.options.record, "site"), "compared");
  EXPECT_THAT(choice.changes, Contains(StartsWith("site ")));
  ASSERT_TRUE(choice.unseen_score);
  EXPECT_DOUBLE_EQ(*choice.unseen_score, 1.0);
}

TEST_F(LabelledPairs, SayThatAFieldMayDiffer) {
  Pairs pairs;
  for (int i = 0; i < 40; ++i) {
    const std::string title = Words(20);
    pairs.Add(Record(title, Words(1)), Record(title, Words(1)), true);
    pairs.Add(Record(title, "a", "en"), Record(title, "a", "de"), false);
    pairs.Add(Record(Words(20), "a"), Record(Words(20), "a"), false);
  }
  FilterOptions start = Comparing({"title"});
  start.record.fields.push_back({"", 1.0, true});
  const LabelledChoice choice = FitToLabels(pairs.pairs(), start, Fields(), /*keep_fields=*/false);
  EXPECT_EQ(choice.before.right(), 80U);
  EXPECT_EQ(choice.after.right(), 120U);
  EXPECT_THAT(choice.changes, ElementsAre(StartsWith("site may differ")));
  EXPECT_STREQ(UseOf(choice.options.record, "site"), "may differ");
  EXPECT_STREQ(UseOf(choice.options.record, "lang"), "must agree") << "as before";
}

TEST_F(LabelledPairs, SayThatAFieldIsLeftOut) {
  // Where the text is as short as this, a field that may differ must agree.
  Pairs pairs;
  for (int i = 0; i < 40; ++i) {
    const std::string title = Words(2);
    pairs.Add(Record(title, Words(1)), Record(title, Words(1)), true);
    pairs.Add(Record(Words(2), "a"), Record(Words(2), "a"), false);
  }
  FilterOptions start = Comparing({"title"});
  start.record.fields.push_back({"", 1.0, true});
  const LabelledChoice choice = FitToLabels(pairs.pairs(), start, Fields(), /*keep_fields=*/false);
  EXPECT_EQ(choice.after.right(), 80U);
  EXPECT_THAT(choice.changes, ElementsAre(StartsWith("site is left out")));
  EXPECT_STREQ(UseOf(choice.options.record, "site"), "left out");
}

TEST_F(LabelledPairs, FindADistanceInExactMode) {
  Pairs pairs;
  for (int i = 0; i < 40; ++i) {
    const std::string title = Words(30);
    pairs.Add(Record(title, "a"), Record(title + " " + Words(1), "a"), true);
    pairs.Add(Record(Words(30), "a"), Record(Words(30), "a"), false);
  }
  FilterOptions exact = Comparing({"title"});
  exact.match.distance_max = 0;
  const LabelledChoice choice = FitToLabels(pairs.pairs(), exact, Fields(), /*keep_fields=*/true);
  EXPECT_EQ(choice.before.right(), 40U);
  EXPECT_EQ(choice.after.right(), 80U);
  EXPECT_GT(choice.options.match.distance_max, 0);
}

TEST_F(LabelledPairs, SayWhichFieldMustAgree) {
  // The language is one word of many, so that only a key can tell the pairs apart.
  Pairs pairs;
  for (int i = 0; i < 40; ++i) {
    const std::string title = Words(60);
    pairs.Add(Record(title, "a", "en"), Record(title + " " + Words(1), "a", "en"), true);
    pairs.Add(Record(title, "a", "en"), Record(title + " " + Words(1), "a", "de"), false);
    pairs.Add(Record(title, "a", "en"), Record(Words(60), "a", "en"), false);
  }
  const LabelledChoice choice = FitToLabels(pairs.pairs(), Comparing({"title"}), Fields(), false);
  EXPECT_EQ(choice.before.right(), 80U);
  EXPECT_EQ(choice.after.right(), 120U);
  EXPECT_THAT(choice.changes, ElementsAre(StartsWith("lang must agree")));
  EXPECT_THAT(Keys(choice.options), ElementsAre("lang"));
}

TEST_F(LabelledPairs, ChangeNothingIfAllComeOutRightOrOnlyAnOddOneDoesNot) {
  Pairs pairs;
  for (int i = 0; i < 60; ++i) {
    const std::string title = Words(20);
    pairs.Add(Record(title, "a"), Record(title, "b"), true);
    pairs.Add(Record(Words(20), "a"), Record(Words(20), "a"), false);
  }
  const FilterOptions start = Comparing({"title"});
  EXPECT_THAT(FitToLabels(pairs.pairs(), start, Fields(), false).changes, IsEmpty());
  const std::string title = Words(20);
  pairs.Add(Record(title, "a", "en"), Record(title, "a", "de"), false);
  const LabelledChoice odd = FitToLabels(pairs.pairs(), start, Fields(), false);
  EXPECT_THAT(odd.changes, IsEmpty());
  EXPECT_EQ(odd.options, start);
  EXPECT_EQ(odd.after.right(), 120U);
}

TEST_F(LabelledPairs, OfOneKindChangeNothing) {
  Pairs pairs;
  for (int i = 0; i < 40; ++i) {
    const std::string title = Words(20);
    pairs.Add(Record(title, Words(20)), Record(title, Words(20)), true);
  }
  const FilterOptions start = Comparing({"site"});
  const LabelledChoice choice = FitToLabels(pairs.pairs(), start, Fields(), false);
  EXPECT_EQ(choice.options, start);
  EXPECT_EQ(choice.after.right(), 0U);
  EXPECT_FALSE(choice.unseen_score);
}

TEST_F(LabelledPairs, KeepFieldsThatAPersonHasNamed) {
  Pairs pairs;
  for (int i = 0; i < 20; ++i) {
    const std::string title = Words(20);
    pairs.Add(Record(title, Words(9)), Record(title, Words(9)), true);
    pairs.Add(Record(Words(20), title), Record(Words(20), title), false);
  }
  const FilterOptions start = Comparing({"site"});
  const LabelledChoice choice = FitToLabels(pairs.pairs(), start, Fields(), /*keep_fields=*/true);
  EXPECT_EQ(choice.options.record, start.record);
}

TEST_F(LabelledPairs, GiveTheSameSettingsInEachOrder) {
  Pairs owner;
  for (int i = 0; i < 30; ++i) {
    const std::string title = Words(12);
    owner.Add(Record(title, "a"), Record(title + " " + Words(1 + i % 3), "b"), true);
    owner.Add(Record(title, "a"), Record(title + " " + Words(6), "a"), false);
  }
  std::vector<LabelledPair> pairs = owner.pairs();
  const LabelledChoice first = FitToLabels(pairs, Comparing({"title"}), Fields(), false);
  std::shuffle(pairs.begin(), pairs.end(), random_);
  const LabelledChoice shuffled = FitToLabels(pairs, Comparing({"title"}), Fields(), false);
  EXPECT_EQ(first.options, shuffled.options);
  EXPECT_EQ(first.unseen_score, shuffled.unseen_score);
  EXPECT_GE(first.after.score(), first.before.score());
}

}  // namespace
}  // namespace neardup
