// The groups of originals and copies, against a model that computes each group anew from all joins.
#include "stream/state/groups.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <vector>

namespace neardup {
namespace {

struct Joined {
  Position original;
  int64_t original_time_ms = 0;
  Position copy;
  int64_t time_ms = 0;
  Keep keep = Keep::kFirst;
  uint64_t number = 0;  ///< of the original's entry
};

Match MatchOf(const Joined& joined) {
  Match match;
  match.original = joined.original;
  match.time_ms = joined.original_time_ms;
  match.number = joined.number;
  return match;
}

/// The group of an original after these joins; nullopt if none of them is its own.
std::optional<Group> GroupAfter(const std::vector<Joined>& joins, const Position& original) {
  std::optional<Group> group;
  for (const Joined& joined : joins) {
    if (joined.original != original) continue;
    if (!group) {
      group = Group{original, joined.original_time_ms, 0, original, joined.original_time_ms,
                    original, joined.original_time_ms};
    }
    ++group->copies;
    group->last = joined.copy;
    group->last_time_ms = std::max(group->last_time_ms, joined.time_ms);
    if (joined.keep != Keep::kNewest || joined.time_ms < group->newest_time_ms) continue;
    group->newest = joined.copy;
    group->newest_time_ms = joined.time_ms;
  }
  return group;
}

Joined DrawJoin(std::mt19937_64& random, int64_t offset) {
  const auto family = static_cast<int64_t>(random() % 20);
  return {.original = {0, family},
          .original_time_ms = 100 * family,
          .copy = {1, offset},
          .time_ms = static_cast<int64_t>(random() % 4000),
          .keep = random() % 3 == 0 ? Keep::kFirst : Keep::kNewest};
}

TEST(Groups, AreThoseOfAllCommittedJoins) {
  std::mt19937_64 random(5);
  Groups groups;
  std::vector<Joined> committed;
  std::vector<Joined> uncommitted;
  constexpr size_t kAll = SIZE_MAX;
  size_t covered = kAll;
  for (int64_t step = 0; step < 20'000; ++step) {
    switch (random() % 40) {
      case 0:
        groups.BeginCommit();
        covered = uncommitted.size();
        break;
      case 1: {
        groups.Commit();
        const auto end =
            uncommitted.begin() + static_cast<int64_t>(std::min(covered, uncommitted.size()));
        committed.insert(committed.end(), uncommitted.begin(), end);
        uncommitted.erase(uncommitted.begin(), end);
        covered = kAll;
        break;
      }
      case 2:
        groups.Rollback();
        uncommitted.clear();
        covered = kAll;
        break;
      default: {
        const Joined joined = DrawJoin(random, step);
        std::vector<Joined> all = committed;
        all.insert(all.end(), uncommitted.begin(), uncommitted.end());
        const std::optional<Group> before = GroupAfter(all, joined.original);
        const int64_t newest_ms = before ? before->newest_time_ms : joined.original_time_ms;
        const JoinedGroup expected{before ? before->newest : joined.original,
                                   joined.keep == Keep::kNewest && joined.time_ms >= newest_ms};
        ASSERT_EQ(groups.Join(MatchOf(joined), joined.copy, joined.time_ms, joined.keep), expected);
        uncommitted.push_back(joined);
      }
    }
    ASSERT_EQ(groups.joins(), uncommitted.size());
    if (step % 16 != 0) continue;
    std::vector<Joined> all = committed;
    all.insert(all.end(), uncommitted.begin(), uncommitted.end());
    for (int64_t family = 0; family < 20; ++family) {
      const Group* found = groups.Find({0, family});
      const std::optional<Group> expected = GroupAfter(all, {0, family});
      ASSERT_EQ(found != nullptr, expected.has_value());
      if (expected) {
        ASSERT_EQ(static_cast<const Group&>(*found), *expected);
      }
    }
    if (committed.size() < 1000) continue;
    groups = {};
    committed.clear();
    uncommitted.clear();
    covered = kAll;
  }
}

TEST(Groups, OfEqualEventTimesTheLaterRecordIsNewer) {
  Groups groups;
  const Joined copy{{0, 1}, 500, {0, 2}, 500, Keep::kNewest};
  EXPECT_TRUE(groups.Join(MatchOf(copy), copy.copy, copy.time_ms, copy.keep).replaces);
  const Joined older{{0, 1}, 500, {0, 3}, 499, Keep::kNewest};
  EXPECT_EQ(groups.Join(MatchOf(older), older.copy, older.time_ms, older.keep),
            (JoinedGroup{{0, 2}, false}));
}

TEST(Groups, ThatChangedAreEachNamedOnceAsTheyAreNow) {
  Groups groups;
  const auto join = [&](int64_t original, int64_t copy) {
    groups.Join(MatchOf({{0, original}, 0, {}, 0, Keep::kFirst}), {0, copy}, copy, Keep::kNewest);
  };
  join(1, 10);
  groups.Commit();
  for (const auto& [original, copy] : {std::pair(2, 11), {1, 12}, {2, 13}, {3, 14}}) {
    join(original, copy);
  }
  const std::vector<NumberedGroup> first = groups.Changed(0, 3);
  ASSERT_EQ(first.size(), 2U);
  EXPECT_EQ(first[0].original.offset, 2);
  EXPECT_EQ(first[0].copies, 2U);
  EXPECT_EQ(first[0].newest, (Position{0, 13}));
  EXPECT_EQ(first[1].original.offset, 1);
  EXPECT_EQ(first[1].copies, 2U);
  ASSERT_EQ(groups.Changed(3, 4).size(), 1U);
  EXPECT_EQ(groups.Changed(3, 4)[0].original.offset, 3);
}

TEST(Groups, AreForgottenWithTheirOriginalAndNotWithAnEarlierOneOfItsPosition) {
  Groups groups;
  const Joined copy{{0, 1}, 500, {0, 2}, 600, Keep::kNewest, 4};
  groups.Join(MatchOf(copy), copy.copy, copy.time_ms, copy.keep);
  groups.Commit();
  const std::vector<ForgottenRecord> earlier = {{{0, 1}, 3}};
  groups.Forget(earlier);
  EXPECT_NE(groups.Find({0, 1}), nullptr);
  const std::vector<ForgottenRecord> same = {{{0, 7}, 4}, {{0, 1}, 4}};
  groups.Forget(same);
  EXPECT_EQ(groups.Find({0, 1}), nullptr);
  EXPECT_EQ(groups.size(), 0U);
}

TEST(Groups, OfAnOriginalWithThePositionOfAnEarlierOneBeginAnew) {
  Groups groups;
  groups.Join(MatchOf({{0, 1}, 500, {}, 0, Keep::kFirst, 4}), {0, 2}, 900, Keep::kNewest);
  groups.Commit();
  const JoinedGroup joined =
      groups.Join(MatchOf({{0, 1}, 700, {}, 0, Keep::kFirst, 5}), {0, 3}, 800, Keep::kNewest);
  EXPECT_EQ(joined, (JoinedGroup{{0, 1}, true}));
  EXPECT_EQ(groups.Find({0, 1})->copies, 1U);
  groups.Rollback();
  EXPECT_EQ(groups.Find({0, 1})->newest_time_ms, 900);
}

}  // namespace
}  // namespace neardup
