// Checks, after a simulated run, what neardup promises to readers of its topics.
//
// Coverage      every input record is in exactly one output, once, unchanged and in order
// Soundness     a duplicate names an earlier unique record that is as near as the rule demands
// Completeness  a unique record has no such original that was still to be remembered
// Groups        a duplicate replaces the newest record of its group exactly if its event time is
//               later, and the groups topic says what the outputs say
// Route         each record is on the topic that its verdict and the deltas of its commit name
// Durability    a lane that starts from the committed deltas decides what was decided
//
// The first four are decided here by comparing every record with every earlier one. Of the code
// under test they use only the fingerprint and the match rule.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "stream/lane/lane_options.h"
#include "stream/lane/memory_broker.h"

namespace neardup {

/// A record that somebody wrote into an input; MemoryRecord::id is one more than its index.
struct WrittenRecord {
  InputPartition input{};
  int generation = 0;  ///< how often its topic was created before
  MemoryRecord record{};
  /// It was aborted, or deleted before it was decided.
  bool may_be_missing = false;
};

struct Evidence {
  const MemoryBroker& broker;
  const LaneOptions& options;
  std::span<const WrittenRecord> written;
  /// Everything that can be decided must be decided.
  bool finished = true;
  /// The changelog lost records: some originals may be forgotten, and seqs left out.
  bool lossy = false;
  /// No input was idle, or vanished, so that each input holds the watermark back.
  bool all_inputs_busy = false;
  /// What every instance keeps of a group; nullopt if they differ.
  std::optional<Keep> keep = Keep::kFirst;
};

/// Says what is wrong, or nullopt. Begins with the name of the promise.
std::optional<std::string> FindBrokenPromise(const Evidence& evidence);

}  // namespace neardup
