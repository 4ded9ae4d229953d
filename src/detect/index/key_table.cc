#include "detect/index/key_table.h"

namespace neardup {
namespace {

/// With fewer lines, a line would have more than 2^16 keys, which tags cannot tell apart.
constexpr uint64_t kKeyLinesMin = uint64_t{1} << 16;
/// Percentage of places that are taken when all postings of the capacity are live. Many lines are
/// full then, and an entry is remembered under other keys of its record instead.
constexpr uint64_t kLoad = 93;

}  // namespace

KeyTable::KeyTable(uint64_t postings_max)
    : line_count_(LineCount(postings_max)), memory_(line_count_ * sizeof(KeyLine)) {
  memory_.Touch();
}

uint64_t KeyTable::LineCount(uint64_t postings_max) {
  const uint64_t lines = std::max(kKeyLinesMin, postings_max * 100 / (kLoad * KeyLine::kPostings));
  constexpr uint64_t kLinesPerPage = 4096 / sizeof(KeyLine);
  return (lines + kLinesPerPage - 1) / kLinesPerPage * kLinesPerPage;
}

void KeyTable::Insert(uint32_t key, uint32_t id, LiveIds live) {
  KeyLine& line = lines()[LineNumber(key)];
  auto place = static_cast<size_t>(std::countr_one(line.Live(live)));
  if (place == KeyLine::kPostings) {
    const auto older = [id](uint32_t a, uint32_t b) { return id - a > id - b; };
    place = static_cast<size_t>(std::min_element(line.ids.begin(), line.ids.end(), older) -
                                line.ids.begin());
  }
  line.ids[place] = id;
  line.tags[place] = TagOf(key);
  line.used = static_cast<uint16_t>(line.used | 1U << place);
}

void KeyTable::Remove(uint32_t key, uint32_t id) {
  KeyLine& line = lines()[LineNumber(key)];
  for (uint32_t places = line.WithTag(TagOf(key)); places != 0; places &= places - 1) {
    const auto place = static_cast<size_t>(std::countr_zero(places));
    if (line.ids[place] == id) line.used = static_cast<uint16_t>(line.used & ~(1U << place));
  }
}

void KeyTable::SweepNext(LiveIds live) {
  KeyLine& line = lines()[swept_];
  line.used = static_cast<uint16_t>(line.Live(live));
  swept_ = swept_ + 1 < line_count_ ? swept_ + 1 : 0;
  constexpr uint64_t kLinesAhead = 4;
  FetchLine(lines() + swept_ + kLinesAhead);
}

double KeyTable::FullShare(LiveIds live) const {
  constexpr uint64_t kSample = 4096;
  uint64_t full = 0;
  for (uint64_t i = 0; i < kSample; ++i) {
    const auto places = std::countr_one(lines()[i * line_count_ / kSample].Live(live));
    full += static_cast<size_t>(places) == KeyLine::kPostings ? 1 : 0;
  }
  return static_cast<double>(full) / kSample;
}

}  // namespace neardup
