// Reads from the changelog what a lane learned, and puts it into the settings of this process.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "config/config.h"
#include "config/settings.h"
#include "kafka/kafka_options.h"
#include "learn/learned_options.h"
#include "neardup/result.h"
#include "state/delta.h"

namespace neardup {

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
  /// `settings_seq` is that of the newest delta.
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

}  // namespace neardup
