#include "stream/lane/mistakes.h"

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "stream/state/delta.h"

namespace neardup {
namespace {

/// Hides from the lane how far the changelog grew while it fenced. It goes on hiding it, because
/// the lane asks once more after its opening delta, and would find out.
class StaleChangelog : public MemoryChangelog {
 public:
  using MemoryChangelog::MemoryChangelog;
  Result<int64_t> End() override {
    NEARDUP_ASSIGN(const int64_t end, MemoryChangelog::End());
    return end - hidden;
  }
  int64_t hidden = 0;
};

class TransactionThatFencesLate : public MemoryTransaction {
 public:
  TransactionThatFencesLate(MemoryBroker& broker, Faults& faults, StaleChangelog& changelog)
      : MemoryTransaction(broker, faults), broker_(broker), changelog_(changelog) {}
  Result<void> Fence() override {
    changelog_.hidden = 0;
    NEARDUP_ASSIGN(const int64_t end, changelog_.End());
    NEARDUP_TRY(MemoryTransaction::Fence());
    changelog_.hidden = broker_.ChangelogEnd() - end;
    return {};
  }

 private:
  MemoryBroker& broker_;
  StaleChangelog& changelog_;
};

class TransactionWithoutState : public MemoryTransaction {
 public:
  TransactionWithoutState(MemoryBroker& broker, Faults& faults)
      : MemoryTransaction(broker, faults), broker_(broker) {}
  Result<void> PublishDelta(std::string_view bytes) override {
    broker_.WriteDelta("state", bytes);
    broker_.EndTransaction("state", /*commit=*/true);
    return {};
  }

 private:
  MemoryBroker& broker_;
};

class TransactionThatRoutesByVerdict : public MemoryTransaction {
 public:
  using MemoryTransaction::MemoryTransaction;
  Result<void> Publish(const RoutedRecord& record) override {
    RoutedRecord routed = record;
    routed.route = RouteOf(record.verdict.decision);
    return MemoryTransaction::Publish(routed);
  }
};

class TransactionThatNamesThePromotion : public MemoryTransaction {
 public:
  using MemoryTransaction::MemoryTransaction;
  Result<void> PublishDelta(std::string_view bytes) override {
    NEARDUP_ASSIGN(Delta delta, DecodeDelta(bytes));
    if (!delta.endpoint.empty()) delta.endpoint += " " + std::to_string(delta.epoch);
    return MemoryTransaction::PublishDelta(Encode(delta));
  }
};

class SourceAtTheGroup : public MemorySource {
 public:
  SourceAtTheGroup(MemoryBroker& broker, Faults& faults)
      : MemorySource(broker, faults), broker_(broker) {}
  Result<void> Assign(std::span<const InputAssignment> inputs) override {
    std::vector<InputAssignment> moved(inputs.begin(), inputs.end());
    for (InputAssignment& input : moved) {
      const auto found = broker_.group_offsets.find(input.partition);
      if (found != broker_.group_offsets.end()) input.next_offset = found->second;
    }
    return MemorySource::Assign(moved);
  }

 private:
  MemoryBroker& broker_;
};

class GreedyChangelog : public MemoryChangelog {
 public:
  using MemoryChangelog::MemoryChangelog;
  Result<bool> Purge(int64_t offset, const ChangelogMark& held) override {
    return MemoryChangelog::Purge(offset + 5, held);
  }
};

class TrustedChangelog : public MemoryChangelog {
 public:
  using MemoryChangelog::MemoryChangelog;
  Result<bool> Holds(const ChangelogMark& mark) override {
    NEARDUP_TRY(MemoryChangelog::Holds(mark));
    return true;
  }
};

class ChangelogWithoutGroups : public TrustedChangelog {
 public:
  using TrustedChangelog::TrustedChangelog;
  Result<void> Poll(int timeout_ms,
                    const std::function<Result<void>(const ChangelogRecord&)>& visit) override {
    return TrustedChangelog::Poll(timeout_ms, [&](const ChangelogRecord& record) -> Result<void> {
      Result<Delta> delta = DecodeDelta(record.bytes);
      if (!delta.ok()) return visit(record);
      delta->groups.clear();
      const std::string bytes = Encode(*delta);
      return visit({record.offset, bytes});
    });
  }
};

/// After a rewind, continues after what was polled while the last commit waited.
class SourceThatKeepsReadAhead : public MemorySource {
 public:
  using MemorySource::MemorySource;
  Result<void> Assign(std::span<const InputAssignment> inputs) override {
    std::vector<InputAssignment> moved(inputs.begin(), inputs.end());
    for (InputAssignment& input : moved) {
      input.next_offset = std::max(input.next_offset, read_to[input.input]);
    }
    read_to.clear();
    return MemorySource::Assign(moved);
  }
  std::map<uint32_t, int64_t> read_to;
};

class TransactionThatKeepsReadAhead : public MemoryTransaction {
 public:
  TransactionThatKeepsReadAhead(MemoryBroker& broker, Faults& faults,
                                SourceThatKeepsReadAhead& source)
      : MemoryTransaction(broker, faults), source_(source) {}
  bool CommitHasEnded() override {
    Remember();
    return MemoryTransaction::CommitHasEnded();
  }
  Result<void> FinishCommit() override {
    Remember();
    return MemoryTransaction::FinishCommit();
  }

