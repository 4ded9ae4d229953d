// Many values of one type, in blocks.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "index/page_memory.h"

namespace neardup {

/// Grows without copying values and without spare capacity. Pointers to values stay valid. Memory
/// goes back to the operating system in the destructor.
template <class T>
class Column {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  T& Append(const T& value) {
    if (size_ == blocks_.size() * kPerBlock) blocks_.emplace_back(kPerBlock * sizeof(T));
    T* const place = static_cast<T*>(blocks_.back().data()) + size_ % kPerBlock;
    ++size_;
    return *new (place) T(value);
  }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](size_t i) {
    return *std::launder(static_cast<T*>(blocks_[i / kPerBlock].data()) + i % kPerBlock);
  }
  const T& operator[](size_t i) const {
    return *std::launder(static_cast<const T*>(blocks_[i / kPerBlock].data()) + i % kPerBlock);
  }
  T& back() { return (*this)[size_ - 1]; }
  /// Memory that has been touched.
  size_t bytes() const { return size_ * sizeof(T); }

 private:
  /// At most 1 MiB, so that a column of few values takes little memory.
  static constexpr size_t kPerBlock = std::bit_floor((size_t{1} << 20) / sizeof(T));

  std::vector<PageMemory> blocks_;
  size_t size_ = 0;
};

}  // namespace neardup
