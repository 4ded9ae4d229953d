// Between the source and the producer, a lane takes no memory for a record from the allocator, only
// for a batch, a transaction and the growth of its tables.
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "detect/base/counted_allocations.h"
#include "stream/files/local_ports.h"
#include "stream/lane/lane.h"

namespace neardup {
namespace {

constexpr size_t kTexts = 4000;

/// Texts of 60 words; each fourth one is the text of a moment ago with another last word.
std::vector<std::string> Payloads() {
  std::mt19937_64 random(20261123);
  std::vector<std::string> payloads;
  std::string text;
  for (size_t i = 0; i < kTexts; ++i) {
    if (i % 4 != 3) {
      text.clear();
      for (int word = 0; word < 60; ++word) text += "w" + std::to_string(random() % 30'000) + " ";
    }
    payloads.push_back(R"({"text":")" + text + "w" + std::to_string(i) + "\"}");
  }
  return payloads;
}

/// Delivers the payloads again and again, an event time of a second apart.
class EndlessSource : public Source {
 public:
  Result<FoundInputs> Find() override { return FoundInputs{{{"in", 0}}, {}}; }
  Result<OffsetBounds> Bounds(const InputPartition&) override { return OffsetBounds{0, INT64_MAX}; }
  Result<void> Assign(std::span<const InputAssignment>) override { return {}; }
  Result<void> Poll(size_t records_max, int, std::vector<Message>& out) override {
    for (size_t i = 0; i < records_max; ++i, ++next_) {
      Message& message = out.emplace_back();
      message.position = {0, next_};
      message.timestamp_ms = 1'700'000'000'000 + next_ * 1000;
      message.value = payloads_[static_cast<size_t>(next_) % payloads_.size()];
      message.owner = owner_;
    }
    return {};
  }
  std::vector<InputStatus> Status() override { return {{.input = 0, .next_offset = next_}}; }

 private:
  std::vector<std::string> payloads_ = Payloads();
  std::shared_ptr<const void> owner_ = std::make_shared<int>(0);
  int64_t next_ = 0;
};

class CountingTransaction : public Transaction {
 public:
  Result<void> Fence() override { return {}; }
  Result<void> Begin() override { return {}; }
  Result<void> Publish(const RoutedRecord& record) override {
    ++(record.verdict.decision == Decision::kUnique ? unique : duplicate);
    return {};
  }
  Result<void> PublishDelta(std::string_view) override { return {}; }
  Result<void> PublishGroup(const GroupRecord&) override { return {}; }
  void StartCommit(std::span<const InputProgress>) override { asked_ = 0; }
  bool CommitHasEnded() override { return asked_++ == 4; }
  Result<void> FinishCommit() override {
    ++commits;
    return {};
  }
  Result<void> Abort() override { return {}; }
  void Abandon(bool) override {}
  std::vector<Refusal> TakeRefusals() override { return {}; }
  Result<std::vector<int64_t>> CommittedOffsets(std::span<const InputPartition> inputs) override {
    return std::vector<int64_t>(inputs.size(), -1);
  }
  size_t record_bytes_max(const InputPartition&) const override { return size_t{1} << 20; }

  uint64_t records() const { return unique + duplicate; }
  uint64_t unique = 0;
  uint64_t duplicate = 0;
  uint64_t commits = 0;

 private:
  int asked_ = 0;
};

TEST(Lane, AllocatesNothingForARecordInTheLongRun) {
  LaneOptions options;
  options.fingerprint_threads = 1;
  options.transaction_bytes_max = 4000 * kRecordBytesMin;
  options.filter.window.window_ms = 1'800'000;  // so that a text has gone when it comes again
  options.filter.window.lateness_ms = 1000;
  options.filter.window.entries_max = 10'000;
  EndlessSource source;
  EmptyChangelog changelog;
  CountingTransaction transaction;
  OwnLease lease;
  SystemClock clock;
  ProbeFan probe({});
  auto lane = Lane::New(options, {source, changelog, transaction, lease, clock, probe});
  ASSERT_TRUE(lane.ok()) << lane.error().text;
  const auto decide = [&](uint64_t records) {
    for (const uint64_t end = transaction.records() + records; transaction.records() < end;) {
      const Result<bool> stepped = (*lane)->Step();
      ASSERT_TRUE(stepped.ok()) << stepped.error().text;
    }
  };
  decide(20'000);
  const uint64_t records_before = transaction.records();
  const uint64_t commits_before = transaction.commits;
  const uint64_t allocations_before = counted_allocations;
  decide(40'000);
  const uint64_t records = transaction.records() - records_before;
  const uint64_t allocations = counted_allocations - allocations_before;
  EXPECT_GT(transaction.commits - commits_before, 5U);
  EXPECT_GT(transaction.unique, records / 2);
  EXPECT_GT(transaction.duplicate, records / 8);
  EXPECT_LT(allocations, records / 20)
      << records << " records, " << transaction.commits - commits_before << " commits";
  RecordProperty(
      "allocations_per_1000_records",
      std::to_string(static_cast<double>(allocations) * 1000 / static_cast<double>(records)));
}

}  // namespace
}  // namespace neardup
