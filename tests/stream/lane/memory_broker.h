// A broker in memory for simulations of lanes: inputs, outputs, changelog, group offsets, and
// transactions by transactional id, as Kafka has them. The ports of memory_ports.h are its clients.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "neardup/verdict.h"
#include "stream/lane/ports.h"
#include "stream/lane/route_header.h"
#include "stream/state/route.h"
#include "stream/state/snapshot.h"

namespace neardup {

struct MemoryRecord {
  int64_t offset = 0;
  int64_t timestamp_ms = 0;
  std::optional<std::string> value;
  /// Tells records apart that had the same offset in two logs of a topic.
  uint64_t id = 0;
};

struct MemoryOutput {
  uint64_t seq = 0;
  InputPartition input;
  int64_t offset = 0;
  Verdict verdict;
  Route route = Route::kUnique;
  InputPartition original_input;
  /// As the header states them.
  std::optional<ParsedPosition> replaces{};
  std::optional<ParsedPosition> newest{};
  std::optional<std::string> value;
  bool by_reference = false;
  uint64_t record_id = 0;  ///< MemoryRecord::id
};

/// A record of the changelog; its offset is its index. Empty: a control record.
struct MemoryDelta {
  enum class Kind : uint8_t { kCommitted, kOpen, kAborted };
  MemoryDelta() = default;
  MemoryDelta(std::string bytes_in) : bytes(std::move(bytes_in)) {}  // NOLINT: tests list texts
  MemoryDelta(const char* bytes_in) : bytes(bytes_in) {}             // NOLINT
  operator std::string_view() const { return bytes; }                // NOLINT

  std::string bytes;
  Kind kind = Kind::kCommitted;
  uint64_t transaction = 0;
};

/// What one transaction made visible.
struct MemoryCommit {
  size_t outputs = 0;  ///< how many outputs were committed at its end
  std::vector<std::string> deltas;
  std::map<std::string, std::string> groups{};  ///< records of the groups topic
};

/// What the broker knows of a transactional id.
struct MemoryProducer {
  uint64_t epoch = 0;
  uint64_t transaction = 0;  ///< of the open or ending one; 0: none
  /// The end is decided, and its markers are not written yet.
  bool ending = false;
  std::vector<MemoryOutput> outputs{};
  int64_t first_delta = -1;  ///< its offset in the changelog
  std::vector<std::string> unsent_deltas{};
  std::map<std::string, std::string> groups{};
  std::vector<InputProgress> offsets{};
};

/// Inputs, committed outputs, changelog and group offsets, shared by all instances.
class MemoryBroker {
 public:
  // ---- inputs

  std::map<InputPartition, std::vector<MemoryRecord>> inputs;
  /// Offsets after the last record of an input that hold control records.
  std::map<InputPartition, int64_t> control_records;
  /// Readers of committed records see nothing from this offset on, because a transaction is open.
  std::map<InputPartition, int64_t> open_from;
  /// Topics that were deleted, though they are configured.
  std::set<std::string> missing_topics;
  /// Topics that were deleted and are not configured.
  std::set<std::string> unknown_topics;
  /// Partitions whose leader is away.
  std::set<InputPartition> unreachable;
  /// Records of an input below this offset are deleted.
  std::map<InputPartition, int64_t> deleted_below;

  int64_t Begin(const InputPartition& input) { return deleted_below[input]; }
  int64_t End(const InputPartition& input) {
    const std::vector<MemoryRecord>& records = inputs[input];
    return (records.empty() ? 0 : records.back().offset + 1) + control_records[input];
  }
  /// Where committed records end.
  int64_t StableEnd(const InputPartition& input);
  /// Deletes a configured topic, and its offsets in the group, as Kafka's group coordinator does.
  void DeleteTopic(const std::string& topic);

  // ---- what lanes write

  std::vector<MemoryOutput> outputs;  ///< committed, in commit order
  std::vector<MemoryCommit> commits;
  std::vector<MemoryDelta> changelog;
  int64_t changelog_begin = 0;  ///< those below are purged
  std::map<InputPartition, int64_t> group_offsets;
  bool group_answers = true;  ///< false: the group's offsets cannot be read
  /// Records whose payload contains this text are refused by their output.
  std::string poison;
  size_t record_bytes_max = SIZE_MAX;

  int64_t ChangelogEnd() const { return static_cast<int64_t>(changelog.size()); }
  /// Offset of the first delta of an open transaction; without one, the end.
  int64_t ChangelogStableEnd() const;
  /// The committed delta that is newest; empty without one.
  std::string_view NewestDelta() const;
  bool Holds(const ChangelogMark& mark) const;
  /// What `neardup reset --all` does: locks the lane's producers out, and deletes the changelog,
  /// the offsets of the group and the outputs.
  void Reset(const std::string& id);
  /// False: Reset locks nobody out.
  bool reset_fences = true;
  /// Cuts the changelog's end off, as the election of a broker that lagged behind does.
  void LoseChangelogFrom(int64_t offset);

  // ---- transactions

  /// Each transaction leaves a control record in the changelog.
  bool marks_changelog = false;
  /// Deltas reach the changelog only when their transaction commits.
  bool sends_deltas_late = false;
  /// The outcome of a transaction is answered before its markers are written; Settle writes them.
  bool marks_late = false;

  /// Many requests to commit or abort succeed, and later reach the broker a second time.
  bool copies_ends = false;

  struct LateEnd {
    std::string id;
    uint64_t epoch = 0;
    bool commit = true;
  };
  /// Requests to end a transaction that are still on their way.
  std::vector<LateEnd> late_ends;

  /// Ends the id's open transaction, and makes the returned epoch the only one that may write.
  uint64_t Fence(const std::string& id);
  bool IsCurrent(const std::string& id, uint64_t epoch) { return producers_[id].epoch == epoch; }
  uint64_t EpochOf(const std::string& id) { return producers_[id].epoch; }
  bool IsOpen(const std::string& id) {
    return producers_[id].transaction != 0 && !producers_[id].ending;
  }
  void Write(const std::string& id, MemoryOutput output);
  void WriteDelta(const std::string& id, std::string_view bytes);
  void WriteGroup(const std::string& id, const GroupRecord& group) {
    Open(id).groups[group.key] = group.value;
  }
  void AddOffsets(const std::string& id, std::span<const InputProgress> offsets);
  void EndTransaction(const std::string& id, bool commit);
  /// Writes the markers of a transaction whose end is decided.
  void Settle(const std::string& id);
  /// The transaction lasted too long: the broker aborts it and locks its producer out.
  void TimeOut(const std::string& id);
  /// One of the late requests arrives, and ends the transaction that is open now. One of an old
  /// epoch has no effect.
  void Arrive(size_t late_end);

 private:
  MemoryProducer& Open(const std::string& id);
  void AppendDelta(MemoryProducer& producer, std::string_view bytes);
  void Finish(MemoryProducer& producer, bool commit);

  std::map<std::string, MemoryProducer> producers_;
  uint64_t transactions_ = 0;
};

}  // namespace neardup
