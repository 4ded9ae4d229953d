// The entries of the index in order of arrival, under consecutive numbers.
#pragma once

#include <cassert>
#include <cstdint>
#include <vector>

#include "neardup/filter.h"

namespace neardup {

/// Holds the entries [begin_id, end_id); grows by doubling, never shrinks. The simhashes stand
/// apart from the rest, because a look-up reads many of them and few entries.
class EntryRing {
 public:
  explicit EntryRing(uint64_t begin_id) : begin_id_(begin_id), end_id_(begin_id) {}

  void PushBack(const Entry& entry);
  /// Forgets the newest entries; `end_id` lies in [begin_id, end_id].
  void TruncateBack(uint64_t end_id);
  /// Forgets the oldest entries; `begin_id` lies in [begin_id, end_id].
  void TruncateFront(uint64_t begin_id);

  uint64_t begin_id() const { return begin_id_; }
  uint64_t end_id() const { return end_id_; }
  uint64_t size() const { return end_id_ - begin_id_; }
  /// Memory held, used or not.
  uint64_t bytes() const;
  /// Most that bytes() can come to while size() never exceeds `size_max`.
  static uint64_t BytesMax(uint64_t size_max);

  uint64_t simhash(uint64_t id) const { return simhashes_[id & mask_]; }
  const Entry& entry(uint64_t id) const {
    assert(id - begin_id_ < size());
    return entries_[id & mask_];
  }

 private:
  void Grow();

  uint64_t begin_id_;
  uint64_t end_id_;
  uint64_t mask_ = 0;  ///< number of slots - 1, where there are any; that number is a power of two
  std::vector<uint64_t> simhashes_;
  std::vector<Entry> entries_;
};

}  // namespace neardup
