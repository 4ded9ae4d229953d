// A lane's state is the fold of its deltas: whoever applies them has it.
#include "state/lane_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace neardup {
namespace {

using testing::HasSubstr;

FilterOptions TestOptions() {
  FilterOptions options;
  options.record.fields = {{"title", 1.0}};
  options.window = {
      .window_ms = 60'000, .lateness_ms = 1000, .ahead_max_ms = 1000, .entries_max = 20'000};
  return options;
}

std::unique_ptr<LaneState> MakeState(const FilterOptions& options = TestOptions(),
                                     uint16_t lane = 0) {
  auto state = LaneState::New(options, lane);
  EXPECT_TRUE(state.ok());
  return std::move(state).value();
}

FingerprintedRecord MakeRecord(Position position, int64_t time_ms, uint64_t code) {
  FingerprintedRecord record;
  record.position = position;
  record.time_ms = time_ms;
  record.fingerprint = {code, ~code, code * 31};
  record.features = 40;
  for (uint32_t key = 1; key <= 8; ++key) {
    record.text_keys.Add(static_cast<uint32_t>(code >> 8 * (key - 1)) << 4 | key);
  }
  return record;
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

/// A delta of one record for a state of TestOptions().
Delta NextDelta(uint64_t seq) {
  auto state = MakeState();
  EXPECT_TRUE(state->AddInput({"news", 0}, 0).ok());
  Decide(*state, {0, 0}, 5000, seq * 0x9e3779b97f4a7c15);
  Delta delta = state->Uncommitted().front();
  delta.seq_first = delta.seq_last = seq;
  return delta;
}

void ExpectSameState(const LaneState& a, const LaneState& b) {
  EXPECT_EQ(a.seq(), b.seq());
  EXPECT_EQ(a.seq_committed(), b.seq_committed());
  EXPECT_EQ(a.epoch(), b.epoch());
  EXPECT_EQ(a.inputs(), b.inputs());
  EXPECT_EQ(a.empty(), b.empty());
  EXPECT_EQ(a.filter().entries(), b.filter().entries());
  EXPECT_EQ(a.filter().horizon_ms(), b.filter().horizon_ms());
  EXPECT_EQ(a.filter().watermark_ms(), b.filter().watermark_ms());
  EXPECT_EQ(a.filter().oldest_time_ms(), b.filter().oldest_time_ms());
}

TEST(LaneState, FoldingTheDeltasGivesTheSameStateAndTheSameVerdicts) {
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    auto active = MakeState();
    auto standby = MakeState();
    EXPECT_TRUE(standby->AddInput({"other", 9}, 5).ok());  // numbers of its own
    for (int32_t partition = 0; partition < 3; ++partition) {
      EXPECT_TRUE(active->AddInput({"news", partition}, 100 * partition).ok());
    }
    for (int transaction = 0; transaction < 30; ++transaction) {
      if (transaction % 7 == 0) active->StartEpoch();
      if (transaction == 15) {
        EXPECT_TRUE(active->AddInput({"blog", 0}, 0).ok());
      }
      DecideSome(*active, random, random() % 3000);
      if (random() % 5 == 0) {
        active->Rollback();
        continue;
      }
      for (const Delta& delta : active->Uncommitted()) {
        const Result<Delta> read = DecodeDelta(Encode(delta));
        ASSERT_TRUE(read.ok());
        const Result<void> applied = standby->Apply(*read);
        ASSERT_TRUE(applied.ok()) << applied.error().text;
      }
      active->Commit();
      ASSERT_EQ(standby->seq(), active->seq());
      ASSERT_EQ(standby->filter().entries(), active->filter().entries());
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
        ASSERT_EQ(active->inputs()[ours.original.input].partition,
                  standby->inputs()[theirs.original.input].partition);
        ASSERT_EQ(ours.original.offset, theirs.original.offset);
      }
    }
  }
}

TEST(LaneState, ALongTransactionIsCutIntoDeltasThatAreEachComplete) {
  std::mt19937_64 random(7);
  auto active = MakeState();
  EXPECT_TRUE(active->AddInput({"news", 0}, 0).ok());
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
  auto standby = MakeState();
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
  ExpectSameState(*active, *standby);
}

