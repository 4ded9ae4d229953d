// A lane's state: the filter, the progress of its inputs, seq and epoch. Deltas build it up.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "neardup/filter.h"
#include "neardup/result.h"
#include "stream/state/delta.h"
#include "stream/state/groups.h"
#include "stream/state/pipeline.h"

namespace neardup {

/// What differs between two FingerprintSpecs, setting by setting: `feature.features_min: configured
/// 12, changelog 8; ...`. The texts as they are if they are no such specs or say the same.
std::string SpecDifference(std::string_view here, std::string_view changelog);

/// How far a reader has read a changelog.
struct LogPlace {
  uint64_t log_id = 0;  ///< Delta::log_id; 0: deltas of version 4 or older
  uint64_t epoch = 0;
  uint64_t seq = 0;
};
/// True if the log that ends at `end` has lost its end since a reader knew it up to `known`: it is
/// the same log, and nobody was promoted on it since. A promotion on a truncated log means that
/// somebody decided to go on without the lost end.
bool HasLostItsEnd(const LogPlace& end, const LogPlace& known);

/// The result of applying a lane's deltas in order, and the source of the next ones. It numbers the
/// lane's input partitions: Position::input is an index into inputs(), which only grows.
/// One owner thread.
class LaneState {
 public:
  static Result<std::unique_ptr<LaneState>> New(const FilterOptions& options, uint16_t lane);

  /// `learned` is the text of the learned settings (Delta::learned) that the options come from.
  /// The next delta carries it, and later the first delta of every kCommitsPerLearned-th commit.
  /// Apply then refuses a delta that carries another text.
  void SetLearned(std::string learned);
  static constexpr uint32_t kCommitsPerLearned = 256;

  /// The topics of this instance, which every delta from now on names.
  void SetTopics(PipelineTopics topics) { topics_ = std::move(topics); }
  /// Where other instances see whether this process runs (Lease::endpoint), which every delta from
  /// now on says.
  void SetEndpoint(std::string endpoint) { endpoint_ = std::move(endpoint); }
  /// The endpoint of the process that wrote the newest delta that was applied or committed.
  const std::string& active_endpoint() const { return active_endpoint_; }
  /// How the lane began, as the newest delta that was applied says.
  const Beginning& beginning() const { return beginning_; }
  /// TopicsOfLane for the newest delta that was applied or committed.
  PipelineTopics lane_topics() const { return TopicsOfLane(lane_topics_, inputs_); }

  /// Adds the next delta of the changelog. The first one may start at any seq, because the
  /// beginning of the changelog may have been purged. A fresh one replaces the state. Nothing may
  /// be uncommitted. Afterwards the horizon is as the commit of the delta left it. kCorrupt: a hole
  /// in seq, a delta that does not follow (FollowsDelta), or one that contradicts itself.
  /// kMismatch: another lane, another FingerprintSpec or other learned settings; the text names
  /// what differs and what to do. kExhausted: more inputs or larger offsets than a Position takes.
  /// The state is unchanged after an error.
  Result<void> Apply(Delta delta);

  /// Back to the state of New. Frees the old index before it makes the new one.
  Result<void> Clear();

  /// The number of an input partition. A new one is added, with `next_offset` as its start.
  /// kExhausted: it would be one too many, or starts above kOffsetMax.
  Result<uint32_t> AddInput(const InputPartition& partition, int64_t next_offset);
  /// Begins to read an input elsewhere. The state must be empty.
  void BeginInput(uint32_t input, int64_t next_offset) {
    assert(empty());
    inputs_[input].next_offset = committed_offsets_[input] = next_offset;
  }
  /// Moves an input over offsets that hold no undecided record. The next delta carries the move.
  void MoveInput(uint32_t input, int64_t next_offset) { inputs_[input].next_offset = next_offset; }
  /// Where the last Commit left an input. If the input was added since: where it began.
  int64_t committed_offset(uint32_t input) const { return committed_offsets_[input]; }
  /// committed_offset by input.
  std::span<const int64_t> committed_offsets() const { return committed_offsets_; }
  /// True if an input is not where the last Commit left it.
  bool moved() const;
  /// Moves an input over records that were decided before and are not remembered, and counts them.
  /// The next delta carries the move.
  void SkipTo(uint32_t input, int64_t next_offset, uint64_t records) {
    MoveInput(input, next_offset);
    seq_ += records;
  }
  /// kExhausted: the index cannot remember a record of this offset.
  Result<void> CheckPosition(const Position& position) const;
  std::optional<uint32_t> FindInput(const InputPartition& partition) const;
  const std::vector<InputProgress>& inputs() const { return inputs_; }

  Filter& filter() { return *filter_; }
  const Filter& filter() const { return *filter_; }