 private:
  void Remember() {
    for (const InputStatus& row : source_.Status()) source_.read_to[row.input] = row.next_offset;
  }

  SourceThatKeepsReadAhead& source_;
};

}  // namespace

bool IsHarmless(Mistake mistake) {
  return std::any_of(kMistakes.begin(), kMistakes.end(), [&](const MistakeName& each) {
    return each.mistake == mistake && each.harmless;
  });
}

std::optional<Mistake> FindMistake(std::string_view name) {
  for (const MistakeName& each : kMistakes) {
    if (each.name == name) return each.mistake;
  }
  return {};
}

InstancePorts::InstancePorts(MemoryBroker& broker, Faults& lane_calls, Faults& keeper_calls,
                             Mistake mistake)
    : source(std::make_unique<MemorySource>(broker, lane_calls)),
      changelog(std::make_unique<MemoryChangelog>(broker, lane_calls)),
      transaction(std::make_unique<MemoryTransaction>(broker, lane_calls)),
      keeper_changelog(std::make_unique<MemoryChangelog>(broker, keeper_calls)) {
  Plant(mistake, broker, lane_calls, keeper_calls);
  changelog->read_ahead = keeper_changelog->read_ahead = 8;
}

void InstancePorts::Plant(Mistake mistake, MemoryBroker& broker, Faults& lane_calls,
                          Faults& keeper_calls) {
  switch (mistake) {
    case Mistake::kNone:
    case Mistake::kResetWithoutFence:
      return;
    case Mistake::kEndBeforeFence: {
      auto stale = std::make_unique<StaleChangelog>(broker, lane_calls);
      transaction = std::make_unique<TransactionThatFencesLate>(broker, lane_calls, *stale);
      changelog = std::move(stale);
      return;
    }
    case Mistake::kNoFence:
      transaction->fences = false;
      return;
    case Mistake::kStateBeforeTransaction:
      transaction = std::make_unique<TransactionWithoutState>(broker, lane_calls);
      return;
    case Mistake::kRoutesByVerdict:
      transaction = std::make_unique<TransactionThatRoutesByVerdict>(broker, lane_calls);
      return;
    case Mistake::kNamesThePromotion:
      transaction = std::make_unique<TransactionThatNamesThePromotion>(broker, lane_calls);
      return;
    case Mistake::kGroupOffsetsAsTruth:
      source = std::make_unique<SourceAtTheGroup>(broker, lane_calls);
      return;
    case Mistake::kSnapshotBeforeCommit:
      keeper_changelog->reads_uncommitted = true;
      return;
    case Mistake::kReadAheadIsDecided: {
      auto keeping = std::make_unique<SourceThatKeepsReadAhead>(broker, lane_calls);
      transaction = std::make_unique<TransactionThatKeepsReadAhead>(broker, lane_calls, *keeping);
      source = std::move(keeping);
      return;
    }
    case Mistake::kTakesAnotherLog:
      changelog = std::make_unique<TrustedChangelog>(broker, lane_calls);
      return;
    case Mistake::kForgetsGroups:
      changelog = std::make_unique<ChangelogWithoutGroups>(broker, lane_calls);
      return;
    case Mistake::kLateCommitIgnored:
      transaction->counts_commits = false;
      return;
    case Mistake::kLateAbortIgnored:
      transaction->counts_aborts = false;
      return;
    case Mistake::kPurgeBeyondLive:
      keeper_changelog = std::make_unique<GreedyChangelog>(broker, keeper_calls);
      return;
  }
}

}  // namespace neardup
