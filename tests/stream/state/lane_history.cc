#include "stream/state/lane_history.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "detect/base/hash.h"
#include "detect/base/random.h"

namespace neardup {
namespace {

/// One bit of the simhash for each one of `bits`.
uint64_t Blurred(uint64_t code, int bits, std::mt19937_64& random) {
  for (; bits > 0; --bits) code ^= uint64_t{1} << random() % 64;
  return code;
}

std::optional<Group> GroupOf(const LaneState& state, const Verdict& verdict) {
  const Group* found = verdict.decision == Decision::kDuplicate
                           ? state.groups().Find(verdict.match.original)
                           : nullptr;
  return found == nullptr ? std::nullopt : std::optional(*found);
}

}  // namespace

FilterOptions SnapshotTestOptions() {
  FilterOptions options;
  options.record.fields = {{"title", 1.0}};
  options.window = {
      .window_ms = 60'000, .lateness_ms = 2000, .ahead_max_ms = 1000, .entries_max = 1000};
  return options;
}

std::unique_ptr<LaneState> MakeLane(const FilterOptions& options, uint16_t lane) {
  auto made = LaneState::New(options, lane);
  EXPECT_TRUE(made.ok());
  return std::move(made).value();
}

FingerprintedRecord MakeRecord(Position position, int64_t time_ms, uint64_t code) {
  FingerprintedRecord record;
  record.position = position;
  record.outcome.time_ms = time_ms;
  record.fingerprint = {code, ~code, Mix64(code)};
  record.features = 40;
  // The last ones are shared by many.
  for (uint32_t key = 1; key <= 6; ++key) {
    record.text_keys.Add(static_cast<uint32_t>(code >> 8 * (key - 1)) << 4 | key);
  }
  record.text_keys.Add(static_cast<uint32_t>(code % 8 + 1) << 4 | 7);
  record.text_keys.Add(8);
  return record;
}

LaneHistory::LaneHistory(const FilterOptions& options, uint64_t seed)
    : options_(options), random_(seed), state_(MakeLane(options)) {
  AddInput();
  AddInput();
  state_->StartEpoch(DrawId());
  Commit(0);
}

void LaneHistory::Step() {
  switch (random_() % 20) {
    case 0:
      return AddInput();
    case 1:
      return Restart();
    case 2:
      for (uint64_t records = random_() % 50; records > 0; --records) DecideOne();
      return state_->Rollback();
    case 3:  // an input that is idle, or no longer
      return state_->filter().SetIdle(static_cast<uint32_t>(random_() % state_->inputs().size()),
                                      random_() % 2 == 0);
    case 4:
      time_ms_ += static_cast<int64_t>(random_() % 40'000);  // a pause
      return Commit(random_() % 3);
    default:
      return Commit(random_() % 250);
  }
}

void LaneHistory::Commit(size_t records) {
  for (; records > 0; --records) DecideOne();
  for (Delta& delta : state_->Uncommitted()) {
    const uint64_t checksum = Hash64(Encode(delta));
    changelog_.push_back({std::move(delta), {next_offset_++, checksum}});
  }
  ++next_offset_;  // the marker of the transaction
  state_->Commit();
}

void LaneHistory::Restart() {
  state_ = Folded(options_, changelog_, 0, changelog_.size());
  state_->StartEpoch(DrawId());
  Commit(0);
}

void LaneHistory::AddInput() {
  const InputPartition partition{partitions_ % 3 == 0 ? "news" : "blog", partitions_};
  ++partitions_;
  EXPECT_TRUE(state_->AddInput(partition, 10 * partitions_).ok());
}

void LaneHistory::DecideOne() {
  const auto input = static_cast<uint32_t>(random_() % state_->inputs().size());
  const Position position{
      input, state_->inputs()[input].next_offset + static_cast<int64_t>(random_() % 2)};
  time_ms_ += static_cast<int64_t>(random_() % (families_ / 3000 % 2 == 0 ? 20 : 200));
  const bool copy = families_ > 0 && random_() % 3 == 0;
  const uint64_t family =
      copy ? families_ - random_() % std::min<uint64_t>(families_, 1500) : ++families_;
  const uint64_t code = Blurred(Mix64(family), copy ? static_cast<int>(random_() % 5) : 0, random_);
  const int64_t time_ms =
      time_ms_ - static_cast<int64_t>(random_() % (input % 2 == 0 ? 100 : 5000));
  const Verdict verdict = state_->filter().Decide(MakeRecord(position, time_ms, code));
  if (verdict.decision == Decision::kDuplicate) state_->Join(verdict, position, Keep::kNewest);
  state_->Advance(position);
}

std::unique_ptr<LaneState> Folded(const FilterOptions& options, const Changelog& changelog,
                                  size_t begin, size_t end) {
  auto state = MakeLane(options);
  for (; begin < end; ++begin) {
    const Result<void> applied = state->Apply(changelog[begin].delta);
    EXPECT_TRUE(applied.ok()) << applied.error().text;
  }
  return state;
}

size_t CountUpTo(const Changelog& changelog, int64_t offset) {
  return static_cast<size_t>(std::count_if(
      changelog.begin(), changelog.end(),
      [offset](const ChangelogRecord& record) { return record.mark.offset <= offset; }));
}

void ExpectSameProgress(const LaneState& a, const LaneState& b) {
  EXPECT_EQ(a.seq(), b.seq());
  EXPECT_EQ(a.seq_committed(), b.seq_committed());
  EXPECT_EQ(a.epoch(), b.epoch());
  EXPECT_EQ(a.inputs(), b.inputs());
  EXPECT_EQ(a.empty(), b.empty());
  EXPECT_EQ(a.filter().horizon_ms(), b.filter().horizon_ms());
  EXPECT_EQ(a.filter().watermark_ms(), b.filter().watermark_ms());
  EXPECT_EQ(a.filter().entries(), b.filter().entries());
  EXPECT_EQ(a.filter().oldest_time_ms(), b.filter().oldest_time_ms());
  EXPECT_EQ(a.groups().size(), b.groups().size());
}

void ExpectSameVerdicts(LaneState& a, LaneState& b, const Changelog& changelog, size_t end) {
  std::mt19937_64 random(end);
  int64_t offset = 1'000'000;
  for (size_t i = end - std::min<size_t>(end, 60); i < end; ++i) {
    for (const Entry& entry : changelog[i].delta.entries) {
      const auto input = static_cast<uint32_t>(random() % a.inputs().size());
      const int64_t time_ms = entry.time_ms + static_cast<int64_t>(random() % 30'000);
      const uint64_t code =
          Blurred(entry.fingerprint.simhash, static_cast<int>(random() % 4), random);
      const FingerprintedRecord record = MakeRecord({input, offset++}, time_ms, code);
      const Verdict ours = a.filter().Decide(record);
      const Verdict theirs = b.filter().Decide(record);
      ASSERT_EQ(ours.decision, theirs.decision);
      ASSERT_EQ(ours.late, theirs.late);
      ASSERT_EQ(ours.match.original, theirs.match.original);
      ASSERT_EQ(ours.match.distance, theirs.match.distance);
      ASSERT_EQ(ours.match.kind, theirs.match.kind);
      ASSERT_EQ(GroupOf(a, ours), GroupOf(b, theirs));
    }
  }
  const std::span<const Entry> added = a.filter().uncommitted();
  EXPECT_TRUE(std::equal(added.begin(), added.end(), b.filter().uncommitted().begin(),
                         b.filter().uncommitted().end()))
      << "other text keys had room";
  a.Rollback();
  b.Rollback();
}

}  // namespace neardup