  /// Counts a decided record: moves its input forward and returns its seq, which is the next one.
  /// Call it for each record, right after filter().Decide() where there is a call of Decide.
  uint64_t Advance(const Position& position);
  /// Counts a duplicate that goes to no topic. Call it before Advance.
  void CountDropped() { ++dropped_; }
  /// Adds a duplicate to the group of its match. Call it before Advance.
  JoinedGroup Join(const Verdict& verdict, const Position& copy, Keep keep);
  /// The groups that the next deltas hold: those that changed since the last Commit. No commit may
  /// have begun.
  std::vector<NumberedGroup> ChangedGroups() const { return groups_.Changed(0, groups_.joins()); }
  /// The groups that were ever joined or restored, and whose originals are remembered.
  const Groups& groups() const { return groups_; }
  /// How many duplicates of the lane went to no topic.
  uint64_t dropped() const { return dropped_; }
  /// seq of the newest decided record, 0 before the first.
  uint64_t seq() const { return seq_; }
  uint64_t seq_committed() const { return seq_committed_; }
  /// Delta::epoch of the newest delta that was applied or committed.
  uint64_t epoch() const { return epoch_; }
  /// seq of the first record that was decided under these settings.
  uint64_t settings_seq() const { return settings_seq_; }
  /// seq_first of the oldest delta that was applied or committed; 0 before the first.
  uint64_t seq_first() const { return seq_first_; }
  /// Live entries, by the count in the newest delta, that none of the applied deltas held. nullopt
  /// if that delta does not count them.
  std::optional<uint64_t> entries_missing() const;
  /// Nothing was applied or committed yet.
  bool empty() const { return !any_; }
  /// `writer` is not 0, and no other promotion has drawn it (DrawId). The next deltas carry it.
  void StartEpoch(uint64_t writer) {
    next_epoch_ = epoch_ + 1;
    next_writer_ = writer;
  }
  /// Delta::writer of the newest delta that was applied or committed.
  uint64_t writer() const { return writer_; }
  /// Position of the newest delta that was applied or committed.
  LogPlace place() const { return {log_id_, epoch_, seq_committed_}; }

  /// Deltas for everything since the last Commit. At least one, because it carries the offsets. No
  /// commit may have begun. Each has at most about kDeltaBytesTarget bytes and one more entry.
  /// Offsets, event times and watermark are those at the delta's seq_last; the horizon is the one
  /// before the coming Commit, from which Apply derives the next.
  std::vector<Delta> Uncommitted() const;
  /// Call it when the deltas are being written. What is decided between it and Commit belongs to
  /// the next deltas. Without this call, a Commit covers everything before it.
  void BeginCommit();
  void Commit();
  /// Back to the last Commit: entries, seq, progress. Also undoes what a BeginCommit covers.
  void Rollback();

 private:
  /// The end of an uncommitted delta, and the state at that point.
  struct Seal {
    uint64_t seq_last = 0;
    size_t entries = 0;  ///< how many of filter().uncommitted() are before the end
    int64_t watermark_ms = INT64_MIN;
    std::vector<InputProgress> inputs;
    uint64_t dropped = 0;
    size_t joins = 0;  ///< how many of the uncommitted joins are before the end
  };

  LaneState(const FilterOptions& options, uint16_t lane, std::unique_ptr<Filter> filter);

  Result<void> CheckBelongs(const Delta& delta) const;
  Result<void> CheckFollows(const Delta& delta) const;
  Result<void> CheckFits(const Delta& delta) const;
  /// Groups are forgotten with their originals from the first of them on.
  void StartGroups();
  void RestoreGroups(const Delta& delta, const std::vector<uint32_t>& numbers);
  void SealWhenFull();
  Seal SealHere() const;
  void ForgetSeals();
  Delta MakeDelta(const Seal& before, const Seal& end) const;
  uint64_t LiveUpTo(size_t entries) const;

  FilterOptions options_;
  uint16_t lane_;
  std::string spec_;
  std::string learned_;
  PipelineTopics topics_;
  PipelineTopics lane_topics_;  ///< as the newest delta names them
  std::string endpoint_;
  std::string active_endpoint_;
  uint32_t commits_to_learned_ = 0;  ///< until a delta carries learned_ again
  std::unique_ptr<Filter> filter_;
  Groups groups_;
  bool has_groups_ = false;
  std::vector<InputProgress> inputs_;
  std::map<InputPartition, uint32_t> numbers_;
  std::vector<int64_t> committed_offsets_;
  std::vector<Seal> seals_;
  std::optional<Seal> committing_;  ///< the end of what the coming Commit covers, if it has begun
  size_t counted_entries_ = 0;      ///< how many of filter().uncommitted() Advance has counted
  size_t counted_joins_ = 0;        ///< how many of the uncommitted joins Advance has counted
  size_t unsealed_bytes_ = 0;       ///< upper bound for entries and joins after the last seal
  uint64_t seq_ = 0;
  uint64_t seq_committed_ = 0;
  uint64_t dropped_ = 0;
  uint64_t dropped_committed_ = 0;
  uint64_t epoch_ = 0;
  uint64_t next_epoch_ = 0;  ///< of the coming deltas
  uint64_t log_id_ = 0;
  uint64_t writer_ = 0;
  uint64_t next_writer_ = 0;  ///< of the coming deltas; 0: writer_ stays
  uint64_t settings_seq_ = 1;
  Beginning beginning_;
  uint64_t seq_first_ = 0;
  uint64_t entries_held_ = 0;                ///< in all applied and committed deltas
  uint64_t entries_live_ = kEntriesUnknown;  ///< by the count in the newest delta
  bool any_ = false;
};

}  // namespace neardup
