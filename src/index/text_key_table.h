// A text key -> the entries that are remembered under it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace neardup {

/// Open addressing over slots of 8 bytes, at most two thirds full; grows by doubling, shrinks
/// never. Keys are spread evenly and are not 0.
class TextKeyTable {
 public:
  /// As many entries one key leads to. Beyond that a key tells too little, and would cost too much.
  static constexpr int kEntriesPerKeyMax = 8;

  bool HasRoom(uint32_t key) const;
  void Insert(uint32_t key, uint32_t id);
  /// Of a pair that was inserted.
  void Remove(uint32_t key, uint32_t id);

  /// Calls `visit` with the number of each entry that has the key.
  template <class Visit>
  void ForEach(uint32_t key, const Visit& visit) const {
    if (slots_.empty()) return;
    for (size_t at = Home(key); slots_[at].key != 0; at = (at + 1) & mask_) {
      if (slots_[at].key == key) visit(slots_[at].id);
    }
  }

  uint64_t bytes() const { return slots_.capacity() * sizeof(Slot); }
  /// Most that bytes() can come to with never more than `pairs_max` pairs.
  static uint64_t BytesMax(uint64_t pairs_max);

 private:
  struct Slot {
    uint32_t key = 0;  ///< 0: free
    uint32_t id = 0;
  };

  size_t Home(uint32_t key) const { return (uint64_t{key} * slots_.size()) >> 32; }
  void Grow();
  void Put(Slot slot);

  std::vector<Slot> slots_;  ///< a power of two of them
  size_t mask_ = 0;
  size_t used_ = 0;
};

}  // namespace neardup
