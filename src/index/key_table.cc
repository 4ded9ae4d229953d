#include "index/key_table.h"

#include <algorithm>

namespace neardup {
namespace {

/// Ranges of keys must not be larger than tags tell apart.
constexpr uint64_t kLinesMin = uint64_t{1} << 16;
/// Lines for 100 postings when all that may live are there: 9 of 10 places taken, so that about one
/// key in four finds its line full and the next one is taken instead.
constexpr uint64_t kPostingsPerTenLines = 90;

uint16_t Bit(size_t place) { return static_cast<uint16_t>(1U << place); }

}  // namespace

KeyTable::KeyTable(uint64_t postings_max)
    : line_count_(LineCount(postings_max)), memory_(line_count_ * sizeof(Line)) {}

uint64_t KeyTable::LineCount(uint64_t postings_max) {
  const uint64_t lines = std::max(kLinesMin, postings_max * 10 / kPostingsPerTenLines);
  constexpr uint64_t kLinesPerPage = 4096 / sizeof(Line);
  return (lines + kLinesPerPage - 1) / kLinesPerPage * kLinesPerPage;
}

size_t KeyTable::Room(uint32_t key, LiveIds live) const {
  const Line& line = LineOf(key);
  const uint16_t tag = TagOf(key);
  size_t free = kPostings;
  int of_key = 0;
  for (size_t i = 0; i < kPostings; ++i) {
    if (!line.IsUsed(i) || !live.Holds(line.ids[i])) continue;
    --free;
    of_key += line.tags[i] == tag ? 1 : 0;
  }
  return of_key < kEntriesPerKeyMax ? free : 0;
}

void KeyTable::Insert(uint32_t key, uint32_t id, LiveIds live) {
  Line& line = lines()[LineNumber(key)];
  size_t place = 0;
  uint32_t age_max = 0;
  for (size_t i = 0; i < kPostings; ++i) {
    if (!line.IsUsed(i) || !live.Holds(line.ids[i])) {
      place = i;
      break;
    }
    const uint32_t age = id - line.ids[i];
    if (age < age_max) continue;
    age_max = age;
    place = i;
  }
  line.ids[place] = id;
  line.tags[place] = TagOf(key);
  line.used = static_cast<uint16_t>(line.used | Bit(place));
}

void KeyTable::Remove(uint32_t key, uint32_t id) {
  Line& line = lines()[LineNumber(key)];
  for (size_t i = 0; i < kPostings; ++i) {
    if (line.IsUsed(i) && line.ids[i] == id && line.tags[i] == TagOf(key)) {
      line.used = static_cast<uint16_t>(line.used & ~Bit(i));
    }
  }
}

void KeyTable::SweepNext(LiveIds live) {
  Line& line = lines()[swept_];
  for (size_t i = 0; i < kPostings; ++i) {
    if (!live.Holds(line.ids[i])) line.used = static_cast<uint16_t>(line.used & ~Bit(i));
  }
  swept_ = swept_ + 1 < line_count_ ? swept_ + 1 : 0;
}

}  // namespace neardup
