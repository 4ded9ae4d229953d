// A broker in memory, with transactions, fencing and faults at any call, for simulations of lanes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "stream/ports.h"

namespace neardup {

/// Draws a fault for each call of a port. Deterministic for a seed.
class Faults {
 public:
  /// Each call fails with a probability of one in `one_in`; 0: never.
  Faults(uint64_t seed, uint32_t one_in) : random_(seed), one_in_(one_in) {}

  enum class Kind {
    kNone,
    kCrash,
    kUnavailable,
    kAborted,
    kFenced,
    kUnknownHappened,
    kUnknownLost
  };
  Kind Draw(std::initializer_list<Kind> possible);
  void Stop() { one_in_ = 0; }
  uint64_t drawn() const { return drawn_; }
  std::mt19937_64& random() { return random_; }

 private:
  std::mt19937_64 random_;
  uint32_t one_in_;
  uint64_t drawn_ = 0;
};

struct MemoryRecord {
  int64_t offset = 0;
  int64_t timestamp_ms = 0;
  std::optional<std::string> value;
};

struct MemoryOutput {
  uint64_t seq = 0;
  InputPartition input;
  int64_t offset = 0;
  Verdict verdict;
  InputPartition original_input;
  std::optional<std::string> value;
  bool by_reference = false;
};

/// How much was committed at the end of a transaction.
struct MemoryCommit {
  size_t outputs = 0;
  size_t changelog = 0;
};

/// Inputs, committed outputs, changelog and group offsets, shared by all instances.
class MemoryBroker {
 public:
  std::map<InputPartition, std::vector<MemoryRecord>> inputs;
  /// Offsets behind the last record of an input that hold control records.
  std::map<InputPartition, int64_t> control_records;
  /// Topics that were deleted, though they are configured.
  std::set<std::string> missing_topics;
  /// Topics that were deleted and are not configured.
  std::set<std::string> unknown_topics;
  /// Partitions whose leader is away.
  std::set<InputPartition> unreachable;
  /// Records of an input below this offset are deleted.
  std::map<InputPartition, int64_t> deleted_below;
  std::vector<MemoryOutput> outputs;   ///< committed, in commit order
  std::vector<std::string> changelog;  ///< committed deltas; empty: a control record
  int64_t changelog_begin = 0;         ///< those below are purged
  std::map<InputPartition, int64_t> group_offsets;
  bool group_answers = true;  ///< false: the group's offsets cannot be read
  uint64_t producer_epoch = 0;
  /// Records whose payload contains this text are refused by their output.
  std::string poison;
  size_t record_bytes_max = SIZE_MAX;
  std::vector<MemoryCommit> commits;

  int64_t Begin(const InputPartition& input) { return deleted_below[input]; }
  int64_t End(const InputPartition& input) {
    const std::vector<MemoryRecord>& records = inputs[input];
    return (records.empty() ? 0 : records.back().offset + 1) + control_records[input];
  }
};

class MemoryClock : public Clock {
 public:
  int64_t WallMs() const override { return 1'700'000'000'000 + now_ms_; }
  int64_t SteadyMs() const override { return now_ms_ += 3; }
  void SleepMs(int64_t ms) override { now_ms_ += ms; }

 private:
  mutable int64_t now_ms_ = 1;
};

class MemorySource : public Source {
 public:
  MemorySource(MemoryBroker& broker, Faults& faults) : broker_(broker), faults_(faults) {}
  Result<FoundInputs> Find() override;
  Result<OffsetBounds> Bounds(const InputPartition& partition) override;
  Result<void> Assign(std::span<const InputAssignment> inputs) override;
  Result<void> Poll(size_t records_max, int timeout_ms, std::vector<Message>& out) override;
  std::vector<InputStatus> Status() override;
  size_t assigned() const { return assigned_.size(); }

 private:
  InputTrouble TroubleOf(const InputAssignment& input) const;
  /// No record is left, though control records may be.
  bool IsAtEnd(const InputAssignment& input) const;

  MemoryBroker& broker_;
  Faults& faults_;
  std::vector<InputAssignment> assigned_;
};

class MemoryChangelog : public Changelog {
 public:
  MemoryChangelog(MemoryBroker& broker, Faults& faults) : broker_(broker), faults_(faults) {}
  std::string name() const override { return "memory-changelog/0"; }
  Result<void> Open(int64_t offset) override;
  void Close() override { is_open_ = false; }
  Result<void> Poll(int timeout_ms,
                    const std::function<Result<void>(const ChangelogRecord&)>& visit) override;
  int64_t next_offset() const override { return next_offset_; }
  Result<int64_t> End() override;
  Result<int64_t> CommittedEnd() override;
  Result<void> Purge(int64_t offset) override;
  bool is_open() const { return is_open_; }

  bool end_unknown = false;  ///< End fails
  int64_t stale_end = -1;    ///< what the next End returns, as a broker that no longer leads

 private:
  MemoryBroker& broker_;
  Faults& faults_;
  int64_t next_offset_ = 0;
  bool is_open_ = false;
};

class MemoryTransaction : public Transaction {
 public:
  MemoryTransaction(MemoryBroker& broker, Faults& faults) : broker_(broker), faults_(faults) {}
  Result<void> Fence() override;
  Result<void> Begin() override;
  Result<void> Publish(const RoutedRecord& record) override;
  Result<void> PublishDelta(std::string_view bytes) override;
  Result<void> Commit(std::span<const InputProgress> inputs) override;
  Result<void> Abort() override;
  void Abandon(bool abort) override;
  std::vector<Refusal> TakeRefusals() override { return std::exchange(refusals_, {}); }
  Result<std::vector<int64_t>> CommittedOffsets(std::span<const InputPartition> inputs) override;
  size_t record_bytes_max(const InputPartition&) const override { return broker_.record_bytes_max; }

 private:
  Result<void> Check(std::initializer_list<Faults::Kind> possible);
  void Apply(std::span<const InputProgress> inputs);

  MemoryBroker& broker_;
  Faults& faults_;
  uint64_t epoch_ = 0;
  bool usable_ = false;
  bool open_ = false;
  std::vector<MemoryOutput> outputs_;
  std::vector<std::string> deltas_;
  std::vector<Refusal> refusals_;
};

/// A lease the test moves by hand.
class MemoryLease : public Lease {
 public:
  void Join() override {
    candidate = true;
    ++joins;
  }
  void Leave() override {
    candidate = false;
    held = false;
  }
  Result<bool> Held() override { return held; }
  void Release() override { held = false; }
  bool held = false;
  bool candidate = false;
  int joins = 0;
};

}  // namespace neardup
