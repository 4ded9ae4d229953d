// The tables by which every near entry is met: which bits of a simhash lead to which bucket.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "neardup/options.h"

namespace neardup {

constexpr bool ExactOnly(const MatchOptions& match) { return match.distance_max == 0; }

/// A set of tables such that simhashes within 3 bits share a bucket of one of them, and differ in
/// at most one bit of its tag. By the pigeonhole principle (Manku, Jain, Das Sarma 2007): cut into
/// two halves of 32 bits, 3 errors leave a half with at most one of them. Cut that half again, and
/// leave out one part at a time: once the error is left out. What is left names the bucket, as far
/// as there are that many; the other bits of the half are the tag.
///
/// - Two parts, four tables: the four 16-bit blocks. Few lines of tags to read while buckets are
///   short, and with the neighbours of the buckets 7 bits: these leave a half with at most 3, so
///   one of its blocks has at most one, and the other one what is left of the 3.
/// - Three parts, six tables: 21 bits and more, so up to 2,097,152 buckets, which stay short in
///   large windows. More memory, and more lines to write for an insertion.
///
/// All of them meet the same entries, those with a half of at most one error: without neighbours no
/// answer depends on the choice.
class BlockLayout {
 public:
  static constexpr size_t kTablesMax = 6;
  static constexpr int kBucketBitsMin = 16;  ///< the rest of the half has to go into a tag
  static constexpr int kBucketBitsMax = 21;
  /// Entries from which on six tables are faster by more than their memory is worth (measured in
  /// docs/index.md).
  static constexpr uint64_t kSixFrom = 30'000'000;

  /// For equal simhashes: one table.
  static constexpr BlockLayout Equal() { return BlockLayout({0}, {0}, 1, kBucketBitsMin); }
  static constexpr BlockLayout FourBlocks() {
    return BlockLayout({0, 0, 32, 32}, {0, 16, 0, 16}, 4, kBucketBitsMin);
  }
  /// Parts of 11, 11 and 10 bits.
  static constexpr BlockLayout SixTables(int bucket_bits) {
    return BlockLayout({0, 0, 0, 32, 32, 32}, {11, 22, 0, 11, 22, 0}, 6, bucket_bits);
  }
  /// The one for an index of so many entries.
  static constexpr BlockLayout For(const MatchOptions& match, uint64_t entries_max) {
    if (ExactOnly(match)) return Equal();
    if (match.neighbours || entries_max < kSixFrom) return FourBlocks();
    return SixTables(BucketBitsFor(entries_max));
  }
  /// Of six tables: at most 32 entries to a bucket, while there are bits, whose tags mostly take
  /// one cache line or two.
  static constexpr int BucketBitsFor(uint64_t entries_max) {
    constexpr uint64_t kPerBucket = 32;
    const auto bits = static_cast<int>(std::bit_width(entries_max / kPerBucket));
    return std::clamp(bits, kBucketBitsMin, kBucketBitsMax);
  }

  size_t tables() const { return tables_; }
  /// Of each table.
  size_t buckets() const { return size_t{1} << bucket_bits_; }

  uint32_t BucketOf(uint64_t simhash, size_t table) const {
    return TurnedHalf(simhash, table) & bucket_mask_;
  }
  uint16_t TagOf(uint64_t simhash, size_t table) const {
    return static_cast<uint16_t>(TurnedHalf(simhash, table) >> bucket_bits_);
  }

 private:
  using PerTable = std::array<uint8_t, kTablesMax>;

  constexpr BlockLayout(PerTable half_shift, PerTable rotation, size_t tables, int bucket_bits)
      : half_shift_(half_shift),
        rotation_(rotation),
        tables_(tables),
        bucket_bits_(bucket_bits),
        bucket_mask_((uint32_t{1} << bucket_bits) - 1) {}

  /// The half of the table, with the part that is left out at its upper end.
  uint32_t TurnedHalf(uint64_t simhash, size_t table) const {
    return std::rotr(static_cast<uint32_t>(simhash >> half_shift_[table]), rotation_[table]);
  }

  PerTable half_shift_;
  PerTable rotation_;
  size_t tables_;
  int bucket_bits_;
  uint32_t bucket_mask_;
};

}  // namespace neardup
