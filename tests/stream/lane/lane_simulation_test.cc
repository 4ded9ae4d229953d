// The lane over a broker in memory that fails at any call: crashes, aborts, fencing, lost answers
// and commits of unknown outcome, with two instances that take the lane from each other. Whatever
// happens, what was committed must be exactly what one uninterrupted run in that order gives.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "stream/lane/lane_instance.h"
#include "stream/lane/lane_world.h"
#include "stream/state/delta.h"
#include "stream/state/fresh_deltas.h"

namespace neardup {
namespace {

/// Runs two instances under faults until everything is committed. A crashed one is replaced.
void RunToEnd(MemoryBroker& broker, Faults& faults, const LaneOptions& options, bool two) {
  MemoryClock clock;
  std::vector<std::unique_ptr<Instance>> instances(two ? 2 : 1);
  const size_t want = InputRecords(broker);
  for (uint64_t step = 0; CommittedRecords(broker) < want; ++step) {
    ASSERT_LT(step, 200'000U) << "no progress";
    if (step == 20'000) faults.Stop();
    std::unique_ptr<Instance>& turn = instances[faults.random()() % instances.size()];
    if (!turn) turn = std::make_unique<Instance>(broker, faults, clock, options);
    // Leases move rarely, and sometimes both instances hold one: then only fencing protects.
    if (!two) turn->lease.held = true;
    if (two && faults.random()() % 40 == 0) turn->lease.held = !turn->lease.held;
    const Result<bool> stepped = turn->lane->Step();
    if (!stepped.ok()) {
      ASSERT_EQ(stepped.error().text, "crash");
      turn.reset();
    }
  }
  for (std::unique_ptr<Instance>& instance : instances) {
    if (!instance) continue;
    ASSERT_TRUE(instance->lane->Drain().ok());
  }
}

/// Decides all records again in the committed order, with a new filter and without interruption.
void ExpectSerialReplay(const MemoryBroker& broker, const LaneOptions& options) {
  Fingerprinter fingerprinter(options.filter);
  auto filter = Filter::New(options.filter);
  ASSERT_TRUE(filter.ok());
  std::map<InputPartition, uint32_t> numbers;
  std::map<InputPartition, int64_t> last_offset;
  uint64_t seq = 0;
  for (const MemoryOutput& output : broker.outputs) {
    ASSERT_EQ(output.seq, ++seq);
    const auto number = static_cast<uint32_t>(numbers.size());
    const uint32_t input = numbers.emplace(output.input, number).first->second;
    const auto [last, first] = last_offset.emplace(output.input, output.offset);
    if (!first) {
      ASSERT_LT(last->second, output.offset) << "order within a partition";
    }
    last->second = output.offset;
    int64_t timestamp_ms = 0;
    for (const MemoryRecord& record : broker.inputs.at(output.input)) {
      if (record.offset == output.offset) timestamp_ms = record.timestamp_ms;
    }
    if (output.by_reference) continue;
    const Verdict verdict = (*filter)->Decide(
        fingerprinter.Compute({{input, output.offset}, timestamp_ms, output.value}));
    ASSERT_EQ(verdict.decision, output.verdict.decision) << "seq " << seq;
    ASSERT_EQ(verdict.outcome.reason, output.verdict.outcome.reason);
    if (verdict.decision == Decision::kDuplicate) {
      ASSERT_EQ(verdict.match.distance, output.verdict.match.distance);
      ASSERT_EQ(verdict.match.original.offset, output.verdict.match.original.offset)
          << "seq " << seq;
      ASSERT_EQ(verdict.match.original.input, numbers.at(output.original_input));
    }
  }
}

struct Case {
  uint64_t seed;
  uint32_t one_in;
  bool two;
};

class LaneSimulation : public testing::TestWithParam<Case> {};

TEST_P(LaneSimulation, CommitsExactlyWhatAnUninterruptedRunInThatOrderGives) {
  const auto [seed, one_in, two] = GetParam();
  for (uint64_t round = 0; round < 8; ++round) {
    SCOPED_TRACE("seed " + std::to_string(seed * 100 + round));
    Faults faults(seed * 100 + round, one_in);
    MemoryBroker broker;
    FillInputs(broker, faults.random(), 1500);
    LaneOptions options = TestOptions(static_cast<int>((seed + round) % 8));
    // No expiry inside a run: the replay above commits at other moments than the run did.
    options.filter.window.lateness_ms = 3'600'000;
    RunToEnd(broker, faults, options, two);
    if (HasFatalFailure()) return;
    ExpectEachOffsetOnce(broker);
    ExpectSerialReplay(broker, options);
    if (HasFatalFailure()) return;
    if (one_in != 0) {
      EXPECT_GT(faults.drawn(), 0U);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Faults, LaneSimulation,
                         testing::Values(Case{1, 0, false}, Case{2, 150, false}, Case{3, 40, false},
                                         Case{4, 0, true}, Case{5, 150, true}, Case{6, 60, true}));

/// A broker that does not fail, and what an instance on it needs.
class OneLane : public testing::Test {
 protected:
  void Fill(size_t records) { FillInputs(broker_, faults_.random(), records); }

  Faults faults_{7, 0};
  MemoryBroker broker_;
  MemoryClock clock_;
  LaneOptions options_ = TestOptions(3);
};

TEST_F(OneLane, AfterACleanStopNoRecordIsADuplicateOfItself) {
  Fill(300);
  while (CommittedRecords(broker_) < InputRecords(broker_)) {
    Instance instance(broker_, faults_, clock_, options_);
    instance.lease.held = true;
    for (int step = 0; step < 4; ++step) ASSERT_TRUE(instance.lane->Step().ok());
    ASSERT_TRUE(instance.lane->Drain().ok());
  }
  ExpectEachOffsetOnce(broker_);
  ExpectSerialReplay(broker_, options_);
}

/// The position of an input in the newest delta must not pass a record that is in no output.
void ExpectNoUndecidedRecordIsPassed(const MemoryBroker& broker) {
  if (broker.NewestDelta().empty()) return;
  std::set<std::pair<InputPartition, int64_t>> decided;
  for (const MemoryOutput& output : broker.outputs) decided.emplace(output.input, output.offset);
  const Result<Delta> newest = DecodeDelta(broker.NewestDelta());
  ASSERT_TRUE(newest.ok());
  for (const InputProgress& input : newest->inputs) {
    for (const MemoryRecord& record : broker.inputs.at(input.partition)) {
      if (record.offset >= input.next_offset) break;
      ASSERT_TRUE(decided.contains({input.partition, record.offset}))
          << input.partition.topic << "/" << input.partition.partition << " " << record.offset;
    }
  }
}

class LanePositions : public testing::TestWithParam<Case> {};

TEST_P(LanePositions, PassControlRecordsAndNeverAnUndecidedRecord) {
  const auto [seed, one_in, two] = GetParam();
  Faults faults(seed, one_in);
  MemoryBroker broker;
  MemoryClock clock;
  const LaneOptions options = TestOptions(3);
  std::vector<std::unique_ptr<Instance>> instances(two ? 2 : 1);
  std::mt19937_64& random = faults.random();
  for (int round = 0; round < 6; ++round) {
    FillInputs(broker, random, 60);
    for (uint64_t step = 0; !AllPositionsAreAtTheEnd(broker); ++step) {
      ASSERT_LT(step, 20'000U) << "the positions never reach the end";
      std::unique_ptr<Instance>& turn = instances[random() % instances.size()];
      if (!turn) turn = std::make_unique<Instance>(broker, faults, clock, options);
      if (!two) turn->lease.held = true;
      if (two && random() % 40 == 0) turn->lease.held = !turn->lease.held;
      clock.SleepMs(static_cast<int64_t>(random() % 500));
      const size_t before = broker.changelog.size();
      if (!turn->lane->Step().ok()) turn.reset();
      if (broker.changelog.size() != before) ExpectNoUndecidedRecordIsPassed(broker);
      if (HasFatalFailure()) return;
    }
    // Nothing that is deleted now was left to decide, so every later start works.
    for (const auto& [partition, records] : broker.inputs) {
      broker.deleted_below[partition] = broker.End(partition);
    }
    if (round % 2 == 0) instances.front().reset();
  }
  ExpectEachOffsetOnce(broker);
}

INSTANTIATE_TEST_SUITE_P(Faults, LanePositions,
                         testing::Values(Case{31, 0, false}, Case{32, 60, false}, Case{33, 0, true},
                                         Case{34, 60, true}));

TEST_F(OneLane, ACleanStopKeepsThePositionsBehindControlRecords) {
  Fill(50);
  broker_.control_records[{"a", 0}] = 1;
  Instance instance(broker_, faults_, clock_, TestOptions(3));
  instance.lease.held = true;
  for (int step = 0; step < 200; ++step) ASSERT_TRUE(instance.lane->Step().ok());
  const size_t before = broker_.changelog.size();
  broker_.control_records[{"a", 0}] = 4;
  ASSERT_TRUE(instance.lane->Step().ok());
  EXPECT_EQ(broker_.changelog.size(), before);  // a marker alone is no reason to commit
  ASSERT_TRUE(instance.lane->Drain().ok());
  EXPECT_EQ(broker_.changelog.size(), before + 1);
  EXPECT_TRUE(AllPositionsAreAtTheEnd(broker_));
}

TEST_F(OneLane, SendsARecordThatIsRefusedTwiceToDeadLetterByReference) {
  Fill(200);
  broker_.inputs.begin()->second[5].value = R"({"text":"poison one two three four five"})";
  broker_.poison = "poison";
  RunToEnd(broker_, faults_, TestOptions(3), false);
  ExpectEachOffsetOnce(broker_);
  size_t by_reference = 0;
  for (const MemoryOutput& output : broker_.outputs) {
    if (!output.by_reference) continue;
    ++by_reference;
    EXPECT_EQ(output.verdict.outcome.reason, Reason::kUndeliverable);
    EXPECT_EQ(output.verdict.outcome.error, "poison");
    EXPECT_EQ(output.offset, broker_.inputs.begin()->second[5].offset);
  }
  EXPECT_EQ(by_reference, 1U);
}

TEST_F(OneLane, SendsARecordTooLargeForItsOutputToDeadLetterByReference) {
  Fill(50);
  broker_.record_bytes_max = 3000;
  broker_.inputs.begin()->second[2].value = R"({"text":")" + std::string(5000, 'x') + R"("})";
  RunToEnd(broker_, faults_, TestOptions(3), false);
  ExpectEachOffsetOnce(broker_);
  size_t too_large = 0;
  for (const MemoryOutput& output : broker_.outputs) {
    if (output.verdict.outcome.reason != Reason::kTooLarge) continue;
    ++too_large;
    EXPECT_TRUE(output.by_reference);
    EXPECT_FALSE(output.value.has_value());
    EXPECT_THAT(output.verdict.outcome.error, testing::HasSubstr("max.message.bytes"));
  }
  EXPECT_EQ(too_large, 1U);
}

TEST_F(OneLane, ReadsANewPartitionOfAKnownTopicFromItsBeginning) {
  broker_.inputs[{"a", 0}] = {};
  options_.start_at = StartAt::kLatest;
  options_.partitions_refresh_ms = 10;
  Instance instance(broker_, faults_, clock_, options_);
  instance.lease.held = true;
  ASSERT_TRUE(instance.lane->Step().ok());
  broker_.inputs[{"a", 1}].push_back({0, 1'700'000'000'000, R"({"text":"from the beginning"})"});
  for (int step = 0; step < 50 && broker_.outputs.empty(); ++step) {
    ASSERT_TRUE(instance.lane->Step().ok());
    clock_.SleepMs(20);
  }
  ASSERT_EQ(broker_.outputs.size(), 1U);
  EXPECT_EQ(broker_.outputs[0].input, (InputPartition{"a", 1}));
}

/// Steps until the changelog has `deltas` more deltas.
void CommitDeltas(Instance& active, const MemoryBroker& broker, size_t deltas) {
  const size_t want = broker.changelog.size() + deltas;
  for (int step = 0; step < 1000 && broker.changelog.size() < want; ++step) {
    ASSERT_TRUE(active.lane->Step().ok());
  }
  ASSERT_EQ(broker.changelog.size(), want);
}

TEST_F(OneLane, AStandbyReportsOnceThatItHasReadTheChangelogToTheEndAtItsStart) {
  Fill(5000);
  options_.transaction_interval_ms = 1;
  Instance active(broker_, faults_, clock_, options_);
  active.lease.held = true;
  CommitDeltas(active, broker_, 20);

  Instance standby(broker_, faults_, clock_, options_);
  while (standby.probe.times == 0) {
    EXPECT_LT(standby.changelog.next_offset(), 20);
    ASSERT_TRUE(standby.lane->Step().ok());
    CommitDeltas(active, broker_, 4);  // faster than the standby reads
    if (HasFatalFailure()) return;
  }
  EXPECT_GE(standby.changelog.next_offset(), 20);
  EXPECT_EQ(standby.probe.seq, standby.lane->state().seq());

  standby.lease.held = true;
  ASSERT_TRUE(standby.lane->Step().ok());
  ASSERT_EQ(standby.lane->phase(), LanePhase::kActive);
  standby.lease.held = false;
  for (int step = 0; step < 50; ++step) ASSERT_TRUE(standby.lane->Step().ok());
  EXPECT_EQ(standby.lane->phase(), LanePhase::kStandby);
  EXPECT_EQ(standby.probe.times, 1);
}

TEST_F(OneLane, AStopEndsALongRestoreEarlyAndGivesTheLeaseUp) {
  Fill(2000);
  options_.transaction_bytes_max = 1000;  // many deltas
  RunToEnd(broker_, faults_, options_, false);
  ASSERT_GT(broker_.changelog.size(), 100U);

  struct StoppingProbe final : Probe {
    void On(const LaneEvent& each) override {
      const auto* restoring = std::get_if<event::Restoring>(&each);
      if (restoring == nullptr) return;
      share = restoring->share;
      stop = true;
    }
    double share = -1;
    std::atomic<bool> stop = false;
  } probe;
  MemorySource source(broker_, faults_);
  MemoryChangelog changelog(broker_, faults_);
  MemoryTransaction transaction(broker_, faults_);
  MemoryLease lease;
  lease.held = true;
  auto lane = Lane::New(options_, {source, changelog, transaction, lease, clock_, probe});
  ASSERT_TRUE(lane.ok());
  const size_t committed = broker_.commits.size();
  while (!probe.stop) ASSERT_TRUE((*lane)->Step(probe.stop).ok());
  ASSERT_TRUE((*lane)->Drain().ok());
  EXPECT_GE(probe.share, 0);
  EXPECT_LT(probe.share, 0.5) << "the restore went on after the stop";
  EXPECT_EQ(broker_.commits.size(), committed);
  EXPECT_FALSE(lease.held);
}

TEST_F(OneLane, CommitsAfterANumberOfRecordsAndNotByTimeOrSize) {
  Fill(500);
  options_.transaction_records = 70;
  options_.transaction_interval_ms = 1;
  options_.transaction_bytes_max = 1;
  options_.batch_records_max = 33;
  Instance instance(broker_, faults_, clock_, options_);
  instance.lease.held = true;
  std::set<size_t> committed;
  for (int step = 0; step < 2000 && instance.lane->state().seq() < 500; ++step) {
    ASSERT_TRUE(instance.lane->Step().ok());
    clock_.SleepMs(10);
    committed.insert(broker_.outputs.size());
  }
  EXPECT_THAT(committed, testing::ElementsAre(0, 70, 140, 210, 280, 350, 420, 490));
  ASSERT_TRUE(instance.lane->Drain().ok());
  EXPECT_EQ(broker_.outputs.size(), 500U);
}

TEST_F(OneLane, IsACandidateForTheLeaseOnlyWhenItHasReadTheChangelog) {
  Fill(300);
  options_.transaction_interval_ms = 1;
  RunToEnd(broker_, faults_, options_, false);
  const auto end = static_cast<int64_t>(broker_.changelog.size());
  ASSERT_GT(end, 6);
  Instance cold(broker_, faults_, clock_, TestOptions(3));
  while (cold.changelog.next_offset() < end) {
    ASSERT_FALSE(cold.lease.candidate) << cold.changelog.next_offset();
    ASSERT_TRUE(cold.lane->Step().ok());
  }
  EXPECT_TRUE(cold.lease.candidate);

  MemoryBroker empty;
  Instance first(empty, faults_, clock_, TestOptions(3));
  ASSERT_TRUE(first.lane->Step().ok());
  EXPECT_TRUE(first.lease.candidate);
}

TEST_F(OneLane, IsNotLostWhenTheEndOfTheChangelogIsUnknown) {
  Fill(2000);
  Instance instance(broker_, faults_, clock_, TestOptions(3));
  instance.lease.held = true;
  ASSERT_TRUE(instance.lane->Step().ok());
  instance.changelog.end_unknown = true;
  while (CommittedRecords(broker_) < InputRecords(broker_)) {
    clock_.SleepMs(30'000);
    ASSERT_TRUE(instance.lane->Step().ok());
    ASSERT_EQ(instance.lane->phase(), LanePhase::kActive);
  }
}

TEST_F(OneLane, ReadsTheChangelogAgainWhenItsEndCameFromABrokerThatNoLongerLeads) {
  Fill(2000);
  options_.transaction_interval_ms = 1;
  Instance first(broker_, faults_, clock_, options_);
  first.lease.held = true;
  CommitDeltas(first, broker_, 20);
  Instance second(broker_, faults_, clock_, options_);
  second.lease.held = true;
  second.changelog.stale_end = 12;
  for (int step = 0; CommittedRecords(broker_) < InputRecords(broker_); ++step) {
    ASSERT_LT(step, 20'000);
    ASSERT_TRUE(second.lane->Step().ok());
  }
  ExpectEachOffsetOnce(broker_);
  ExpectSerialReplay(broker_, options_);
}

/// Lets something happen at the last moment before it fences.
class TransactionThatFencesSlowly : public MemoryTransaction {
 public:
  using MemoryTransaction::MemoryTransaction;
  Result<void> Fence() override {
    if (before_fence) std::exchange(before_fence, nullptr)();
    return MemoryTransaction::Fence();
  }
  std::function<void()> before_fence;
};

TEST_F(OneLane, ReadsWhatTheOldOwnerCommitsWhileItIsFenced) {
  Fill(2000);
  options_.transaction_interval_ms = 1;
  Instance old_owner(broker_, faults_, clock_, options_);
  old_owner.lease.held = true;
  CommitDeltas(old_owner, broker_, 10);

  MemorySource source(broker_, faults_);
  MemoryChangelog changelog(broker_, faults_);
  TransactionThatFencesSlowly transaction(broker_, faults_);
  transaction.before_fence = [&] {
    const auto group = broker_.group_offsets;
    CommitDeltas(old_owner, broker_, 1);
    broker_.group_offsets = group;  // otherwise the comparison with the group shows a mistake, too
  };
  MemoryLease lease;
  lease.held = true;
  ProbeFan probe({});
  auto made = Lane::New(options_, {source, changelog, transaction, lease, clock_, probe});
  ASSERT_TRUE(made.ok());
  for (int step = 0; CommittedRecords(broker_) < InputRecords(broker_); ++step) {
    ASSERT_LT(step, 20'000);
    ASSERT_TRUE((*made)->Step().ok());
  }
  EXPECT_EQ(transaction.before_fence, nullptr);
  ExpectEachOffsetOnce(broker_);
  ExpectSerialReplay(broker_, options_);
}

TEST_F(OneLane, ALeaseLostInsideATransactionLeavesNothingOpenAndTheSameLaneGoesOnAfterwards) {
  Fill(300);
  options_.filter.window.lateness_ms = 3'600'000;
  options_.transaction_interval_ms = 1'000'000;
  Instance instance(broker_, faults_, clock_, options_);
  for (int times = 0; times < 3; ++times) {
    instance.lease.held = true;
    const auto is_open = [&] {
      return broker_.IsOpen("lane-0") && instance.lane->phase() == LanePhase::kActive;
    };
    ASSERT_FALSE(StepUntil(instance, is_open));
    ASSERT_GT(instance.lane->state().seq(), instance.lane->state().seq_committed());
    instance.lease.held = false;
    ASSERT_TRUE(instance.lane->Step().ok());
    EXPECT_EQ(instance.lane->phase(), LanePhase::kStandby);
    EXPECT_FALSE(broker_.IsOpen("lane-0")) << "readers of the outputs wait for it";
    EXPECT_EQ(instance.lane->state().seq(), instance.lane->state().seq_committed());
    EXPECT_TRUE(broker_.outputs.empty());
  }
  instance.lease.held = true;
  for (int step = 0; CommittedRecords(broker_) < InputRecords(broker_); ++step) {
    ASSERT_LT(step, 20'000);
    clock_.SleepMs(30'000);
    ASSERT_TRUE(instance.lane->Step().ok());
  }
  ExpectEachOffsetOnce(broker_);
  ExpectSerialReplay(broker_, options_);
}

/// The first candidate gets the lease and keeps it.
void MoveLease(std::initializer_list<MemoryLease*> members) {
  for (const MemoryLease* member : members) {
    if (member->held) return;
  }
  for (MemoryLease* member : members) {
    member->held = member->candidate;
    if (member->held) return;
  }
}

TEST_F(OneLane, LeavesTheLeaseToAnotherInstanceWhenItCannotTakeTheLane) {
  Fill(300);
  Instance stuck(broker_, faults_, clock_, options_);
  Instance able(broker_, faults_, clock_, options_);
  stuck.changelog.end_unknown = true;
  ASSERT_TRUE(stuck.lane->Step().ok());  // the first candidate
  int joins = 0;
  for (int step = 0; CommittedRecords(broker_) < InputRecords(broker_); ++step) {
    ASSERT_LT(step, 20'000);
    MoveLease({&stuck.lease, &able.lease});
    ASSERT_TRUE(stuck.lane->Step().ok());
    ASSERT_TRUE(able.lane->Step().ok());
    clock_.SleepMs(10);
    if (able.lane->phase() == LanePhase::kActive && joins == 0) joins = stuck.lease.joins;
  }
  EXPECT_EQ(able.lane->phase(), LanePhase::kActive);
  EXPECT_EQ(joins, 1) << "it stayed out until the other one had the lease";
  while (stuck.lease.joins == 1) {
    clock_.SleepMs(100);
    ASSERT_TRUE(stuck.lane->Step().ok());
  }
  MoveLease({&stuck.lease, &able.lease});
  EXPECT_TRUE(able.lease.held);
  ExpectEachOffsetOnce(broker_);
}

TEST_F(OneLane, ReadsTheChangelogAgainWhenWhatItWroteIsPurgedByItsSuccessor) {
  broker_.sends_deltas_late = true;
  Fill(300);
  Instance first(broker_, faults_, clock_, options_);
  first.lease.held = true;
  while (CommittedRecords(broker_) == 0) {
    ASSERT_TRUE(first.lane->Step().ok());
    clock_.SleepMs(1);
  }
  first.lease.held = false;
  const int64_t written_by_first = broker_.ChangelogEnd();
  {
    Instance second(broker_, faults_, clock_, options_);
    second.lease.held = true;
    ASSERT_FALSE(
        StepUntil(second, [&] { return CommittedRecords(broker_) == InputRecords(broker_); }));
    ASSERT_TRUE(second.lane->Drain().ok());
  }
  broker_.changelog_begin = written_by_first + 5;
  ASSERT_LT(broker_.changelog_begin, broker_.ChangelogEnd());
  while (first.lane->state().seq() < InputRecords(broker_)) {
    clock_.SleepMs(1000);
    const Result<bool> stepped = first.lane->Step();
    ASSERT_TRUE(stepped.ok()) << stepped.error().text;
  }
}

TEST_F(OneLane, ReadsAheadOnlyWhatItNeedsInItsPhase) {
  Fill(200);
  Instance instance(broker_, faults_, clock_, TestOptions(3));
  ASSERT_TRUE(instance.lane->Step().ok());
  ASSERT_EQ(instance.lane->phase(), LanePhase::kStandby);
  EXPECT_TRUE(instance.changelog.is_open());
  EXPECT_EQ(instance.source.assigned(), 0U);

  instance.lease.held = true;
  ASSERT_TRUE(instance.lane->Step().ok());
  ASSERT_EQ(instance.lane->phase(), LanePhase::kActive);
  EXPECT_FALSE(instance.changelog.is_open());
  EXPECT_GT(instance.source.assigned(), 0U);

  instance.lease.held = false;
  ASSERT_TRUE(instance.lane->Step().ok());
  ASSERT_EQ(instance.lane->phase(), LanePhase::kStandby);
  EXPECT_EQ(instance.source.assigned(), 0U);
}

TEST_F(OneLane, RefusesAChangelogOfOtherFieldsAndNamesThem) {
  Fill(20);
  RunToEnd(broker_, faults_, TestOptions(3), false);
  LaneOptions other = TestOptions(3);
  other.filter.record.fields = {{"title", 1.0}};
  Instance instance(broker_, faults_, clock_, other);
  instance.lease.held = true;
  const Result<bool> stepped = instance.lane->Step();
  ASSERT_FALSE(stepped.ok());
  EXPECT_EQ(stepped.error().code, ErrorCode::kMismatch);
  EXPECT_THAT(stepped.error().text, testing::HasSubstr("title"));
  EXPECT_THAT(stepped.error().text, testing::HasSubstr("text"));
}

/// The fresh delta with which `neardup reindex` begins a lane from nothing under these options.
std::string FreshDelta(const MemoryBroker& broker, const LaneOptions& options) {
  const Result<Delta> last = DecodeDelta(broker.NewestDelta());
  EXPECT_TRUE(last.ok());
  const Result<std::vector<Delta>> fresh = FreshDeltas(options.filter, *last, {});
  EXPECT_TRUE(fresh.ok());
  return Encode(fresh->front());
}

TEST_F(OneLane, GoesOnBehindAFreshDeltaOfItsSettings) {
  Fill(200);
  RunToEnd(broker_, faults_, TestOptions(3), false);
  LaneOptions other = TestOptions(3);
  other.filter.feature.features_min = 5;
  broker_.changelog.push_back(FreshDelta(broker_, other));
  const size_t committed = CommittedRecords(broker_);
  Instance instance(broker_, faults_, clock_, other);
  for (int step = 0; step < 200; ++step) ASSERT_TRUE(instance.lane->Step().ok());
  EXPECT_EQ(instance.lane->state().filter().entries(), 0U);
  EXPECT_EQ(instance.lane->state().seq(), committed);
  instance.lease.held = true;
  ASSERT_TRUE(instance.lane->Step().ok());
  EXPECT_EQ(instance.lane->phase(), LanePhase::kActive);

  // A lane that has the old settings ends there, also as a standby.
  Instance old(broker_, faults_, clock_, TestOptions(3));
  Result<bool> stepped = true;
  for (int step = 0; step < 200 && stepped.ok(); ++step) stepped = old.lane->Step();
  ASSERT_FALSE(stepped.ok());
  EXPECT_EQ(stepped.error().code, ErrorCode::kMismatch);
  EXPECT_THAT(stepped.error().text,
              testing::HasSubstr("feature.features_min: configured 4, changelog 5"));
}

TEST_F(OneLane, StopsBeforeTheCommitWhenTooManyRecordsAreDeadLettersAndTheOptionsSaySo) {
  Fill(500);
  options_.filter.record.fields = {{"txet", 1.0}};
  options_.dead_letters.on_excess = OnExcess::kFail;
  options_.transaction_interval_ms = 1000;  // more than enough records to judge
  Instance instance(broker_, faults_, clock_, options_);
  instance.lease.held = true;
  Result<bool> stepped = true;
  for (int step = 0; step < 100 && stepped.ok(); ++step) stepped = instance.lane->Step();
  ASSERT_FALSE(stepped.ok());
  EXPECT_EQ(stepped.error().code, ErrorCode::kConfig);
  EXPECT_THAT(stepped.error().text,
              testing::HasSubstr("expected field `txet`, found `text` in 100 % of records"));
  EXPECT_TRUE(broker_.outputs.empty());
}

TEST_F(OneLane, StopsBeforeTheFirstCommitWhenMostRecordsAreDeadLetters) {
  Fill(500);
  options_.filter.record.fields = {{"txet", 1.0}};
  options_.transaction_interval_ms = 1000;  // more than enough records to judge
  Instance instance(broker_, faults_, clock_, options_);
  instance.lease.held = true;
  Result<bool> stepped = true;
  for (int step = 0; step < 100 && stepped.ok(); ++step) stepped = instance.lane->Step();
  ASSERT_FALSE(stepped.ok());
  EXPECT_EQ(stepped.error().code, ErrorCode::kConfig);
  EXPECT_TRUE(stepped.error().fatal);
  EXPECT_THAT(stepped.error().text, testing::StartsWith("stopped before the first commit: "));
  EXPECT_THAT(stepped.error().text, testing::HasSubstr("expected field `txet`"));
  EXPECT_TRUE(broker_.outputs.empty());
  // The changelog of a lane that has decided nothing takes the corrected settings.
  EXPECT_FALSE(broker_.changelog.empty());
  RunToEnd(broker_, faults_, TestOptions(3), false);
  EXPECT_EQ(broker_.outputs.size(), InputRecords(broker_));
  ExpectSerialReplay(broker_, TestOptions(3));
}

TEST_F(OneLane, WritesDeadLettersOnlyIfAPersonSaysSo) {
  Fill(500);
  options_.filter.record.fields = {{"txet", 1.0}};
  options_.dead_letters.share_max = 1;
  RunToEnd(broker_, faults_, options_, false);
  EXPECT_EQ(broker_.outputs.size(), InputRecords(broker_));
}

TEST_F(OneLane, GoesOnWhenMostRecordsAreDeadLettersAfterTheFirstCommit) {
  Fill(100);
  RunToEnd(broker_, faults_, TestOptions(3), false);
  const size_t decided = broker_.outputs.size();
  Fill(500);
  for (auto& [input, records] : broker_.inputs) {
    for (MemoryRecord& record : records) {
      if (record.id > decided) record.value = "not JSON";
    }
  }
  RunToEnd(broker_, faults_, TestOptions(3), false);  // also with a new instance
  EXPECT_EQ(broker_.outputs.size(), InputRecords(broker_));
}

TEST_F(OneLane, RefusesAChangelogWithAHole) {
  Fill(400);
  RunToEnd(broker_, faults_, TestOptions(3), false);
  ASSERT_GT(broker_.changelog.size(), 4U);
  broker_.changelog.erase(broker_.changelog.begin() + 2);
  Instance instance(broker_, faults_, clock_, TestOptions(3));
  instance.lease.held = true;
  const Result<bool> stepped = instance.lane->Step();
  ASSERT_FALSE(stepped.ok());
  EXPECT_EQ(stepped.error().code, ErrorCode::kCorrupt);
  EXPECT_THAT(stepped.error().text, testing::HasSubstr("changelog offset 2"));
}

}  // namespace
}  // namespace neardup
