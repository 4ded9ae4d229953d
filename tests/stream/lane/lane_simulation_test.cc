// The lane over a broker in memory that fails at any call: crashes, aborts, fencing, lost answers
// and commits of unknown outcome, with two instances that take the lane from each other. Whatever
// happens, what was committed must be exactly what one uninterrupted run in that order gives.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
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

TEST(Lane, AfterACleanStopNoRecordIsADuplicateOfItself) {
  Faults faults(7, 0);
  MemoryBroker broker;
  FillInputs(broker, faults.random(), 300);
  const LaneOptions options = TestOptions(3);
  MemoryClock clock;
  while (CommittedRecords(broker) < InputRecords(broker)) {
    Instance instance(broker, faults, clock, options);
    instance.lease.held = true;
    for (int step = 0; step < 4; ++step) ASSERT_TRUE(instance.lane->Step().ok());
    ASSERT_TRUE(instance.lane->Drain().ok());
  }
  ExpectEachOffsetOnce(broker);
  ExpectSerialReplay(broker, options);
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

TEST(Lane, ACleanStopKeepsThePositionsBehindControlRecords) {
  Faults faults(35, 0);
  MemoryBroker broker;
  FillInputs(broker, faults.random(), 50);
  broker.control_records[{"a", 0}] = 1;
  MemoryClock clock;
  Instance instance(broker, faults, clock, TestOptions(3));
  instance.lease.held = true;
  for (int step = 0; step < 200; ++step) ASSERT_TRUE(instance.lane->Step().ok());
  const size_t before = broker.changelog.size();
  broker.control_records[{"a", 0}] = 4;
  ASSERT_TRUE(instance.lane->Step().ok());
  EXPECT_EQ(broker.changelog.size(), before);  // a marker alone is no reason to commit
  ASSERT_TRUE(instance.lane->Drain().ok());
  EXPECT_EQ(broker.changelog.size(), before + 1);
  EXPECT_TRUE(AllPositionsAreAtTheEnd(broker));
}

TEST(Lane, SendsARecordThatIsRefusedTwiceToDeadLetterByReference) {
  Faults faults(8, 0);
  MemoryBroker broker;
  FillInputs(broker, faults.random(), 200);
  broker.inputs.begin()->second[5].value = R"({"text":"poison one two three four five"})";
  broker.poison = "poison";
  RunToEnd(broker, faults, TestOptions(3), false);
  ExpectEachOffsetOnce(broker);
  size_t by_reference = 0;
  for (const MemoryOutput& output : broker.outputs) {
    if (!output.by_reference) continue;
    ++by_reference;
    EXPECT_EQ(output.verdict.outcome.reason, Reason::kUndeliverable);
    EXPECT_EQ(output.verdict.outcome.error, "poison");
    EXPECT_EQ(output.offset, broker.inputs.begin()->second[5].offset);
  }
  EXPECT_EQ(by_reference, 1U);
}

TEST(Lane, SendsARecordTooLargeForItsOutputToDeadLetterByReference) {
  Faults faults(9, 0);
  MemoryBroker broker;
  FillInputs(broker, faults.random(), 50);
  broker.record_bytes_max = 3000;
  broker.inputs.begin()->second[2].value = R"({"text":")" + std::string(5000, 'x') + R"("})";
  RunToEnd(broker, faults, TestOptions(3), false);
  ExpectEachOffsetOnce(broker);
  size_t too_large = 0;
  for (const MemoryOutput& output : broker.outputs) {
    if (output.verdict.outcome.reason != Reason::kTooLarge) continue;
    ++too_large;
    EXPECT_TRUE(output.by_reference);
    EXPECT_FALSE(output.value.has_value());
    EXPECT_THAT(output.verdict.outcome.error, testing::HasSubstr("max.message.bytes"));
  }
  EXPECT_EQ(too_large, 1U);
}

TEST(Lane, ReadsANewPartitionOfAKnownTopicFromItsBeginning) {
  Faults faults(10, 0);
  MemoryBroker broker;
  broker.inputs[{"a", 0}] = {};
  LaneOptions options = TestOptions(3);
  options.start_at = StartAt::kLatest;
  options.partitions_refresh_ms = 10;
  MemoryClock clock;
  Instance instance(broker, faults, clock, options);
  instance.lease.held = true;
  ASSERT_TRUE(instance.lane->Step().ok());
  broker.inputs[{"a", 1}].push_back({0, 1'700'000'000'000, R"({"text":"from the beginning"})"});
  for (int step = 0; step < 50 && broker.outputs.empty(); ++step) {
    ASSERT_TRUE(instance.lane->Step().ok());
    clock.SleepMs(20);
  }
  ASSERT_EQ(broker.outputs.size(), 1U);
  EXPECT_EQ(broker.outputs[0].input, (InputPartition{"a", 1}));
}

/// Steps until the changelog has `deltas` more deltas.
void CommitDeltas(Instance& active, const MemoryBroker& broker, size_t deltas) {
  const size_t want = broker.changelog.size() + deltas;
  for (int step = 0; step < 1000 && broker.changelog.size() < want; ++step) {
    ASSERT_TRUE(active.lane->Step().ok());
  }
  ASSERT_EQ(broker.changelog.size(), want);
}

TEST(Lane, AStandbyReportsOnceThatItHasReadTheChangelogToTheEndAtItsStart) {
  Faults faults(13, 0);
  MemoryBroker broker;
  FillInputs(broker, faults.random(), 5000);
  LaneOptions options = TestOptions(3);
  options.transaction_interval_ms = 1;
  MemoryClock clock;
  Instance active(broker, faults, clock, options);
  active.lease.held = true;
  CommitDeltas(active, broker, 20);

  Instance standby(broker, faults, clock, options);
  while (standby.probe.times == 0) {
    EXPECT_LT(standby.changelog.next_offset(), 20);
    ASSERT_TRUE(standby.lane->Step().ok());
    CommitDeltas(active, broker, 4);  // faster than the standby reads
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

TEST(Lane, AStopEndsALongRestoreEarlyAndGivesTheLeaseUp) {
  Faults faults(1, 0);
  MemoryBroker broker;
  MemoryClock clock;
  FillInputs(broker, faults.random(), 2000);
  LaneOptions options = TestOptions(3);
  options.transaction_bytes_max = 1000;  // many deltas
  RunToEnd(broker, faults, options, false);
  ASSERT_GT(broker.changelog.size(), 100U);

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
  MemorySource source(broker, faults);
  MemoryChangelog changelog(broker, faults);
  MemoryTransaction transaction(broker, faults);
  MemoryLease lease;
  lease.held = true;
  auto lane = Lane::New(options, {source, changelog, transaction, lease, clock, probe});
  ASSERT_TRUE(lane.ok());
  const size_t committed = broker.commits.size();
  while (!probe.stop) ASSERT_TRUE((*lane)->Step(probe.stop).ok());
  ASSERT_TRUE((*lane)->Drain().ok());
  EXPECT_GE(probe.share, 0);
  EXPECT_LT(probe.share, 0.5) << "the restore went on after the stop";
  EXPECT_EQ(broker.commits.size(), committed);
  EXPECT_FALSE(lease.held);
}

TEST(Lane, CommitsAfterANumberOfRecordsAndNotByTimeOrSize) {
  Faults faults(18, 0);
  MemoryBroker broker;
  FillInputs(broker, faults.random(), 500);
  LaneOptions options = TestOptions(3);
  options.transaction_records = 70;
  options.transaction_interval_ms = 1;
  options.transaction_bytes_max = 1;
  options.batch_records_max = 33;
  MemoryClock clock;
  Instance instance(broker, faults, clock, options);
  instance.lease.held = true;
  std::set<size_t> committed;
  for (int step = 0; step < 2000 && instance.lane->state().seq() < 500; ++step) {
    ASSERT_TRUE(instance.lane->Step().ok());
    clock.SleepMs(10);
    committed.insert(broker.outputs.size());
  }
  EXPECT_THAT(committed, testing::ElementsAre(0, 70, 140, 210, 280, 350, 420, 490));
  ASSERT_TRUE(instance.lane->Drain().ok());
  EXPECT_EQ(broker.outputs.size(), 500U);
}

TEST(Lane, IsACandidateForTheLeaseOnlyWhenItHasReadTheChangelog) {
  Faults faults(15, 0);
  MemoryBroker broker;
  FillInputs(broker, faults.random(), 300);
  LaneOptions options = TestOptions(3);
  options.transaction_interval_ms = 1;
  RunToEnd(broker, faults, options, false);
  const auto end = static_cast<int64_t>(broker.changelog.size());
  ASSERT_GT(end, 6);
  MemoryClock clock;
  Instance cold(broker, faults, clock, TestOptions(3));
  while (cold.changelog.next_offset() < end) {
    ASSERT_FALSE(cold.lease.candidate) << cold.changelog.next_offset();
    ASSERT_TRUE(cold.lane->Step().ok());
  }
  EXPECT_TRUE(cold.lease.candidate);

  MemoryBroker empty;
  Instance first(empty, faults, clock, TestOptions(3));
  ASSERT_TRUE(first.lane->Step().ok());
  EXPECT_TRUE(first.lease.candidate);
}

TEST(Lane, IsNotLostWhenTheEndOfTheChangelogIsUnknown) {
  Faults faults(16, 0);
  MemoryBroker broker;
  FillInputs(broker, faults.random(), 2000);
  MemoryClock clock;
  Instance instance(broker, faults, clock, TestOptions(3));
  instance.lease.held = true;
  ASSERT_TRUE(instance.lane->Step().ok());
  instance.changelog.end_unknown = true;
  while (CommittedRecords(broker) < InputRecords(broker)) {
    clock.SleepMs(30'000);
    ASSERT_TRUE(instance.lane->Step().ok());
    ASSERT_EQ(instance.lane->phase(), LanePhase::kActive);
  }
}

TEST(Lane, ReadsTheChangelogAgainWhenItsEndCameFromABrokerThatNoLongerLeads) {
  Faults faults(18, 0);
  MemoryBroker broker;
  FillInputs(broker, faults.random(), 2000);
  LaneOptions options = TestOptions(3);
  options.transaction_interval_ms = 1;
  MemoryClock clock;
  Instance first(broker, faults, clock, options);
  first.lease.held = true;
  CommitDeltas(first, broker, 20);
  Instance second(broker, faults, clock, options);
  second.lease.held = true;
  second.changelog.stale_end = 12;
  for (int step = 0; CommittedRecords(broker) < InputRecords(broker); ++step) {
    ASSERT_LT(step, 20'000);
    ASSERT_TRUE(second.lane->Step().ok());
  }
  ExpectEachOffsetOnce(broker);
  ExpectSerialReplay(broker, options);
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

TEST(Lane, ReadsWhatTheOldOwnerCommitsWhileItIsFenced) {
  Faults faults(19, 0);
  MemoryBroker broker;
  FillInputs(broker, faults.random(), 2000);
  LaneOptions options = TestOptions(3);
  options.transaction_interval_ms = 1;
  MemoryClock clock;
  Instance old_owner(broker, faults, clock, options);
  old_owner.lease.held = true;
  CommitDeltas(old_owner, broker, 10);

  MemorySource source(broker, faults);
  MemoryChangelog changelog(broker, faults);
  TransactionThatFencesSlowly transaction(broker, faults);
  transaction.before_fence = [&] {
    const auto group = broker.group_offsets;
    CommitDeltas(old_owner, broker, 1);
    broker.group_offsets = group;  // otherwise the comparison with the group shows a mistake, too
  };
  MemoryLease lease;
  lease.held = true;
  ProbeFan probe({});
  auto made = Lane::New(options, {source, changelog, transaction, lease, clock, probe});
  ASSERT_TRUE(made.ok());
  for (int step = 0; CommittedRecords(broker) < InputRecords(broker); ++step) {
    ASSERT_LT(step, 20'000);
    ASSERT_TRUE((*made)->Step().ok());
  }
  EXPECT_EQ(transaction.before_fence, nullptr);
  ExpectEachOffsetOnce(broker);
  ExpectSerialReplay(broker, options);
}

TEST(Lane, ALeaseLostInsideATransactionLeavesNothingOpenAndTheSameLaneGoesOnAfterwards) {
  Faults faults(20, 0);
  MemoryBroker broker;
  FillInputs(broker, faults.random(), 300);
  LaneOptions options = TestOptions(3);
  options.filter.window.lateness_ms = 3'600'000;
  options.transaction_interval_ms = 1'000'000;
  MemoryClock clock;
  Instance instance(broker, faults, clock, options);
  for (int times = 0; times < 3; ++times) {
    instance.lease.held = true;
    const auto is_open = [&] {
      return broker.IsOpen("lane-0") && instance.lane->phase() == LanePhase::kActive;
    };
    ASSERT_FALSE(StepUntil(instance, is_open));
    ASSERT_GT(instance.lane->state().seq(), instance.lane->state().seq_committed());
    instance.lease.held = false;
    ASSERT_TRUE(instance.lane->Step().ok());
    EXPECT_EQ(instance.lane->phase(), LanePhase::kStandby);
    EXPECT_FALSE(broker.IsOpen("lane-0")) << "readers of the outputs wait for it";
    EXPECT_EQ(instance.lane->state().seq(), instance.lane->state().seq_committed());
    EXPECT_TRUE(broker.outputs.empty());
  }
  instance.lease.held = true;
  for (int step = 0; CommittedRecords(broker) < InputRecords(broker); ++step) {
    ASSERT_LT(step, 20'000);
    clock.SleepMs(30'000);
    ASSERT_TRUE(instance.lane->Step().ok());
  }
  ExpectEachOffsetOnce(broker);
  ExpectSerialReplay(broker, options);
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

TEST(Lane, LeavesTheLeaseToAnotherInstanceWhenItCannotTakeTheLane) {
  Faults faults(17, 0);
  MemoryBroker broker;
  FillInputs(broker, faults.random(), 300);
  MemoryClock clock;
  LaneOptions options = TestOptions(3);
  Instance stuck(broker, faults, clock, options);
  Instance able(broker, faults, clock, options);
  stuck.changelog.end_unknown = true;
  ASSERT_TRUE(stuck.lane->Step().ok());  // the first candidate
  int joins = 0;
  for (int step = 0; CommittedRecords(broker) < InputRecords(broker); ++step) {
    ASSERT_LT(step, 20'000);
    MoveLease({&stuck.lease, &able.lease});
    ASSERT_TRUE(stuck.lane->Step().ok());
    ASSERT_TRUE(able.lane->Step().ok());
    clock.SleepMs(10);
    if (able.lane->phase() == LanePhase::kActive && joins == 0) joins = stuck.lease.joins;
  }
  EXPECT_EQ(able.lane->phase(), LanePhase::kActive);
  EXPECT_EQ(joins, 1) << "it stayed out until the other one had the lease";
  while (stuck.lease.joins == 1) {
    clock.SleepMs(100);
    ASSERT_TRUE(stuck.lane->Step().ok());
  }
  MoveLease({&stuck.lease, &able.lease});
  EXPECT_TRUE(able.lease.held);
  ExpectEachOffsetOnce(broker);
}

TEST(Lane, ReadsTheChangelogAgainWhenWhatItWroteIsPurgedByItsSuccessor) {
  Faults faults(23, 0);
  MemoryBroker broker;
  broker.sends_deltas_late = true;
  FillInputs(broker, faults.random(), 300);
  MemoryClock clock;
  const LaneOptions options = TestOptions(3);
  Instance first(broker, faults, clock, options);
  first.lease.held = true;
  while (CommittedRecords(broker) == 0) {
    ASSERT_TRUE(first.lane->Step().ok());
    clock.SleepMs(1);
  }
  first.lease.held = false;
  const int64_t written_by_first = broker.ChangelogEnd();
  {
    Instance second(broker, faults, clock, options);
    second.lease.held = true;
    ASSERT_FALSE(
        StepUntil(second, [&] { return CommittedRecords(broker) == InputRecords(broker); }));
    ASSERT_TRUE(second.lane->Drain().ok());
  }
  broker.changelog_begin = written_by_first + 5;
  ASSERT_LT(broker.changelog_begin, broker.ChangelogEnd());
  while (first.lane->state().seq() < InputRecords(broker)) {
    clock.SleepMs(1000);
    const Result<bool> stepped = first.lane->Step();
    ASSERT_TRUE(stepped.ok()) << stepped.error().text;
  }
}

TEST(Lane, ReadsAheadOnlyWhatItNeedsInItsPhase) {
  Faults faults(17, 0);
  MemoryBroker broker;
  FillInputs(broker, faults.random(), 200);
  MemoryClock clock;
  Instance instance(broker, faults, clock, TestOptions(3));
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

TEST(Lane, RefusesAChangelogOfOtherFieldsAndNamesThem) {
  Faults faults(11, 0);
  MemoryBroker broker;
  FillInputs(broker, faults.random(), 20);
  RunToEnd(broker, faults, TestOptions(3), false);
  LaneOptions other = TestOptions(3);
  other.filter.record.fields = {{"title", 1.0}};
  MemoryClock clock;
  Instance instance(broker, faults, clock, other);
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

TEST(Lane, GoesOnBehindAFreshDeltaOfItsSettings) {
  Faults faults(15, 0);
  MemoryBroker broker;
  FillInputs(broker, faults.random(), 200);
  RunToEnd(broker, faults, TestOptions(3), false);
  LaneOptions other = TestOptions(3);
  other.filter.feature.features_min = 5;
  broker.changelog.push_back(FreshDelta(broker, other));
  const size_t committed = CommittedRecords(broker);
  MemoryClock clock;
  Instance instance(broker, faults, clock, other);
  for (int step = 0; step < 200; ++step) ASSERT_TRUE(instance.lane->Step().ok());
  EXPECT_EQ(instance.lane->state().filter().entries(), 0U);
  EXPECT_EQ(instance.lane->state().seq(), committed);
  instance.lease.held = true;
  ASSERT_TRUE(instance.lane->Step().ok());
  EXPECT_EQ(instance.lane->phase(), LanePhase::kActive);

  // A lane that has the old settings ends there, also as a standby.
  Instance old(broker, faults, clock, TestOptions(3));
  Result<bool> stepped = true;
  for (int step = 0; step < 200 && stepped.ok(); ++step) stepped = old.lane->Step();
  ASSERT_FALSE(stepped.ok());
  EXPECT_EQ(stepped.error().code, ErrorCode::kMismatch);
  EXPECT_THAT(stepped.error().text,
              testing::HasSubstr("feature.features_min: configured 4, changelog 5"));
}

TEST(Lane, StopsBeforeTheCommitWhenTooManyRecordsAreDeadLettersAndTheOptionsSaySo) {
  Faults faults(15, 0);
  MemoryBroker broker;
  FillInputs(broker, faults.random(), 500);
  LaneOptions options = TestOptions(3);
  options.filter.record.fields = {{"txet", 1.0}};
  options.dead_letters.on_excess = OnExcess::kFail;
  options.transaction_interval_ms = 1000;  // more than enough records to judge
  MemoryClock clock;
  Instance instance(broker, faults, clock, options);
  instance.lease.held = true;
  Result<bool> stepped = true;
  for (int step = 0; step < 100 && stepped.ok(); ++step) stepped = instance.lane->Step();
  ASSERT_FALSE(stepped.ok());
  EXPECT_EQ(stepped.error().code, ErrorCode::kConfig);
  EXPECT_THAT(stepped.error().text,
              testing::HasSubstr("expected field `txet`, found `text` in 100 % of records"));
  EXPECT_TRUE(broker.outputs.empty());
}

TEST(Lane, StopsBeforeTheFirstCommitWhenMostRecordsAreDeadLetters) {
  Faults faults(16, 0);
  MemoryBroker broker;
  FillInputs(broker, faults.random(), 500);
  LaneOptions options = TestOptions(3);
  options.filter.record.fields = {{"txet", 1.0}};
  options.transaction_interval_ms = 1000;  // more than enough records to judge
  MemoryClock clock;
  Instance instance(broker, faults, clock, options);
  instance.lease.held = true;
  Result<bool> stepped = true;
  for (int step = 0; step < 100 && stepped.ok(); ++step) stepped = instance.lane->Step();
  ASSERT_FALSE(stepped.ok());
  EXPECT_EQ(stepped.error().code, ErrorCode::kConfig);
  EXPECT_TRUE(stepped.error().fatal);
  EXPECT_THAT(stepped.error().text, testing::StartsWith("stopped before the first commit: "));
  EXPECT_THAT(stepped.error().text, testing::HasSubstr("expected field `txet`"));
  EXPECT_TRUE(broker.outputs.empty());
  // The changelog of a lane that has decided nothing takes the corrected settings.
  EXPECT_FALSE(broker.changelog.empty());
  RunToEnd(broker, faults, TestOptions(3), false);
  EXPECT_EQ(broker.outputs.size(), InputRecords(broker));
  ExpectSerialReplay(broker, TestOptions(3));
}

TEST(Lane, WritesDeadLettersOnlyIfAPersonSaysSo) {
  Faults faults(19, 0);
  MemoryBroker broker;
  FillInputs(broker, faults.random(), 500);
  LaneOptions options = TestOptions(3);
  options.filter.record.fields = {{"txet", 1.0}};
  options.dead_letters.share_max = 1;
  RunToEnd(broker, faults, options, false);
  EXPECT_EQ(broker.outputs.size(), InputRecords(broker));
}

TEST(Lane, GoesOnWhenMostRecordsAreDeadLettersAfterTheFirstCommit) {
  Faults faults(17, 0);
  MemoryBroker broker;
  FillInputs(broker, faults.random(), 100);
  RunToEnd(broker, faults, TestOptions(3), false);
  const size_t decided = broker.outputs.size();
  FillInputs(broker, faults.random(), 500);
  for (auto& [input, records] : broker.inputs) {
    for (MemoryRecord& record : records) {
      if (record.id > decided) record.value = "not JSON";
    }
  }
  RunToEnd(broker, faults, TestOptions(3), false);  // also with a new instance
  EXPECT_EQ(broker.outputs.size(), InputRecords(broker));
}

TEST(Lane, RefusesAChangelogWithAHole) {
  Faults faults(12, 0);
  MemoryBroker broker;
  FillInputs(broker, faults.random(), 400);
  RunToEnd(broker, faults, TestOptions(3), false);
  ASSERT_GT(broker.changelog.size(), 4U);
  broker.changelog.erase(broker.changelog.begin() + 2);
  MemoryClock clock;
  Instance instance(broker, faults, clock, TestOptions(3));
  instance.lease.held = true;
  const Result<bool> stepped = instance.lane->Step();
  ASSERT_FALSE(stepped.ok());
  EXPECT_EQ(stepped.error().code, ErrorCode::kCorrupt);
  EXPECT_THAT(stepped.error().text, testing::HasSubstr("changelog offset 2"));
}

}  // namespace
}  // namespace neardup
