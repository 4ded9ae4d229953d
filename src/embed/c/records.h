// The caller's array of records.
#pragma once

#include <cstddef>
#include <string>

#include "batch/batch_filter.h"
#include "c/edge.h"
#include "neardup/neardup.h"
#include "neardup/record.h"

namespace neardup {

/// Records of one struct_size, borrowed.
class CallerRecords {
 public:
  /// Takes the array, after a check of all its records.
  Outcome Take(const neardup_record* records, size_t count);

  size_t count() const { return count_; }
  /// The record with the position {0, index}.
  RecordView at(size_t index) const;
  /// Borrows from this object.
  RecordBatch batch() const;

 private:
  const unsigned char* first_ = nullptr;
  size_t count_ = 0;
  size_t size_ = 0;
};

}  // namespace neardup
