// A filter over the buckets and text keys of the newest entries.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "index/block_layout.h"

namespace neardup {

/// Remembers, with false positives, the buckets and text keys of all entries from begin_id() on. A
/// record that was looked up ahead in a batch is compared only with entries inserted since then:
/// these are few, and mostly none is near. The marks tell which tables need not be read at all.
class NewestMarks {
 public:
  /// Clears all marks. No entry from `begin_id` on may exist yet.
  void StartAt(uint64_t begin_id) {
    begin_id_ = begin_id;
    if (!any_) return;
    for (auto& buckets : buckets_) buckets.reset();
    keys_.reset();
    any_ = false;
  }
  uint64_t begin_id() const { return begin_id_; }

  void MarkBucket(size_t table, uint32_t bucket) {
    buckets_[table].set(bucket % kBucketMarks);
    any_ = true;
  }
  void MarkKey(uint32_t key) {
    keys_.set(PlaceOf(key));
    any_ = true;
  }
  /// May also be true for a bucket or key that was not marked, but never false for a marked one.
  bool MayHaveBucket(size_t table, uint32_t bucket) const {
    return buckets_[table][bucket % kBucketMarks];
  }
  bool MayHaveKey(uint32_t key) const { return keys_[PlaceOf(key)]; }

 private:
  static constexpr uint32_t kBucketMarks = 1U << 16;
  static constexpr int kKeyBits = 17;
  static size_t PlaceOf(uint32_t key) { return key >> (32 - kKeyBits); }

  uint64_t begin_id_ = std::numeric_limits<uint64_t>::max();
  bool any_ = false;
  std::array<std::bitset<kBucketMarks>, BlockLayout::kTablesMax> buckets_;
  std::bitset<size_t{1} << kKeyBits> keys_;
};

}  // namespace neardup
