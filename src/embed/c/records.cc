#include "c/records.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>

namespace neardup {
namespace {

constexpr size_t kKnown = sizeof(neardup_record);
/// A record without an event time has at least these bytes.
constexpr size_t kLeast = offsetof(neardup_record, value_bytes) + sizeof(size_t);

}  // namespace

Outcome CallerRecords::Take(const neardup_record* records, size_t count) {
  if (count == 0) return {};
  if (records == nullptr) return InvalidArgument("records is NULL, and count is not 0");
  if (count > static_cast<uint64_t>(kOffsetMax)) {
    return InvalidArgument(fmt::format("count is {}; expected at most {}", count, kOffsetMax));
  }
  first_ = reinterpret_cast<const unsigned char*>(records);
  std::memcpy(&size_, first_, sizeof size_);
  for (size_t i = 0; i < count; ++i) {
    const unsigned char* from = first_ + i * size_;
    neardup_record record{};
    NEARDUP_TRY(ReadStruct(from, kLeast, kKnown, "record", &record));
    if (record.struct_size != size_) {
      return InvalidArgument(fmt::format(
          "record {} has struct_size {}, and the first record has {}; expected the same "
          "in all records of a call",
          i, record.struct_size, size_));
    }
    if (record.value == nullptr && record.value_bytes != 0) {
      return InvalidArgument(
          fmt::format("record {} has {} bytes, and its value is NULL", i, record.value_bytes));
    }
  }
  count_ = count;
  return {};
}

RecordView CallerRecords::at(size_t index) const {
  neardup_record record{};
  std::memcpy(&record, first_ + index * size_, std::min(size_, kKnown));
  RecordView view{{0, static_cast<int64_t>(index)}, record.time_ms, std::nullopt};
  if (record.value != nullptr) {
    view.value = std::string_view(static_cast<const char*>(record.value), record.value_bytes);
  }
  return view;
}

RecordBatch CallerRecords::batch() const {
  return {count_, [this](size_t i, std::string&) { return at(i); }};
}

}  // namespace neardup
