// What the changelog of a lane says, and one transaction on a lane that no instance runs. For the
// commands that look at a lane, or change it, from outside (verify, reset, reindex).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "kafka/kafka_options.h"
#include "neardup/result.h"
#include "service/config/settings.h"
#include "stream/lane/ports.h"
#include "stream/state/delta.h"

namespace neardup {

/// A group as the newest delta that changed it says. `inputs` are the partitions of the positions
/// of the group's original, its last copy and its newest record.
struct LoggedGroup {
  Group group;
  std::array<InputPartition, 3> inputs;
};

/// What a changelog holds.
struct ChangelogSummary {
  Delta last;  ///< the newest delta, without its entries
  /// By the partition and the offset of the original. Some originals may be forgotten.
  std::map<std::pair<InputPartition, int64_t>, LoggedGroup> groups;
  uint64_t deltas = 0;
  uint64_t entries = 0;  ///< live ones, if the newest delta says so; otherwise all
};

/// Reads the changelog of the lane to its end; nullopt if it does not exist or is empty. Its deltas
/// may have any settings.
Result<std::optional<ChangelogSummary>> ReadChangelog(const Settings& settings,
                                                      const KafkaLog& log);

/// The newest delta of the changelog, without its entries; nullopt if the changelog does not exist
/// or is empty. Reads only the end of the changelog. The lane may be running.
Result<std::optional<Delta>> ReadNewestDelta(const Settings& settings, const KafkaLog& log);

/// Hands the deltas of the changelog to `visit`, the oldest first, until it returns false or the
/// changelog ends. The lane may be running.
Result<void> ReadOldestDeltas(const Settings& settings, const KafkaLog& log,
                              const std::function<bool(const Delta&)>& visit);

/// kUnavailable while an instance of the app holds or wants the lease.
Result<void> CheckNoInstance(const Settings& settings, const KafkaLog& log);

/// Made by Take or TakeOwn: afterwards nobody else can write to the changelog until an instance
/// starts or is promoted.
class StoppedLane {
 public:
  /// CheckNoInstance, and then takes the lane's transactional id.
  static Result<std::unique_ptr<StoppedLane>> Take(const Settings& settings, const KafkaLog& log);

  /// For the instance that holds the lease. Its lane loses what it has not committed, and commits
  /// nothing more until it is promoted again.
  static Result<std::unique_ptr<StoppedLane>> TakeOwn(const Settings& settings,
                                                      const KafkaLog& log);

  /// `transaction` is fenced. Up to `bytes_max` of deltas are one transaction.
  StoppedLane(std::unique_ptr<Transaction> transaction, size_t bytes_max)
      : transaction_(std::move(transaction)), bytes_max_(bytes_max) {}

  /// Writes the deltas, and commits the offsets of their last one for the group. Up to
  /// transaction.bytes_max of them are one transaction: after an error nothing has changed, except
  /// after kUnknownOutcome, when the changelog shows what happened. More deltas take several
  /// transactions, each at most as long as one of the service. If only some of these transactions
  /// are committed, the changelog counts more live entries than it holds, so that no lane starts
  /// with it before the deltas are written again.
  Result<void> Commit(std::vector<Delta> deltas);

  /// Writes one delta of many. Each transaction.bytes_max of them are committed.
  Result<void> Add(const Delta& delta);
  /// Commits what was added, with these offsets for the group (none: they stay).
  Result<void> Finish(std::span<const InputProgress> inputs);
  /// Waits until every reader sees what was committed. A broker confirms a commit before readers
  /// see it in the logs. The next owner of the transactional id can begin only when they see it.
  Result<void> AwaitVisible() { return transaction_->Fence(); }

 private:
  std::unique_ptr<Transaction> transaction_;
  size_t bytes_max_;
  size_t open_bytes_ = 0;  ///< in the open transaction; 0: none is open
};

/// The lanes hold all entries of their beginnings. Writes the deltas that end open beginnings, and
/// waits until every reader sees them. Then the lanes may start. `newest`: the newest delta of a
/// lane.
Result<void> EndBeginnings(std::span<const std::unique_ptr<StoppedLane>> lanes,
                           const std::function<const Delta&(size_t lane)>& newest);

}  // namespace neardup
