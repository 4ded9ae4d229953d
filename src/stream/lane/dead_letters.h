// Dead letters: what they have in common, and whether there are too many.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "detect/base/quantity.h"
#include "neardup/options.h"
#include "neardup/verdict.h"
#include "stream/lane/lane_options.h"
#include "stream/lane/ports.h"
#include "stream/lane/probe.h"

namespace neardup {

/// Keeps one example of each reason. Of a missing field it also counts which fields the first
/// records have, to name the one that was meant. One owner thread.
class DeadLetterCauses {
 public:
  /// The fields of at most this many records of a reason are counted.
  static constexpr uint64_t kStudiedMax = 100;

  /// Call it for each dead letter. `place` names the record for a person.
  void Saw(const Message& message, const ReadOutcome& outcome,
           const std::function<std::string()>& place);
  /// ", such as PLACE: what is wrong", and what a person may have meant; empty without an example
  /// of this reason.
  std::string Explain(Reason reason, const RecordOptions& record) const;

 private:
  struct Cause {
    std::string place;
    std::string error;
    uint64_t studied = 0;                          ///< records whose fields are counted
    std::vector<std::string> names;                ///< in the order of their first appearance
    std::unordered_map<std::string, uint64_t> in;  ///< how many of these records have a name

    void Study(const Message& message);
    std::optional<std::string> Meant(const std::string& name) const;
    std::string FieldsText(const std::vector<std::string>& wanted) const;
  };

  std::array<std::optional<Cause>, kReasonCount> causes_;
};

// Watches the share of dead letters. A wrong field name sends a whole topic to dead letters without
// any error; this is where somebody notices.

/// A window of records lasts until it holds kRecordsMin records and is a minute old. Its share is
/// judged from kRecordsMin records on, at every commit, so that a wrong field name shows in the
/// first transaction. The share counts as normal again at the end of a window that stayed below the
/// bound. One owner thread; the options must outlive it.
class DeadLetterWatch {
 public:
  static constexpr uint64_t kRecordsMin = 100;
  /// Before anything is committed, a person who has just started the lane is present.
  static constexpr uint64_t kFirstRecordsMin = 20;
  static constexpr int64_t kWindowMs = 60'000;

  DeadLetterWatch(const DeadLetterOptions& options, const RecordOptions& record)
      : options_(options), record_(record) {}

  /// Call it for each dead letter.
  void Saw(const Message& message, const InputPartition& input, const Verdict& verdict);
  /// Judges the window together with what a transaction would add. A value: the share has become
  /// too large, or is no longer; the text says why. Call it before the transaction is committed.
  /// `first_commit`: nothing was ever committed, so fewer records suffice.
  std::optional<std::string> Judge(const CommittedBatch& open, bool first_commit);
  /// Counts what was committed, and closes the window when it is over.
  void Committed(const CommittedBatch& batch, int64_t now_ms);

  bool excessive() const { return excessive_; }

 private:
  struct Counts {
    uint64_t records = 0;
    std::array<uint64_t, kReasonCount> dead_letters{};

    void Add(const CommittedBatch& batch);
    uint64_t dead() const;
    double share() const { return ShareAmong(dead(), records); }
  };

  std::string Explain(const Counts& counts) const;

  const DeadLetterOptions& options_;
  const RecordOptions& record_;
  Counts window_;
  int64_t window_end_ms_ = 0;  ///< 0 before the first record of the window
  DeadLetterCauses causes_;    ///< in this window
  bool excessive_ = false;
};

}  // namespace neardup
