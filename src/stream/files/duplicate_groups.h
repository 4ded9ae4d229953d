// The groups of records that belong together: an original and its duplicates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <unordered_set>
#include <vector>

#include "neardup/verdict.h"
#include "stream/files/packed_file.h"

namespace neardup {

// A text as JSON writes it.

/// With its quotes. Bytes that are not UTF-8 become the replacement character.
std::string JsonText(const std::string& text);

/// Holds the ids of all duplicates and of their originals in memory. One owner thread.
class DuplicateGroups {
 public:
  /// `original_id` names the record at verdict.match.original.
  void Add(const Match& match, const std::string& original_id, const std::string& id);
  /// The record with this id stands for the group of this original.
  void SetNewest(const Match& match, const std::string& id) {
    groups_[match.original].newest_id = id;
  }
  /// FORMAT: a line of JSON for each group, in the order of the originals:
  ///     {"size":3,"members":[{"id":"a1"},{"id":"a2","kind":"exact","distance":0},...]}
  /// With `"newest":"a2"` after the size if SetNewest named one.
  /// The original comes first, and then its duplicates in their order. Ids are texts. A record
  /// without duplicates makes no group.
  Result<void> Write(PackedFile& file) const;

 private:
  struct Member {
    std::string id;
    int distance = 0;
    MatchKind kind = MatchKind::kExact;
  };
  struct Group {
    std::string original_id;
    std::string newest_id;  ///< empty without SetNewest
    std::vector<Member> duplicates;
  };

  std::map<Position, Group> groups_;  ///< by the original
};

// Counts near duplicates that are equal to an earlier near duplicate.

/// A duplicate names a unique record, and its kind says how it compares with that one. A record may
/// also be equal to an earlier duplicate that is only near to their original. People who count
/// equal records count it as well. One owner thread.
class ExactRepeats {
 public:
  /// Remembers the exact hashes of this many near duplicates, the newest, in about 64 MB.
  static constexpr size_t kRememberedMax = size_t{1} << 20;

  explicit ExactRepeats(size_t remembered_max = kRememberedMax) : remembered_max_(remembered_max) {}

  /// Call it for each record in order. `exact`: Fingerprint::exact.
  void Saw(const Verdict& verdict, uint64_t exact);
  /// How many duplicates of the kind near are equal to an earlier duplicate of that kind.
  uint64_t count() const { return count_; }

 private:
  size_t remembered_max_;
  std::unordered_set<uint64_t> known_;
  std::deque<uint64_t> in_order_;
  uint64_t count_ = 0;
};

}  // namespace neardup
