#include "index/text_key_table.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace neardup {
namespace {

constexpr size_t kSlotsMin = 1024;

bool TooFull(uint64_t pairs, uint64_t slots) { return 3 * pairs > 2 * slots; }

}  // namespace

bool TextKeyTable::HasRoom(uint32_t key) const {
  int entries = 0;
  ForEach(key, [&](uint32_t) { ++entries; });
  return entries < kEntriesPerKeyMax;
}

void TextKeyTable::Insert(uint32_t key, uint32_t id) {
  assert(key != 0);
  if (TooFull(used_ + 1, slots_.size())) Grow();
  Put({key, id});
  ++used_;
}

void TextKeyTable::Remove(uint32_t key, uint32_t id) {
  size_t gap = Home(key);
  while (slots_[gap].key != key || slots_[gap].id != id) {
    assert(slots_[gap].key != 0);
    gap = (gap + 1) & mask_;
  }
  // What stands behind the gap moves into it, unless that were before its home.
  for (size_t at = (gap + 1) & mask_; slots_[at].key != 0; at = (at + 1) & mask_) {
    const size_t from_home = (at - Home(slots_[at].key)) & mask_;
    if (from_home < ((at - gap) & mask_)) continue;
    slots_[gap] = slots_[at];
    gap = at;
  }
  slots_[gap] = {};
  --used_;
}

uint64_t TextKeyTable::BytesMax(uint64_t pairs_max) {
  uint64_t slots = kSlotsMin;
  while (TooFull(pairs_max, slots)) slots *= 2;
  return slots * sizeof(Slot);
}

void TextKeyTable::Grow() {
  std::vector<Slot> before(std::max(kSlotsMin, 2 * slots_.size()));
  std::swap(before, slots_);
  mask_ = slots_.size() - 1;
  for (const Slot& slot : before) {
    if (slot.key != 0) Put(slot);
  }
}

void TextKeyTable::Put(Slot slot) {
  size_t at = Home(slot.key);
  while (slots_[at].key != 0) at = (at + 1) & mask_;
  slots_[at] = slot;
}

}  // namespace neardup
