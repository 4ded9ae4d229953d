// The groups of records that belong together: an original and its duplicates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "files/packed_file.h"
#include "neardup/verdict.h"

namespace neardup {

/// Holds the ids of all duplicates and of their originals in memory. One owner thread.
class DuplicateGroups {
 public:
  /// `original_id` names the record at verdict.match.original.
  void Add(const Match& match, const std::string& original_id, const std::string& id);
  /// The record with this id stands for the group of this original.
  void SetNewest(const Match& match, const std::string& id) {
    groups_[match.original.offset].newest_id = id;
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

  std::map<int64_t, Group> groups_;  ///< by the offset of the original
};

}  // namespace neardup
