// Reads from the changelog what a lane learned, and puts it into the settings of this process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kafka/kafka_options.h"
#include "learn/drift.h"
#include "learn/learned_options.h"
#include "learn/stream_profile.h"
#include "neardup/options.h"
#include "neardup/result.h"
#include "service/config/config.h"
#include "service/config/settings.h"
#include "stream/lane/ports.h"
#include "stream/lane/probe.h"
#include "stream/state/delta.h"

namespace neardup {

// When a lane that found too few records to learn from tries again.

/// Counts in records that the lane has decided. The changelog holds that number, so that a restart
/// and a take-over go on from it.
class LaterLearning {
 public:
  LaterLearning() = default;  ///< never
  explicit LaterLearning(uint64_t records_min) : next_seq_(records_min) {}

  /// `seq`: of the newest committed record.
  bool IsDue(uint64_t seq) const { return !HasPassed(seq) && seq >= next_seq_; }
  /// The next time is when twice as many records are decided, because an attempt may interrupt the
  /// lane.
  void Failed(uint64_t seq) { next_seq_ = 2 * seq; }
  /// The lane does not try any more. To learn again means to read and hold all unique records of
  /// the window. Up to kSeqMax of them are little beside the memory that a service takes anyway.
  static bool HasPassed(uint64_t seq) { return seq > kSeqMax; }
  uint64_t next_seq() const { return next_seq_; }

  static constexpr uint64_t kSeqMax = 200'000;

 private:
  uint64_t next_seq_ = UINT64_MAX;
};

/// What a changelog says about learned settings.
struct LearnedState {
  bool begun = false;  ///< the changelog holds deltas
  /// Delta::learned of the settings in force; empty: the lane learned nothing.
  std::string learned;
};

/// Finds the learned settings in force in the deltas of a changelog. Deltas of the settings before
/// the last `neardup reindex` do not count.
class LearnedSearch {
 public:
  /// `settings_seq` comes from the newest delta.
  explicit LearnedSearch(uint64_t settings_seq) : settings_seq_(settings_seq) {}
  /// Takes the deltas in order, the oldest first. Returns whether it must see more.
  bool Add(const Delta& delta);
  const LearnedState& state() const { return state_; }

 private:
  uint64_t settings_seq_;
  LearnedState state_;
};

Result<LearnedState> ReadLearned(const Settings& settings, const KafkaLog& log);

/// Puts learned settings in force. kConfig: `learned` cannot be read. Returns the reasons.
Result<LearnedOptions> TakeLearnedText(const std::string& learned, Settings& settings);

/// For commands about a lane that learns: reads the changelog and puts what it says in force, and
/// notes it as the source of the values. Returns the reasons. Does nothing if the lane does not
/// learn, has no input topics, or has learned nothing yet.
Result<std::optional<LearnedOptions>> TakeLearnedOf(LoadedConfig& config, const KafkaLog& log);

/// Learns from what the input topics hold now.
Result<LearnedOptions> LearnNow(const Settings& settings, const KafkaLog& log);

/// Learns from the input topics. While they hold fewer than auto.records_min records, it calls
/// `waiting` about once a second, with the number of records so far, up to auto.wait_ms after the
/// first record. If `waiting` returns an error, so does this function. With input.start: latest it
/// learns at once, because records would pass by while it waits.
Result<LearnedOptions> LearnFromTopics(const Settings& settings, const KafkaLog& log,
                                       const std::function<Result<void>(size_t)>& waiting);

/// For people: what follows from provisional settings.
std::string WhatFollows(const Settings& settings);

// Compares the live stream of a lane with what the lane was tuned on.

/// What a window of the live stream shows.
struct DriftReport {
  std::vector<AspectDrift> aspects;  ///< of this window, one for each DriftAspect
  /// This window and the one before it have drifted. A single one may be an odd hour.
  bool detected = false;
  bool changed = false;  ///< `detected` is not what it was in the previous report
};

/// Profiles windows of records that follow one another, as many as the reference holds. A new
/// window begins at most once a minute, so that the work stays small however fast the stream is.
/// A window that an abort or a loss of the lane breaks off is dropped, because its records come
/// again. One owner thread, the thread of the lane.
class DriftWatch final : public SeesLane<DriftWatch> {
 public:
  /// `options` are the lane's. Without a reference of the same options, the first window becomes
  /// the reference. `report` is called when a window ends. The clock must outlive the watch.
  DriftWatch(const FilterOptions& options, std::optional<StreamProfile> reference, Clock& clock,
             std::function<void(const DriftReport&)> report);

  void Saw(const event::BatchFingerprinted& seen);
  void Saw(const event::TransactionAborted& seen);
  void Saw(const event::LaneLost& seen);
  void Saw(const auto& /*ignored*/) {}

  bool has_reference() const { return reference_.has_value(); }

  static constexpr int64_t kPeriodMs = 60'000;

 private:
  void EndWindow();

  std::optional<StreamProfile> reference_;
  Clock& clock_;
  std::function<void(const DriftReport&)> report_;
  StreamProfiler profiler_;
  RecordBuffer buffer_;
  int64_t next_at_ms_ = 0;  ///< no window begins before
  int drifting_ = 0;        ///< windows in a row that have drifted
  bool detected_ = false;
};

}  // namespace neardup
