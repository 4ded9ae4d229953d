// Decides records in batches, on all cores, as `neardup filter` decides the lines of a file.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "detect/base/task_thread.h"
#include "detect/filter/fingerprint_pool.h"
#include "neardup/filter.h"
#include "neardup/fingerprint.h"
#include "neardup/options.h"
#include "neardup/result.h"
#include "stream/state/lane_state.h"

namespace neardup {

// The fingerprints of many records as columns: what can be kept, sent and decided later.

/// One value for each record in each column, 88 bytes a record. With the same FingerprintSpec,
/// these values give the same verdicts as the records that they were computed from.
struct FingerprintColumns {
  std::vector<uint64_t> simhash;
  std::vector<uint64_t> order;
  std::vector<uint64_t> exact;
  std::vector<uint64_t> numbers;
  /// ProbedKeys in their order of preference; 0 fills the places after the last.
  std::vector<std::array<uint32_t, ProbedKeys::kMax>> text_keys;
  std::vector<uint32_t> features;
  /// Event time in milliseconds since 1970-01-01 UTC.
  std::vector<int64_t> time_ms;
  /// The value of a Reason. Anything but 0: the record is a dead letter, and only `time_ms` has a
  /// meaning besides.
  std::vector<uint8_t> reason;
  /// 1: a null value that counts as unique (ReadOutcome::passed).
  std::vector<uint8_t> passed;
  /// Why records are dead letters, by their rows.
  std::vector<std::pair<size_t, std::string>> errors;

  size_t size() const { return simhash.size(); }
  void Reserve(size_t records);
  void Add(const FingerprintedRecord& record);
  /// The record in this row, at this position. Its error text is empty.
  FingerprintedRecord At(size_t row, Position position) const;
};

/// One value for each decided record in each column. Records are known by their numbers, which
/// count from 0 in the order of the decisions.
struct VerdictColumns {
  /// What a column holds where a record has no such value.
  static constexpr int64_t kNoOriginal = -1;
  static constexpr int16_t kNoDistance = -1;
  static constexpr uint8_t kNoKind = 255;

  std::vector<uint8_t> decision;  ///< the value of a Decision
  std::vector<int64_t> original;  ///< the number of the original; duplicates only
  std::vector<int16_t> distance;  ///< in bits; duplicates only
  std::vector<uint8_t> kind;      ///< the value of a MatchKind; duplicates only
  std::vector<uint8_t> reason;    ///< the value of a Reason; not 0: a dead letter
  std::vector<uint8_t> late;      ///< 1: older than the horizon, so the original may be forgotten
  std::vector<std::pair<size_t, std::string>> errors;  ///< why rows are dead letters

  size_t size() const { return decision.size(); }
  void Reserve(size_t records);
  void Add(const Verdict& verdict);
};

struct BatchOptions {
  FilterOptions filter;
  /// 0: one for each core.
  uint32_t threads = 0;
  /// The filter forgets old records after every so many decided ones, as filter.commit_records
  /// says. Another number gives other verdicts once it forgets.
  uint64_t commit_records = 2000;
  /// Compute fingerprints with WithNearFeatures, because they are kept and decided again at other
  /// distances.
  bool near_features = false;
};

/// The records 0 to `count` - 1 of a batch. Their positions are ignored.
struct RecordBatch {
  size_t count = 0;
  RecordAt at;
};

/// The lane that the deltas and segments of a BatchFilter name.
inline constexpr uint16_t kBatchLane = 0;

/// A filter for records that come in batches. The verdicts are the same as for one long batch, and
/// as from `neardup filter`. Only one thread at a time may use it.
class BatchFilter {
 public:
  /// What is remembered of the records decided since the previous call, as deltas in order.
  using DeltaSink = std::function<void(const Delta&)>;

  /// kConfig: the options are refused.
  static Result<std::unique_ptr<BatchFilter>> New(const BatchOptions& options);

  /// From now on, each commit gives its deltas to `sink`, before it forgets anything.
  void SetSink(DeltaSink sink) { sink_ = std::move(sink); }
  /// Event times later than this and WindowOptions::ahead_max_ms are set back. Without a call, no
  /// time is.
  void SetClock(int64_t now_ms);

  /// Decides the records in their order, and appends their verdicts to `verdicts`. With `kept`,
  /// also appends their fingerprints to it.
  void Decide(const RecordBatch& batch, VerdictColumns& verdicts,
              FingerprintColumns* kept = nullptr);
  /// Decides the records of the rows [begin, end). They must have been computed with options of the
  /// same FingerprintSpec, or with WithNearFeatures of such options.
  void Decide(const FingerprintColumns& fingerprints, size_t begin, size_t end,
              VerdictColumns& verdicts);
  /// What each record would be if it came next. Remembers nothing.
  void Check(const RecordBatch& batch, VerdictColumns& verdicts);
  /// Makes all decisions permanent, and forgets what is too old or too much. Decide does so by
  /// itself after every BatchOptions::commit_records decisions.
  void Commit();

  /// Takes the next delta of a filter with options of the same FingerprintSpec. Call it before any
  /// decision. An error of LaneState::Apply.
  Result<void> Restore(Delta delta);

  const FilterOptions& options() const { return options_.filter; }
  const Filter& filter() const { return state_->filter(); }
  /// How many records are decided: the number of the next one.
  int64_t decided() const;

 private:
  BatchFilter(const BatchOptions& options, std::unique_ptr<LaneState> state);

  /// Records up to the next commit, or to `records_left`.
  size_t NextChunk(size_t records_left) const;
  void DecideChunk(std::span<const FingerprintedRecord> records, VerdictColumns& verdicts);
  Position PositionOf(size_t ahead) const;

  BatchOptions options_;
  std::unique_ptr<LaneState> state_;
  FingerprintPool pool_;
  TaskThread<bool> ahead_;  ///< fingerprints a chunk while the previous chunk is decided
  std::vector<FingerprintedRecord> chunk_;
  std::vector<FingerprintedRecord> next_chunk_;
  uint64_t uncommitted_ = 0;
  DeltaSink sink_;
};

/// Computes the fingerprints of a batch and appends them to `columns`.
void ComputeFingerprints(FingerprintPool& pool, const RecordBatch& batch,
                         FingerprintColumns& columns);

// A filter whose memory is kept in pieces: one segment for each part of a long input.

/// A BatchFilter that gives out what it remembers, part by part, and takes it back after a crash.
/// Only one thread at a time may use it.
///
/// Commits stay at the multiples of BatchOptions::commit_records, so a segment holds what was
/// committed while its part was decided. The last records of a part may be in the next segment:
/// decide the records from decided() on again after a Restore.
class SegmentedFilter {
 public:
  /// As BatchFilter::New.
  static Result<std::unique_ptr<SegmentedFilter>> New(const BatchOptions& options);

  /// The deltas of all commits since the last call, in the format of a snapshot segment
  /// (docs/snapshot.md) of lane 0.
  std::string TakeSegment();
  /// How many entries the segment of the next TakeSegment holds so far.
  uint64_t segment_entries() const { return entries_; }

  /// Takes the next segment. Call it before any decision. The first segment may be a later one than
  /// the first of all: those before it may be left out if all their entries are forgotten. kCorrupt
  /// says what is wrong with the bytes; otherwise an error of BatchFilter::Restore.
  Result<void> Restore(std::string_view segment);

  BatchFilter& filter() { return *filter_; }

 private:
  explicit SegmentedFilter(std::unique_ptr<BatchFilter> filter);

  std::unique_ptr<BatchFilter> filter_;
  std::string segment_;
  uint64_t entries_ = 0;
};

}  // namespace neardup
