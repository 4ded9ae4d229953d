// The groups of a lane: each remembered original with its copies, and which of these records is the
// newest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "neardup/entry.h"
#include "neardup/record.h"
#include "neardup/verdict.h"

namespace neardup {

/// Which record of a group stays on the unique topic.
enum class Keep : uint8_t {
  kFirst,   ///< the original
  kNewest,  ///< the one with the latest event time; of equal times, the first
};

/// An original that was copied, and what is known of its copies. Times are event times.
struct Group {
  Position original;
  int64_t original_time_ms = 0;
  uint64_t copies = 0;
  Position last;             ///< the copy that was decided last
  int64_t last_time_ms = 0;  ///< the latest of all times
  /// The record of the group that the unique topic keeps (Keep), and its time.
  Position newest;
  int64_t newest_time_ms = 0;

  bool operator==(const Group&) const = default;
};

/// A group, and the number of its original's entry in the filter.
struct NumberedGroup : Group {
  uint64_t number = 0;

  bool operator==(const NumberedGroup&) const = default;
};

/// What became of a copy that joined its group.
struct JoinedGroup {
  /// The record that the unique topic kept of the group before the copy.
  Position newest_before;
  /// True: the copy is newer, and the unique topic keeps it from now on.
  bool replaces = false;

  bool operator==(const JoinedGroup&) const = default;
};

/// The groups of all originals that a filter remembers and that were copied at least once. A copy
/// belongs to the group of the original that its verdict names. So the groups, and all verdicts,
/// are the same whichever record of a group is kept.
///
/// A topic that was deleted and created again gives a position twice. So an original is known by
/// its position and the number of its entry (Match::number).
///
/// Changes are provisional until Commit, as in Filter. One owner thread.
class Groups {
 public:
  /// Adds a duplicate with its position and event time to the group of its match.
  JoinedGroup Join(const Match& match, const Position& copy, int64_t time_ms, Keep keep);
  /// The number of Join calls since the last Commit.
  size_t joins() const { return joins_.size(); }
  /// The groups that the joins [begin, end) changed, as they are now; each once, in the order of
  /// their first change.
  std::vector<NumberedGroup> Changed(size_t begin, size_t end) const;

  /// Sets a group as a log of committed work says, if the filter still remembers its original.
  /// Nothing may be uncommitted.
  void Restore(const NumberedGroup& group) { groups_[group.original] = group; }
  /// Drops the groups of originals that the filter has forgotten.
  void Forget(std::span<const ForgottenRecord> originals);

  /// The coming Commit covers the joins so far, and not those that follow. Without this call, it
  /// covers everything before it.
  void BeginCommit() { committing_ = joins_.size(); }
  void Commit();
  void Rollback();

  /// nullptr if the original was never copied.
  const Group* Find(const Position& original) const;
  size_t size() const { return groups_.size(); }
  /// Upper bound of the memory that `groups` groups and `joins` uncommitted joins take.
  static uint64_t BytesMax(uint64_t groups, uint64_t joins);

 private:
  struct HashOfPosition {
    size_t operator()(const Position& position) const;
  };
  /// One call of Join, and what undoes it.
  struct Undo {
    Position original;
    std::optional<NumberedGroup> before;
  };

  std::unordered_map<Position, NumberedGroup, HashOfPosition> groups_;
  std::vector<Undo> joins_;
  std::optional<size_t> committing_;
};

}  // namespace neardup
