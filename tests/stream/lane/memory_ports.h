// The lane's ports on a MemoryBroker, with faults at any call.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <initializer_list>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stream/lane/memory_broker.h"
#include "stream/lane/ports.h"

namespace neardup {

/// Draws a fault for each call of a port. Deterministic for a seed.
class Faults {
 public:
  /// Each call fails with a probability of one in `one_in`; 0: never.
  Faults(uint64_t seed, uint32_t one_in) : random_(seed), one_in_(one_in) {}
  virtual ~Faults() = default;

  enum class Kind : uint8_t {
    kNone,
    kCrash,
    kUnavailable,
    kLostAnswer,  ///< the call had its effect, and its caller hears that it timed out
    kAborted,
    kFenced,
    kUnknownHappened,
    kUnknownLate,  ///< the broker gets the request later, or never
    kUnknownLost,
    kCopyLate  ///< the call succeeds, and the broker gets its request a second time, later or never
  };
  /// Every call of a port that a broker answers asks this before it does anything.
  virtual Kind Draw(std::string_view call, std::initializer_list<Kind> possible);
  /// A poll found nothing within this time.
  virtual void Wait(int64_t) {}

  void Stop() { one_in_ = 0; }
  uint64_t drawn() const { return drawn_; }
  std::mt19937_64& random() { return random_; }

 protected:
  std::mt19937_64 random_;
  uint32_t one_in_;
  uint64_t drawn_ = 0;
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
  Result<std::optional<uint64_t>> ChecksumAt(const InputPartition& partition,
                                             int64_t offset) override;
  Result<void> Assign(std::span<const InputAssignment> inputs) override;
  Result<void> Poll(size_t records_max, int timeout_ms, std::vector<Message>& out) override;
  std::vector<InputStatus> Status() override;
  size_t assigned() const { return assigned_.size(); }

 private:
  InputTrouble TroubleOf(const InputAssignment& input) const;
  /// No committed record is left, though control records may be.
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
  void Close() override {
    is_open_ = false;
    fetched_.clear();
  }
  Result<void> Poll(int timeout_ms,
                    const std::function<Result<void>(const ChangelogRecord&)>& visit) override;
  int64_t next_offset() const override { return next_offset_; }
  Result<int64_t> End() override;
  Result<int64_t> CommittedEnd() override;
  int64_t known_end() const override { return broker_.ChangelogEnd(); }
  Result<bool> Holds(const ChangelogMark& mark) override;
  Result<bool> Purge(int64_t offset, const ChangelogMark& held) override;
  bool is_open() const { return is_open_; }

  bool end_unknown = false;        ///< End fails
  int64_t stale_end = -1;          ///< what the next End returns, as a broker that no longer leads
  int64_t read_ahead = 3;          ///< records that are fetched together; a Poll hands out three
  bool reads_uncommitted = false;  ///< visits deltas of open and aborted transactions, too

 private:
  MemoryBroker& broker_;
  Faults& faults_;
  /// Records that were read ahead. Their log may have been replaced by another one.
  struct Fetched {
    int64_t offset = 0;
    std::string bytes;  ///< empty: nothing that a reader sees
  };
  void Fetch();

  int64_t next_offset_ = 0;
  std::deque<Fetched> fetched_;
  bool is_open_ = false;
};

class MemoryTransaction : public Transaction {
 public:
  MemoryTransaction(MemoryBroker& broker, Faults& faults, std::string id = "lane-0")
      : broker_(broker), faults_(faults), id_(std::move(id)) {}
  Result<void> Fence() override;
  Result<void> Begin() override;
  bool must_fence() const override { return copy_late_; }
  Result<void> Publish(const RoutedRecord& record) override;
  Result<void> PublishDelta(std::string_view bytes) override;
  Result<void> PublishGroup(const GroupRecord& group) override;
  void StartCommit(std::span<const InputProgress> inputs) override;
  bool CommitHasEnded() override;
  Result<void> FinishCommit() override;
  Result<void> Abort() override;
  void Abandon(bool abort) override;
  std::vector<Refusal> TakeRefusals() override { return std::exchange(refusals_, {}); }
  Result<std::vector<int64_t>> CommittedOffsets(std::span<const InputPartition> inputs) override;
  size_t record_bytes_max(const InputPartition&) const override { return broker_.record_bytes_max; }

  bool fences = true;  ///< false: Fence joins the current epoch, which the contract forbids
  /// False: pretends that no request of a commit or an abort can arrive once more.
  bool counts_commits = true;
  bool counts_aborts = true;

 private:
  Result<void> Check(std::string_view call, std::initializer_list<Faults::Kind> possible);
  Faults::Kind DrawEnd(std::string_view call, std::initializer_list<Faults::Kind> possible);
  Result<void> CheckCurrent();
  Result<void> CheckLegal(std::string_view call, bool legal);
  Result<void> EndCommit();
  bool TopicIsGone(std::span<const InputProgress> inputs) const;

  MemoryBroker& broker_;
  Faults& faults_;
  std::string id_;
  uint64_t epoch_ = 0;
  bool usable_ = false;
  bool open_ = false;
  bool copy_late_ = false;
  std::vector<Refusal> refusals_;
  std::span<const InputProgress> committing_;  ///< from StartCommit to FinishCommit
  uint64_t waits_ = 0;                         ///< how often CommitHasEnded still returns false
  std::optional<Result<void>> committed_;      ///< has taken effect, and its answer is on the way
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
  std::string endpoint() const override { return own_endpoint; }
  void Watch(const std::string& endpoint) override { watched = endpoint; }
  bool WatchedHasEnded() override { return !watched.empty() && watched == ended; }
  std::string own_endpoint;
  std::string watched;
  std::string ended;  ///< this process seems to have ended
  bool held = false;
  bool candidate = false;
  int joins = 0;
};

}  // namespace neardup
