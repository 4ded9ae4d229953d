// A broker refuses a batch because of one of its records. The others go out one by one, which takes
// longer than a transaction may last.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "stream/lane/lane.h"
#include "stream/lane/lane_world.h"
#include "stream/lane/memory_ports.h"

namespace neardup {
namespace {

constexpr int64_t kAnswerMs = 20;
constexpr int64_t kTransactionMs = 1000;
constexpr size_t kRecords = 300;
constexpr int kStepsMax = 2000;

/// Refuses what went out together with a poisoned record.
class BatchRefusingTransaction : public MemoryTransaction {
 public:
  BatchRefusingTransaction(MemoryBroker& broker, Faults& faults, MemoryClock& clock)
      : MemoryTransaction(broker, faults), broker_(broker), clock_(clock) {}
  Result<void> Begin() override {
    begun_ms_ = clock_.SteadyMs();
    together_.clear();
    return MemoryTransaction::Begin();
  }
  Result<void> Publish(const RoutedRecord& record) override {
    if (record.alone) {
      clock_.SleepMs(kAnswerMs);
    } else {
      together_.push_back(record.message.position);
    }
    if (clock_.SteadyMs() - begun_ms_ > kTransactionMs) broker_.TimeOut("lane-0");
    return MemoryTransaction::Publish(record);
  }
  std::vector<Refusal> TakeRefusals() override {
    std::vector<Refusal> refusals = MemoryTransaction::TakeRefusals();
    const bool batch = std::any_of(refusals.begin(), refusals.end(), [&](const Refusal& refusal) {
      return std::find(together_.begin(), together_.end(), refusal.position) != together_.end();
    });
    if (!batch) return refusals;
    refusals.clear();
    for (const Position& position : together_) {
      refusals.push_back({position, Reason::kUndeliverable, "poison"});
    }
    return refusals;
  }

 private:
  MemoryBroker& broker_;
  MemoryClock& clock_;
  int64_t begun_ms_ = 0;
  std::vector<Position> together_;
};

TEST(RefusedBatch, IsCommittedInPiecesThatLastNoLongerThanATransaction) {
  Faults faults(8, 0);
  MemoryBroker broker;
  FillInputs(broker, faults.random(), kRecords);
  std::vector<MemoryRecord>& records = broker.inputs.begin()->second;
  for (const size_t number : {records.size() / 3, records.size() - 1}) {
    records[number].value = R"({"text":"poison one two three four five"})";
  }
  broker.poison = "poison";
  MemoryClock clock;
  MemorySource source(broker, faults);
  MemoryChangelog changelog(broker, faults);
  BatchRefusingTransaction transaction(broker, faults, clock);
  MemoryLease lease;
  lease.held = true;
  ProbeFan probe({});
  auto lane =
      Lane::New(TestOptions(3), {source, changelog, transaction, lease, clock, probe}).value();
  for (int step = 0; step < kStepsMax && CommittedRecords(broker) < kRecords; ++step) {
    const Result<bool> stepped = lane->Step();
    ASSERT_TRUE(stepped.ok()) << stepped.error().text;
    clock.SleepMs(10);
  }
  ASSERT_EQ(CommittedRecords(broker), kRecords) << "the records are never committed";
  ExpectEachOffsetOnce(broker);
  EXPECT_EQ(std::count_if(broker.outputs.begin(), broker.outputs.end(),
                          [](const MemoryOutput& output) { return output.by_reference; }),
            2);
}

}  // namespace
}  // namespace neardup
