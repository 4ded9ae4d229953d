// Which bits of a simhash name the bucket in each table of the index, and which bits are the tag.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "neardup/options.h"

namespace neardup {

/// Assigns every simhash a bucket and a tag in each of several tables, such that two simhashes
/// within 3 bits share a bucket in at least one table and differ there in at most one bit of the
/// tag.
///
/// This follows from the pigeonhole principle (Manku, Jain, Das Sarma 2007). Call the bits in which
/// two simhashes differ errors. Of the two halves of 32 bits, one has at most one of 3 errors. A
/// half is cut into parts, and each of its tables leaves out one part; in one of these tables the
/// part left out has the error. The low bits of what remains name the bucket. The other bits of the
/// half, with the part left out, are the tag.
///
/// - FourBlocks: two parts, four tables, so that each table uses one of four 16-bit blocks. There
///   are few lines of tags to read while buckets are short. If a look-up also reads the neighbours
///   of its bucket (MatchOptions::neighbours), it finds everything within 7 bits: one half has at
///   most 3 errors, so one of its blocks has at most one, and the tag has the rest.
/// - SixTables: three parts, six tables. At least 21 bits remain, which allows up to 2,097,152
///   buckets; these stay short in large windows. It takes more memory, and an insertion writes more
///   lines.
/// - Few buckets, for small windows: four tables as above, but a bucket has only some bits of its
///   block. The tables take little memory. Their buckets meet more entries, which HasHalf refuses.
///
/// Every layout meets the same entries, those with a half of at most one error. Without neighbours
/// no answer depends on the layout.
class BlockLayout {
 public:
  static constexpr size_t kTablesMax = 6;
  static constexpr int kBucketBitsMin = 16;  ///< the other 16 bits of the half fill a tag
  static constexpr int kBucketBitsMax = 21;
  /// An index of at most this many entries gets few buckets.
  static constexpr uint64_t kFew = 10'000;
  static constexpr int kBucketBitsOfFew = 8;
  /// Number of entries from which six tables are so much faster that they are worth their memory
  /// (measured in docs/index.md).
  static constexpr uint64_t kSixFrom = 30'000'000;

  /// One table, which finds equal simhashes only.
  static constexpr BlockLayout Equal() { return BlockLayout({0}, {0}, 1, kBucketBitsMin); }
  /// With fewer than 16 bucket bits it must not be used with neighbours.
  static constexpr BlockLayout FourBlocks(int bucket_bits = kBucketBitsMin) {
    return BlockLayout({0, 0, 32, 32}, {0, 16, 0, 16}, 4, bucket_bits);
  }
  /// Cuts a half into parts of 11, 11 and 10 bits.
  static constexpr BlockLayout SixTables(int bucket_bits) {
    return BlockLayout({0, 0, 0, 32, 32, 32}, {11, 22, 0, 11, 22, 0}, 6, bucket_bits);
  }
  /// The layout that suits an index of `entries_max` entries.
  static constexpr BlockLayout For(const MatchOptions& match, uint64_t entries_max) {
    if (ExactOnly(match)) return Equal();
    if (entries_max <= kFew && !match.neighbours) return FourBlocks(kBucketBitsOfFew);
    if (match.neighbours || entries_max < kSixFrom) return FourBlocks();
    return SixTables(BucketBitsFor(entries_max));
  }
  /// Bucket bits for SixTables: enough for at most 32 entries per bucket, up to kBucketBitsMax. The
  /// tags of 32 entries mostly take one or two cache lines.
  static constexpr int BucketBitsFor(uint64_t entries_max) {
    constexpr uint64_t kPerBucket = 32;
    const auto bits = static_cast<int>(std::bit_width(entries_max / kPerBucket));
    return std::clamp(bits, kBucketBitsMin, kBucketBitsMax);
  }

  /// Whether the buckets leave bits out. Then a look-up must ask HasHalf of each entry that it
  /// meets.
  bool is_coarse() const { return bucket_bits_ < kBucketBitsMin; }
  /// Whether one half of 32 bits has at most one error: what the tables of other layouts meet.
  static bool HasHalf(uint64_t a, uint64_t b) {
    const uint64_t errors = a ^ b;
    return std::popcount(static_cast<uint32_t>(errors)) <= 1 ||
           std::popcount(static_cast<uint32_t>(errors >> 32)) <= 1;
  }

  size_t tables() const { return tables_; }
  /// Number of buckets in each table.
  size_t buckets() const { return size_t{1} << bucket_bits_; }

  uint32_t BucketOf(uint64_t simhash, size_t table) const {
    return TurnedHalf(simhash, table) & bucket_mask_;
  }
  uint16_t TagOf(uint64_t simhash, size_t table) const {
    return static_cast<uint16_t>(TurnedHalf(simhash, table) >>
                                 std::max(bucket_bits_, kBucketBitsMin));
  }

 private:
  using PerTable = std::array<uint8_t, kTablesMax>;

  constexpr BlockLayout(PerTable half_shift, PerTable rotation, size_t tables, int bucket_bits)
      : half_shift_(half_shift),
        rotation_(rotation),
        tables_(tables),
        bucket_bits_(bucket_bits),
        bucket_mask_((uint32_t{1} << bucket_bits) - 1) {}

  /// The half that the table uses, rotated so that the part left out is at the upper end.
  uint32_t TurnedHalf(uint64_t simhash, size_t table) const {
    return std::rotr(static_cast<uint32_t>(simhash >> half_shift_[table]), rotation_[table]);
  }

  PerTable half_shift_;
  PerTable rotation_;
  size_t tables_;
  int bucket_bits_;
  uint32_t bucket_mask_;
};

// A filter over the buckets and text keys of the newest entries.

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