TEST(LaneState, LargeSketchesAreCutIntoDeltasThatABrokerTakes) {
  FilterOptions options = TestOptions();
  options.scheme.name = "shingles";
  std::mt19937_64 random(12);
  auto active = MakeState(options);
  EXPECT_TRUE(active->AddInput({"news", 0}, 0).ok());
  std::vector<FingerprintedRecord> records;
  for (int64_t offset = 0; offset < 60; ++offset) {
    FingerprintedRecord record;
    record.position = {0, offset};
    record.time_ms = 5000;
    // Every tenth as large as can be; words and keys all its own.
    const size_t numbers = offset % 10 == 0 ? kSketchBytesMax / 8 : random() % 20'000;
    for (size_t i = 0; i < numbers; ++i) {
      (i % 4 == 0 ? record.sketch.keys : record.sketch.words).push_back(random());
    }
    std::sort(record.sketch.words.begin(), record.sketch.words.end());
    records.push_back(record);
    active->filter().Decide(record);
    active->Advance(record.position);
  }
  const std::vector<Delta> deltas = active->Uncommitted();
  ASSERT_GE(deltas.size(), 20U);
  auto standby = MakeState(options);
  for (const Delta& delta : deltas) {
    const std::string bytes = Encode(delta);
    EXPECT_LE(bytes.size(), 1'000'000U);
    const Result<Delta> read = DecodeDelta(bytes);
    ASSERT_TRUE(read.ok());
    ASSERT_EQ(*read, delta);
    ASSERT_TRUE(standby->Apply(*read).ok());
  }
  active->Commit();
  ExpectSameState(*active, *standby);
  for (FingerprintedRecord& record : records) {
    record.position.offset += 100;
    const Verdict verdict = standby->filter().Decide(record);
    if (record.sketch.words.empty() || record.sketch.keys.empty()) continue;
    ASSERT_EQ(verdict.decision, Decision::kDuplicate);
    EXPECT_EQ(verdict.original.offset, record.position.offset - 100);
  }
}

