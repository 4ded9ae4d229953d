// A lane's state is the fold of its deltas: whoever applies them has it.
#include "stream/state/lane_state.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "detect/base/random.h"
#include "stream/state/lane_history.h"

namespace neardup {
namespace {

FilterOptions TestOptions() {
  FilterOptions options = SnapshotTestOptions();
  options.window.entries_max = 20'000;
  return options;
}

/// A lane that will read the partition from this offset on.
std::unique_ptr<LaneState> LaneReading(int64_t offset) {
  auto state = MakeLane(TestOptions());
  EXPECT_TRUE(state->AddInput({"news", 0}, offset).ok());
  return state;
}

Verdict Decide(LaneState& state, Position position, int64_t time_ms, uint64_t code) {
  Verdict verdict = state.filter().Decide(MakeRecord(position, time_ms, code));
  state.Advance(position);
  return verdict;
}

/// Decides `records` random records: new ones, copies, and copies a few bits away.
void DecideSome(LaneState& state, std::mt19937_64& random, size_t records) {
  static constexpr int64_t kStartMs = 1'700'000'000'000;
  for (size_t i = 0; i < records; ++i) {
    const auto input = static_cast<uint32_t>(random() % state.inputs().size());
    const int64_t offset = state.inputs()[input].next_offset + static_cast<int64_t>(random() % 2);
    const auto time_ms =
        kStartMs + static_cast<int64_t>(state.seq() * 5 + random() % 3000 * (input + 1));
    std::mt19937_64 family(random() % 3 == 0 ? random() % 3000 : random());
    Decide(state, {input, offset}, time_ms, family() ^ (uint64_t{1} << random() % 64));
  }
}

TEST(LaneState, CarriesWhatItLearnedInTheFirstDeltaAndThenFromTimeToTime) {
  auto state = LaneReading(0);
  state->SetLearned("learned");
  std::vector<uint32_t> carried;
  for (uint32_t commit = 0; commit < 2 * LaneState::kCommitsPerLearned + 2; ++commit) {
    Decide(*state, {0, commit}, 1'700'000'000'000, commit);
    const std::vector<Delta> deltas = state->Uncommitted();
    EXPECT_EQ(deltas, state->Uncommitted()) << "a transaction may be built again";
    if (!deltas.front().learned.empty()) carried.push_back(commit);
    if (commit % 3 == 1) {
      state->Rollback();
      Decide(*state, {0, commit}, 1'700'000'000'000, commit);
      EXPECT_EQ(state->Uncommitted().front().learned, deltas.front().learned);
    }
    state->Commit();
  }
  EXPECT_EQ(carried, (std::vector<uint32_t>{0, LaneState::kCommitsPerLearned,
                                            2 * LaneState::kCommitsPerLearned}));
}

TEST(LaneState, NamesItsTopicsInEveryDeltaAndKnowsThoseOfTheNewestOne) {
  const PipelineTopics ours = {{"a", "news"}, "u", "d", "x"};
  const PipelineTopics theirs = {{"news"}, "u", "d", "x"};
  auto active = MakeLane(TestOptions());
  active->SetTopics(theirs);
  EXPECT_FALSE(active->lane_topics().known());
  EXPECT_TRUE(active->AddInput({"news", 0}, 0).ok());
  auto standby = MakeLane(TestOptions());
  standby->SetTopics(ours);
  for (uint32_t commit = 0; commit < 3; ++commit) {
    Decide(*active, {0, commit}, 1'700'000'000'000, commit);
    const std::vector<Delta> deltas = active->Uncommitted();
    for (const Delta& delta : deltas) {
      EXPECT_EQ(delta.pipeline, theirs);
      ASSERT_TRUE(standby->Apply(delta).ok());
    }
    active->Commit();
    EXPECT_EQ(active->lane_topics(), theirs);
    EXPECT_EQ(standby->lane_topics(), theirs);
  }
  EXPECT_EQ(standby->Uncommitted().front().pipeline, ours) << "from its promotion on";
  standby->Commit();
  EXPECT_EQ(standby->lane_topics(), ours);
  ASSERT_TRUE(standby->Clear().ok());
  EXPECT_FALSE(standby->lane_topics().known());
  EXPECT_EQ(standby->Uncommitted().front().pipeline, ours);
}

TEST(LaneState, CountsDroppedDuplicatesAsItsDeltasDo) {
  auto active = MakeLane(TestOptions());
  auto standby = MakeLane(TestOptions());
  active->StartEpoch(7);
  EXPECT_TRUE(active->AddInput({"news", 0}, 0).ok());
  std::mt19937_64 random(3);
  uint64_t committed = 0;
  int64_t offset = 0;
  for (int round = 0; round < 200; ++round) {
    uint64_t dropped = 0;
    for (uint64_t n = random() % 6; n > 0; --n) {
      if (random() % 2 == 0) {
        active->CountDropped();
        ++dropped;
      }
      Decide(*active, {0, offset++}, 1'700'000'000'000, random());
    }
    ASSERT_EQ(active->dropped(), committed + dropped);
    if (random() % 3 == 0) {
      active->Rollback();
      ASSERT_EQ(active->dropped(), committed);
      continue;
    }
    committed += dropped;
    for (Delta& delta : active->Uncommitted()) {
      ASSERT_EQ(delta.dropped, committed);
      ASSERT_TRUE(standby->Apply(std::move(delta)).ok());
    }
    active->BeginCommit();
    active->CountDropped();  // belongs to the next commit
    active->Commit();
    ASSERT_EQ(active->dropped(), committed + 1);
    active->Rollback();
    ASSERT_EQ(active->dropped(), committed);
    ASSERT_EQ(standby->dropped(), committed);
  }
  EXPECT_GT(committed, 100U);
  ASSERT_TRUE(standby->Clear().ok());
  EXPECT_EQ(standby->dropped(), 0U);
}

TEST(LaneState, RefusesADeltaThatSaysItLearnedOtherwise) {
  auto active = LaneReading(0);
  active->SetLearned("theirs");
  Decide(*active, {0, 0}, 1'700'000'000'000, 1);
  const Delta delta = active->Uncommitted().front();
  auto standby = MakeLane(TestOptions());
  standby->SetLearned("ours");
  const Result<void> applied = standby->Apply(delta);
  ASSERT_FALSE(applied.ok());
  EXPECT_EQ(applied.error().code, ErrorCode::kMismatch);
  EXPECT_TRUE(standby->empty()) << "unchanged";
  auto same = MakeLane(TestOptions());
  same->SetLearned("theirs");
  EXPECT_TRUE(same->Apply(delta).ok());
  auto set_by_hand = MakeLane(TestOptions());
  EXPECT_TRUE(set_by_hand->Apply(delta).ok()) << "its settings give the same fingerprints";
}

TEST(LaneState, ApplyingTheDeltasGivesTheSameStateAndTheSameVerdicts) {
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    auto active = MakeLane(TestOptions());
    auto standby = MakeLane(TestOptions());
    EXPECT_TRUE(standby->AddInput({"other", 9}, 5).ok());  // numbers of its own
    for (int32_t partition = 0; partition < 3; ++partition) {
      EXPECT_TRUE(active->AddInput({"news", partition}, 100 * partition).ok());
    }
    for (int transaction = 0; transaction < 30; ++transaction) {
      if (transaction % 7 == 0) active->StartEpoch(DrawId());
      if (transaction == 15) {
        EXPECT_TRUE(active->AddInput({"blog", 0}, 0).ok());
      }
      DecideSome(*active, random, random() % 3000);
      if (random() % 5 == 0) {
        if (random() % 2 == 0) {
          active->BeginCommit();
          DecideSome(*active, random, random() % 3000);
        }
        active->Rollback();
        continue;
      }
      for (const Delta& delta : active->Uncommitted()) {
        const Result<Delta> read = DecodeDelta(Encode(delta));
        ASSERT_TRUE(read.ok());
        const Result<void> applied = standby->Apply(*read);
        ASSERT_TRUE(applied.ok()) << applied.error().text;
      }
      if (transaction % 3 == 0) {  // what follows belongs to the next transaction
        active->BeginCommit();
        DecideSome(*active, random, random() % 3000);
      }
      active->Commit();
      const size_t uncommitted = active->filter().uncommitted().size();
      ASSERT_EQ(standby->seq(), active->seq_committed());
      ASSERT_EQ(standby->filter().entries(), active->filter().entries() - uncommitted);
      ASSERT_EQ(standby->filter().horizon_ms(), active->filter().horizon_ms());
      ASSERT_EQ(standby->filter().entries_expired(), active->filter().entries_expired());
      ASSERT_EQ(standby->filter().entries_evicted(), active->filter().entries_evicted());
    }
    EXPECT_GT(active->filter().entries_expired(), 1000U);
    for (const InputProgress& input : active->inputs()) {
      const auto number = standby->FindInput(input.partition);
      ASSERT_TRUE(number);
      EXPECT_EQ(standby->inputs()[*number], input);
    }
    for (int i = 0; i < 3000; ++i) {
      const auto input = static_cast<uint32_t>(random() % 3);
      const int64_t offset = active->inputs()[input].next_offset;
      const int64_t time_ms =
          active->filter().horizon_ms() + static_cast<int64_t>(random() % 60'000);
      std::mt19937_64 family(random() % 3000);
      const uint64_t code = family();
      const Verdict ours = Decide(*active, {input, offset}, time_ms, code);
      const Verdict theirs = Decide(*standby, {input + 1, offset}, time_ms, code);
      ASSERT_EQ(ours.decision, theirs.decision);
      ASSERT_EQ(ours.late, theirs.late);
      if (ours.decision == Decision::kDuplicate) {
        ASSERT_EQ(active->inputs()[ours.match.original.input].partition,
                  standby->inputs()[theirs.match.original.input].partition);
        ASSERT_EQ(ours.match.original.offset, theirs.match.original.offset);
      }
    }
  }
}

TEST(LaneState, ALongTransactionIsCutIntoDeltasThatAreEachComplete) {
  std::mt19937_64 random(7);
  auto active = LaneReading(0);
  EXPECT_TRUE(active->AddInput({"news", 1}, 0).ok());
  std::vector<std::vector<InputProgress>> progress = {active->inputs()};  // by seq
  std::vector<size_t> entries = {0};
  for (int i = 0; i < 16'000; ++i) {
    DecideSome(*active, random, 1);
    progress.push_back(active->inputs());
    entries.push_back(active->filter().uncommitted().size());
  }
  const std::vector<Delta> deltas = active->Uncommitted();
  ASSERT_GE(deltas.size(), 3U);
  auto standby = MakeLane(TestOptions());
  uint64_t seq = 0;
  for (const Delta& delta : deltas) {
    EXPECT_LE(Encode(delta).size(), kDeltaBytesTarget + 1000);
    EXPECT_EQ(delta.seq_first, seq + 1);
    EXPECT_EQ(delta.inputs, progress[delta.seq_last]);
    EXPECT_EQ(delta.entries.size(), entries[delta.seq_last] - entries[seq]);
    seq = delta.seq_last;
    ASSERT_TRUE(standby->Apply(delta).ok());
  }
  EXPECT_EQ(seq, active->seq());
  active->Commit();
  ExpectSameProgress(*active, *standby);
}

TEST(LaneState, ACutAtTheVeryLastRecordLeavesNoEmptyDeltaBehind) {
  std::mt19937_64 random(8);
  auto state = LaneReading(0);
  for (int64_t i = 0; i < 10'000; ++i) Decide(*state, {0, i}, 0, random());
  const uint64_t records = state->Uncommitted().front().seq_last;  // as many as fill one delta
  ASSERT_LT(records, 10'000U);
  state->Rollback();
  for (uint64_t i = 0; i < records; ++i) Decide(*state, {0, static_cast<int64_t>(i)}, 0, random());
  EXPECT_TRUE(state->AddInput({"late", 0}, 77).ok());
  const std::vector<Delta> deltas = state->Uncommitted();
  ASSERT_EQ(deltas.size(), 1U);
  EXPECT_EQ(deltas[0].seq_last, records);
  EXPECT_EQ(deltas[0].inputs.size(), 2U) << "an input added after the cut must not be lost";
}

TEST(LaneState, ADeltaWithoutRecordsStillCarriesTheOffsets) {
  auto active = LaneReading(17);
  active->StartEpoch(DrawId());
  const std::vector<Delta> deltas = active->Uncommitted();
  ASSERT_EQ(deltas.size(), 1U);
  EXPECT_EQ(deltas[0].seq_first, 1U);
  EXPECT_EQ(deltas[0].seq_last, 0U);
  EXPECT_EQ(deltas[0].epoch, 1U);
  EXPECT_EQ(deltas[0].inputs, (std::vector<InputProgress>{{{"news", 0}, 17, INT64_MIN}}));
  auto standby = MakeLane(TestOptions());
  EXPECT_TRUE(standby->empty());
  ASSERT_TRUE(standby->Apply(deltas[0]).ok());
  EXPECT_FALSE(standby->empty());
  active->Commit();
  ExpectSameProgress(*active, *standby);
}

TEST(LaneState, RollbackTakesSeqOffsetsTimesAndEntriesBack) {
  auto state = LaneReading(10);
  Decide(*state, {0, 10}, 5000, 1);
  state->Commit();
  Decide(*state, {0, 11}, 9000, ~uint64_t{1});
  Decide(*state, {0, 15}, 9500, 1);
  EXPECT_EQ(state->seq(), 3U);
  EXPECT_EQ(state->seq_committed(), 1U);
  EXPECT_EQ(state->inputs()[0], (InputProgress{{"news", 0}, 16, 9500}));
  state->Rollback();
  EXPECT_EQ(state->seq(), 1U);
  EXPECT_EQ(state->inputs()[0], (InputProgress{{"news", 0}, 11, 5000}));
  EXPECT_EQ(state->filter().entries(), 1U);
  const std::vector<Delta> deltas = state->Uncommitted();
  ASSERT_EQ(deltas.size(), 1U);
  EXPECT_EQ(deltas[0].seq_first, 2U);
  EXPECT_EQ(deltas[0].seq_last, 1U);
  EXPECT_TRUE(deltas[0].entries.empty());
}

TEST(LaneState, WhatIsDecidedDuringACommitStaysUncommitted) {
  auto state = LaneReading(10);
  Decide(*state, {0, 10}, 5000, 1);
  state->BeginCommit();
  Decide(*state, {0, 11}, 9000, ~uint64_t{1});
  state->Commit();
  EXPECT_EQ(state->seq_committed(), 1U);
  EXPECT_EQ(state->seq(), 2U);
  EXPECT_EQ(state->committed_offset(0), 11);
  EXPECT_TRUE(state->moved());
  const std::vector<Delta> deltas = state->Uncommitted();
  ASSERT_EQ(deltas.size(), 1U);
  EXPECT_EQ(deltas[0].seq_first, 2U);
  EXPECT_EQ(deltas[0].seq_last, 2U);
  EXPECT_EQ(deltas[0].inputs[0], (InputProgress{{"news", 0}, 12, 9000}));
  ASSERT_EQ(deltas[0].entries.size(), 1U);
  EXPECT_EQ(deltas[0].entries[0].origin, (Position{0, 11}));
  state->Rollback();
  EXPECT_EQ(state->seq(), 1U);
  EXPECT_EQ(state->inputs()[0], (InputProgress{{"news", 0}, 11, 5000}));
  EXPECT_EQ(state->filter().entries(), 1U);
}

TEST(LaneState, ARollbackDuringACommitUndoesBothParts) {
  auto state = LaneReading(10);
  Decide(*state, {0, 10}, 5000, 1);
  state->BeginCommit();
  Decide(*state, {0, 11}, 9000, ~uint64_t{1});
  state->Rollback();
  EXPECT_EQ(state->seq(), 0U);
  EXPECT_EQ(state->filter().entries(), 0U);
  EXPECT_EQ(state->inputs()[0], (InputProgress{{"news", 0}, 10, INT64_MIN}));
  Decide(*state, {0, 10}, 5000, 1);
  Decide(*state, {0, 11}, 9000, ~uint64_t{1});
  state->Commit();  // covers both, because no commit has begun
  EXPECT_EQ(state->seq_committed(), 2U);
}

TEST(LaneState, InputsKeepTheirNumbers) {
  auto state = MakeLane(TestOptions());
  EXPECT_EQ(state->AddInput({"b", 1}, 5).value(), 0U);
  EXPECT_EQ(state->AddInput({"a", 1}, 6).value(), 1U);
  EXPECT_EQ(state->AddInput({"b", 1}, 99).value(), 0U);
  EXPECT_EQ(state->inputs()[0].next_offset, 5);
  EXPECT_EQ(state->FindInput({"a", 1}), 1U);
  EXPECT_EQ(state->FindInput({"a", 2}), std::nullopt);
}

}  // namespace
}  // namespace neardup
