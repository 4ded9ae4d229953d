// Mistakes that a simulation must find, planted in the ports of a lane or in its reset: negative
// controls. Those that are harmless must not be found.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "stream/lane/memory_ports.h"

namespace neardup {

enum class Mistake : uint8_t {
  kNone,
  kEndBeforeFence,          ///< the end of the changelog is read before the fence
  kNoFence,                 ///< the fence locks nobody out
  kStateBeforeTransaction,  ///< deltas are committed before their transaction
  kGroupOffsetsAsTruth,     ///< inputs are read from the offsets of the group
  kSnapshotBeforeCommit,    ///< a snapshot holds deltas that are not committed
  kPurgeBeyondLive,         ///< a purge deletes the oldest live entry
  kReadAheadIsDecided,      ///< what is polled during a commit counts as decided with it
  kTakesAnotherLog,         ///< a changelog that was created again counts as the one that was read
  kLateCommitIgnored,       ///< no fence after a commit whose request may arrive once more
  kLateAbortIgnored,        ///< no fence after an abort whose request may arrive once more
  kResetWithoutFence,       ///< a reset leaves the lane to an instance that is paused
  kForgetsGroups,           ///< a restored lane does not know the groups of its originals
  kRoutesByVerdict,         ///< a record goes to the topic of its verdict under each routing mode
  kNamesThePromotion,       ///< a process has another endpoint after each promotion
};

struct MistakeName {
  Mistake mistake;
  std::string_view name;
  /// The lane detects it, goes on or stops, and loses nothing: no schedule may break a promise.
  bool harmless = false;
};
inline constexpr std::array<MistakeName, 14> kMistakes = {{
    {Mistake::kEndBeforeFence, "end-before-fence"},
    {Mistake::kNoFence, "no-fence"},
    {Mistake::kStateBeforeTransaction, "state-before-transaction"},
    {Mistake::kGroupOffsetsAsTruth, "group-offsets-as-truth"},
    // A lane drops a snapshot whose newest delta the changelog does not hold.
    {Mistake::kSnapshotBeforeCommit, "snapshot-before-commit", true},
    {Mistake::kPurgeBeyondLive, "purge-beyond-live"},
    {Mistake::kReadAheadIsDecided, "read-ahead-is-decided"},
    {Mistake::kTakesAnotherLog, "takes-another-log"},
    {Mistake::kLateCommitIgnored, "late-commit-ignored"},
    {Mistake::kLateAbortIgnored, "late-abort-ignored"},
    {Mistake::kResetWithoutFence, "reset-without-fence"},
    {Mistake::kForgetsGroups, "forgets-groups"},
    {Mistake::kRoutesByVerdict, "routes-by-verdict"},
    {Mistake::kNamesThePromotion, "names-the-promotion"},
}};
std::optional<Mistake> FindMistake(std::string_view name);
bool IsHarmless(Mistake mistake);

/// The ports of an instance, with one mistake.
struct InstancePorts {
  InstancePorts(MemoryBroker& broker, Faults& lane_calls, Faults& keeper_calls, Mistake mistake);

  std::unique_ptr<MemorySource> source;
  std::unique_ptr<MemoryChangelog> changelog;
  std::unique_ptr<MemoryTransaction> transaction;
  std::unique_ptr<MemoryChangelog> keeper_changelog;

 private:
  void Plant(Mistake mistake, MemoryBroker& broker, Faults& lane_calls, Faults& keeper_calls);
};

}  // namespace neardup
