// What the instances of a simulated lane share: broker, clock, lease, and everything that happens
// to them while they run.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "detect/base/random.h"
#include "stream/lane/memory_broker.h"
#include "stream/lane/promises.h"
#include "stream/lane/schedule.h"

namespace neardup {

/// Receives one line for each step of a schedule.
using Trace = std::function<void(const std::string&)>;

class SimulatedWorld {
 public:
  SimulatedWorld(const Schedule& schedule, const Trace& trace);

  const Schedule& schedule;
  const Trace& trace;
  SeededRandom random;
  MemoryBroker broker;
  int64_t now_ms = 1;
  /// The faults have ended.
  bool quiet = false;

  // ---- inputs

  std::vector<WrittenRecord> written;
  /// A record that must be decided and is not; nullopt: there is none.
  std::optional<std::string> FindUndecided();
  /// A log of an input lost records that were not decided.
  bool input_lost = false;
  bool changelog_lost = false;

  // ---- the lease

  struct Member {
    bool candidate = false;
    bool held = false;  ///< what this instance believes
    bool lost = false;  ///< it hears once that it lost the lease, when it asks next
  };
  std::vector<Member> members;
  std::optional<size_t> holder() const { return holder_; }
  void Leave(size_t member);
  /// The endpoints of all processes that run.
  std::set<std::string> running;
  size_t processes = 0;  ///< how many have ever run
  /// What the instances do that they must not; nullopt: nothing.
  std::optional<std::string> misbehaved;

  // ---- what happens between two calls

  /// The lane is reset while its instances go on, or are paused.
  void Reset();
  /// One of the events that the schedule allows.
  void Happen();
  /// Gives a free lease to a candidate.
  void GrantLease();
  /// Undoes what would keep the lane from working.
  void EndFaults();

  void Tell(const std::string& line) const {
    if (trace) trace(line);
  }

 private:
  void Preload();
  void Append(const InputPartition& input, size_t records);
  InputPartition PickInput();
  void Grow();
  void WriteTransaction();
  void EndWriteTransaction(InputPartition input, bool commit);
  void DeleteDecided();
  void DeleteUndecided();
  void DeleteTopic();
  void RecreateTopic();
  void MoveLease();
  void LoseChangelog();
  void MoveOffsets();
  void MarkMissing(const InputPartition& input, int64_t below);
  void NoteDecided();

  int64_t event_ms_ = 0;
  std::map<std::string, int> generations_;
  /// The group's offset of the topic that was deleted; a topic is deleted at most once.
  std::optional<int64_t> offset_before_deletion_;
  std::optional<size_t> holder_;
  std::vector<bool> decided_;
  size_t noted_outputs_ = 0;
  size_t first_undecided_ = 0;
};

}  // namespace neardup
