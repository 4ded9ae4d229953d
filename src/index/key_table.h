// A text key -> some of the entries that are remembered under it.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "index/fetch_line.h"
#include "index/live_ids.h"
#include "index/page_memory.h"

namespace neardup {

/// Cache lines of ten postings. A key belongs to one line for good: the keys are cut into as many
/// equal ranges as there are lines. A posting keeps the low 16 bits of its key as a tag; no range
/// is larger than that, so line and tag are the whole key.
///
/// A line that is full of live postings takes no more: a key that very many entries have costs one
/// line and not a list. The number of lines depends on the capacity alone, so what has room depends
/// on nothing but the live entries and their keys: a table that is rebuilt from them goes on as the
/// one before would have. Dead postings count as room.
class KeyTable {
 public:
  /// As many live entries one key leads to.
  static constexpr uint32_t kEntriesPerKeyMax = 8;
  static constexpr size_t kPostings = 10;

  /// Of a capacity of so many postings.
  explicit KeyTable(uint64_t postings_max);

  /// Places for the key; 0 also where the key leads to as many entries as it may.
  size_t Room(uint32_t key, LiveIds live) const;
  bool SameLine(uint32_t a, uint32_t b) const { return LineNumber(a) == LineNumber(b); }
  /// Where there is no room, in the place of the oldest posting of the line.
  void Insert(uint32_t key, uint32_t id, LiveIds live);
  /// Of a pair that was inserted, if it is still there.
  void Remove(uint32_t key, uint32_t id);
  /// Clears the dead of the next line; a call for each entry keeps numbers from being met again
  /// after they have wrapped around.
  void SweepNext(LiveIds live);

  /// Lines without room, as a share of some thousands all over the table.
  double FullShare(LiveIds live) const;

  void Prefetch(uint32_t key) const { FetchLine(&LineOf(key)); }
  /// Calls `visit` with the number of each live entry that has the key.
  template <class Visit>
  void ForEach(uint32_t key, LiveIds live, const Visit& visit) const {
    const Line& line = LineOf(key);
    for (uint32_t mask = line.WithTag(TagOf(key)) & line.used; mask != 0; mask &= mask - 1) {
      const uint32_t id = line.ids[static_cast<size_t>(std::countr_zero(mask))];
      if (live.Holds(id)) visit(id);
    }
  }

  /// The same from the beginning to the end.
  uint64_t bytes() const { return memory_.bytes(); }
  static uint64_t Bytes(uint64_t postings_max) { return LineCount(postings_max) * sizeof(Line); }

 private:
  struct alignas(64) Line {
    std::array<uint32_t, kPostings> ids;
    std::array<uint16_t, kPostings> tags;
    uint16_t used;  ///< bit i: posting i is taken

    /// Places as bits, without a branch: which one is taken cannot be foretold.
    uint32_t WithTag(uint16_t tag) const {
      uint32_t mask = 0;
      for (size_t i = 0; i < kPostings; ++i) mask |= uint32_t{tags[i] == tag} << i;
      return mask;
    }
    uint32_t Live(LiveIds live) const {
      uint32_t mask = 0;
      for (size_t i = 0; i < kPostings; ++i) mask |= uint32_t{live.Holds(ids[i])} << i;
      return mask & used;
    }
  };
  static_assert(sizeof(Line) == 64);

  static uint64_t LineCount(uint64_t postings_max);
  static uint16_t TagOf(uint32_t key) { return static_cast<uint16_t>(key); }
  size_t LineNumber(uint32_t key) const { return static_cast<size_t>((key * line_count_) >> 32); }
  Line* lines() const { return static_cast<Line*>(memory_.data()); }
  const Line& LineOf(uint32_t key) const { return lines()[LineNumber(key)]; }

  uint64_t line_count_;
  PageMemory memory_;
  uint64_t swept_ = 0;
};

}  // namespace neardup