TEST(LaneState, ACutAtTheVeryLastRecordLeavesNoEmptyDeltaBehind) {
  std::mt19937_64 random(8);
  auto state = MakeState();
  EXPECT_TRUE(state->AddInput({"news", 0}, 0).ok());
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

TEST(LaneState, ADeltaOfNothingStillCarriesTheOffsets) {
  auto active = MakeState();
  EXPECT_TRUE(active->AddInput({"news", 0}, 17).ok());
  active->StartEpoch();
  const std::vector<Delta> deltas = active->Uncommitted();
  ASSERT_EQ(deltas.size(), 1U);
  EXPECT_EQ(deltas[0].seq_first, 1U);
  EXPECT_EQ(deltas[0].seq_last, 0U);
  EXPECT_EQ(deltas[0].epoch, 1U);
  EXPECT_EQ(deltas[0].inputs, (std::vector<InputProgress>{{{"news", 0}, 17, INT64_MIN}}));
  auto standby = MakeState();
  EXPECT_TRUE(standby->empty());
  ASSERT_TRUE(standby->Apply(deltas[0]).ok());
  EXPECT_FALSE(standby->empty());
  active->Commit();
  ExpectSameState(*active, *standby);
}

TEST(LaneState, RollbackTakesSeqOffsetsTimesAndEntriesBack) {
  auto state = MakeState();
  EXPECT_TRUE(state->AddInput({"news", 0}, 10).ok());
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

TEST(LaneState, RollbackGoesBackToWhatWasApplied) {
  auto state = MakeState();
  EXPECT_TRUE(state->AddInput({"news", 0}, 99).ok());  // a start that the changelog knows better
  Delta delta = NextDelta(1);
  delta.inputs[0].next_offset = 12;
  ASSERT_TRUE(state->Apply(delta).ok());
  Decide(*state, {0, 20}, 6000, 4711);
  state->Rollback();
  EXPECT_EQ(state->inputs()[0], (InputProgress{{"news", 0}, 12, 5000}));
  EXPECT_EQ(state->seq(), 1U);
}

TEST(LaneState, InputsKeepTheirNumbers) {
  auto state = MakeState();
  EXPECT_EQ(state->AddInput({"b", 1}, 5).value(), 0U);
  EXPECT_EQ(state->AddInput({"a", 1}, 6).value(), 1U);
  EXPECT_EQ(state->AddInput({"b", 1}, 99).value(), 0U);
  EXPECT_EQ(state->inputs()[0].next_offset, 5);
  EXPECT_EQ(state->FindInput({"a", 1}), 1U);
  EXPECT_EQ(state->FindInput({"a", 2}), std::nullopt);
}

TEST(LaneState, OneInputTooManyIsRefusedAndNothingChanges) {
  auto state = MakeState();
  for (int32_t partition = 0; partition <= static_cast<int32_t>(kInputMax); ++partition) {
    ASSERT_TRUE(state->AddInput({"many", partition}, 0).ok());
  }
  EXPECT_EQ(state->AddInput({"many", 7}, 0).value(), 7U);
  const Result<uint32_t> refused = state->AddInput({"news", 0}, 0);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kExhausted);
  EXPECT_TRUE(refused.error().fatal);
  EXPECT_THAT(refused.error().text, testing::HasSubstr("news/0 would be input partition 65537"));
  const Result<void> applied = state->Apply(NextDelta(1));
  ASSERT_FALSE(applied.ok());
  EXPECT_EQ(applied.error().code, ErrorCode::kExhausted);
  EXPECT_EQ(state->inputs().size(), kInputMax + 1U);
  EXPECT_TRUE(state->empty());
}

TEST(LaneState, OffsetsThatCannotBeRememberedAreRefused) {
  auto state = MakeState();
  EXPECT_EQ(state->AddInput({"news", 0}, kOffsetMax).value(), 0U);
  EXPECT_TRUE(state->CheckPosition({0, kOffsetMax}).ok());
  const Result<void> position = state->CheckPosition({0, kOffsetMax + 1});
  ASSERT_FALSE(position.ok());
  EXPECT_EQ(position.error().code, ErrorCode::kExhausted);
  EXPECT_THAT(position.error().text, testing::HasSubstr("news/0 is at offset 281474976710656"));
  EXPECT_FALSE(state->AddInput({"news", 1}, kOffsetMax + 1).ok());
  Delta delta = NextDelta(1);
  delta.entries[0].origin.offset = kOffsetMax + 1;
  EXPECT_FALSE(state->Apply(delta).ok());
  delta = NextDelta(1);
  delta.inputs[0].next_offset = kOffsetMax + 2;
  EXPECT_FALSE(state->Apply(delta).ok());
  EXPECT_TRUE(state->empty());
  EXPECT_EQ(state->inputs()[0].next_offset, kOffsetMax);
}

/// Applies a delta that must be refused, and checks that nothing has changed.
Error Refused(LaneState& state, const Delta& delta) {
  const uint64_t seq = state.seq();
  const std::vector<InputProgress> inputs = state.inputs();
  const uint64_t entries = state.filter().entries();
  const Result<void> applied = state.Apply(delta);
  EXPECT_FALSE(applied.ok());
  EXPECT_EQ(state.seq(), seq);
  EXPECT_EQ(state.inputs(), inputs);
  EXPECT_EQ(state.filter().entries(), entries);
  return applied.ok() ? Error{} : applied.error();
}

TEST(LaneState, TheFirstDeltaMayStartAnywhereButNoHoleMayFollow) {
  auto state = MakeState();
  ASSERT_TRUE(state->Apply(NextDelta(40)).ok());
  ASSERT_TRUE(state->Apply(NextDelta(41)).ok());
  const Error hole = Refused(*state, NextDelta(43));
  EXPECT_EQ(hole.code, ErrorCode::kCorrupt);
  EXPECT_THAT(hole.text, HasSubstr("hole: expected a delta with seq_first 42, found 43"));
  EXPECT_EQ(Refused(*state, NextDelta(41)).code, ErrorCode::kCorrupt);
  EXPECT_TRUE(state->Apply(NextDelta(42)).ok());
}

TEST(LaneState, ADeltaThatContradictsItselfIsRefused) {
  auto state = MakeState();
  Delta backwards = NextDelta(40);
  backwards.seq_last = 30;
  EXPECT_EQ(Refused(*state, backwards).code, ErrorCode::kCorrupt);
  Delta crowded = NextDelta(40);
  crowded.entries.push_back(crowded.entries.front());
  EXPECT_EQ(Refused(*state, crowded).code, ErrorCode::kCorrupt);
  Delta zero = NextDelta(40);
  zero.seq_first = 0;
  EXPECT_EQ(Refused(*state, zero).code, ErrorCode::kCorrupt);
}

TEST(LaneState, AnotherLaneIsRefused) {
  auto state = MakeState(TestOptions(), 5);
  const Error error = Refused(*state, NextDelta(1));
  EXPECT_EQ(error.code, ErrorCode::kMismatch);
  EXPECT_THAT(error.text, HasSubstr("belongs to lane 0, this is lane 5"));
}

TEST(LaneState, OtherFingerprintSettingsAreRefusedAndNamed) {
  FilterOptions options = TestOptions();
  options.feature.features_min = 77;
  auto state = MakeState(options);
  const Error error = Refused(*state, NextDelta(1));
  EXPECT_EQ(error.code, ErrorCode::kMismatch);
  EXPECT_THAT(error.text, HasSubstr("features_min: 77 here, 12 in the changelog"));
  EXPECT_THAT(error.text, HasSubstr("Start with another `app` name"));
}

TEST(LaneState, DistanceWindowAndCapacityMayChange) {
  FilterOptions options = TestOptions();
  options.match = {6, 12, 0, true, true, true};
  options.window.window_ms *= 2;
  options.window.entries_max = 5000;
  auto state = MakeState(options);
  EXPECT_TRUE(state->Apply(NextDelta(1)).ok());
}

TEST(LaneState, TheLargestEpochCounts) {
  auto state = MakeState();
  Delta delta = NextDelta(1);
  delta.epoch = 9;
  ASSERT_TRUE(state->Apply(delta).ok());
  delta = NextDelta(2);
  delta.epoch = 4;
  ASSERT_TRUE(state->Apply(delta).ok());
  EXPECT_EQ(state->epoch(), 9U);
  state->StartEpoch();
  EXPECT_EQ(state->Uncommitted().front().epoch, 10U);
}

TEST(LaneState, IdleFlagsLeftFromAnActiveTimeDoNotMoveTheHorizonOfAStandby) {
  auto state = MakeState();
  EXPECT_TRUE(state->AddInput({"news", 0}, 0).ok());
  state->filter().SetIdle(0, true);
  Delta delta = NextDelta(1);
  delta.inputs = {{{"news", 0}, 1, 5000}, {{"news", 1}, 1, 900'000}};
  ASSERT_TRUE(state->Apply(delta).ok());
  state->filter().SetIdle(0, false);
  state->Commit();
  EXPECT_EQ(state->filter().horizon_ms(), 5000 - 61'000);
}

}  // namespace
}  // namespace neardup
