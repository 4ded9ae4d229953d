// The input partitions that a lane reads: which, from where, and how far behind they are.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "neardup/result.h"
#include "stream/lane/batch_reader.h"
#include "stream/lane/changelog_follower.h"
#include "stream/lane/lane_options.h"
#include "stream/lane/ports.h"
#include "stream/lane/probe.h"
#include "stream/state/lane_state.h"

namespace neardup {

/// Input numbers come from the LaneState that is passed in. One owner thread; the options and
/// the ports must outlive it. Find, Assign, Rewind, Stop, Refresh and GroupOffsets call the source:
/// nothing may be polled meanwhile.
class LaneInputs {
 public:
  LaneInputs(const LaneOptions& options, Source& source, const Clock& clock, Probe& probe)
      : options_(options), source_(source), clock_(clock), probe_(probe) {}

  /// Finds all partitions and adds new ones to `state`. Call Assign to read them.
  Result<void> Find(LaneState& state);
  /// Reads all partitions that were found from where `state` ends.
  Result<void> Assign(LaneState& state);
  /// Call after a rollback of `state`: reads again from where it ends. The next Refresh looks for
  /// partitions, because an input that vanished may have failed the transaction.
  Result<void> Rewind(LaneState& state);
  /// Reads nothing until the next Assign.
  Result<void> Stop();
  /// Looks for new and vanished partitions, at most once each LaneOptions::partitions_refresh_ms,
  /// and finds a place to go on in inputs whose next offset is gone. A loss that the options do not
  /// allow is a fatal kNotFound. No transaction may be open.
  Result<void> Refresh(LaneState& state);
  /// True if Refresh would look now, or mend something. It waits until all that was polled is
  /// decided, and nothing may be polled meanwhile.
  bool NeedsRefresh() const;
  /// Where the consumer group is in each partition that was found. Tells the probe where it is
  /// behind `state`.
  Result<std::vector<GroupPosition>> GroupOffsets(const LaneState& state, Transaction& transaction);

  /// Call when a batch is taken from the reader of the source, before it is decided. Reports it,
  /// and remembers where the inputs stand after it.
  void Took(const LaneState& state, const Batch& batch);
  /// Remembers how old the newest decided record of an input is.
  void Decided(const Message& message);
  /// Call when the batch that was taken is decided. Inputs that are read to their end move to that
  /// end, past offsets that hold no record. Inputs that have been at their end for
  /// LaneOptions::idle_ms no longer hold the watermark back.
  void UpdateEnds(LaneState& state);
  void ReportLag(const LaneState& state);

  /// How many records are not polled yet, in all inputs; as InputStatus::lag_records.
  int64_t lag_records() const;
  /// The inputs whose offsets the next commit adds, and how far they are decided: those that moved
  /// since they were added last, and all of them once in a while, so that the brokers do not forget
  /// an idle one. Omits inputs that do not exist, because brokers answer for those only when the
  /// transaction has timed out. Valid until the next call.
  std::span<const InputProgress> Progress(const LaneState& state);
  /// True while a loss was accepted that no commit has made durable.
  bool lost_any() const { return !losses_.empty(); }
  /// Call after a commit: reports what it made durable.
  void Committed();

  /// No record will come any more.
  bool exhausted() const { return exhausted_; }

 private:
  struct MissingTopic {
    int64_t since_ms = 0;
    bool confirmed = false;
  };
  /// How the reading of one input goes. Times come from the steady clock.
  struct ReadInput {
    std::optional<int64_t> at_end_since_ms;
    /// The next offset is beyond the end of the log.
    std::optional<int64_t> beyond_end_since_ms;
    /// The start that this lane chose, until something is read.
    std::optional<int64_t> unread_start;
    /// Of the newest decided record.
    std::optional<int64_t> last_timestamp_ms;
    /// The offset that a transaction added last.
    std::optional<int64_t> added_offset;
  };

  /// A record that was read from an input.
  struct Witness {
    int64_t offset = 0;
    uint64_t checksum = 0;
  };

  Result<void> FindPartitions(LaneState& state, bool first_start);
  /// A topic of several lanes has a new partition.
  Result<void> Grew(const InputPartition& partition);
  /// Takes up which topics are missing, and which are back (back_).
  Result<void> NoteMissing(const LaneState& state, const FoundInputs& found);
  Result<void> NoteMissing(const std::string& topic, bool known);
  /// Goes on in inputs whose next offset is gone.
  Result<void> Repair(LaneState& state);
  /// True if the input must be assigned again.
  Result<bool> FindPlace(LaneState& state, uint32_t input);
  Result<void> Accept(LaneState& state, uint32_t input, InputLoss::Kind kind,
                      const OffsetBounds& bounds);
  /// Whether a partition of a topic that was missing is the log that was read before. A broker may
  /// only not have known the topic for a while. True if nothing tells.
  Result<bool> IsSameLog(const InputProgress& input, const OffsetBounds& bounds);
  /// With UniqueKey::kGroup, the copies of a record go to the unique topic of its input. If the
  /// lane no longer writes to that topic, the copies begin new groups on their own topics.
  bool IsRetired(const InputPartition& input) const;
  void SetUnreachable(const InputPartition& partition, bool unreachable, std::string_view why = {});
  bool IsMissing(uint32_t input) const;
  void LookSoon();

  const LaneOptions& options_;
  Source& source_;
  const Clock& clock_;
  Probe& probe_;

  std::vector<uint32_t> assigned_;   ///< the inputs that are read
  std::vector<InputStatus> status_;  ///< after the batch that was taken last; empty before one
  bool exhausted_ = false;
  std::map<std::string, MissingTopic> missing_;
  /// Topics that were missing for certain and exist again, until all their partitions are compared
  /// with the logs of before.
  std::set<std::string> back_;
  std::vector<InputLoss> losses_;                ///< accepted, and not durable yet
  std::vector<ReadInput> read_;                  ///< by input
  std::map<InputPartition, Witness> witnesses_;  ///< the last one of each input
  std::set<InputPartition> unreachable_;
  int64_t looked_at_ms_ = 0;
  int64_t refresh_at_ms_ = 0;
  int64_t repair_at_ms_ = 0;

  std::vector<InputProgress> progress_;  ///< what the coming commit adds
  int64_t add_all_at_ms_ = 0;
  /// What a batch holds of an input.
  struct Polled {
    uint64_t records = 0;
    uint64_t bytes = 0;
    const Message* last = nullptr;
  };
  std::vector<Polled> polled_;  ///< scratch, by input
};

}  // namespace neardup
