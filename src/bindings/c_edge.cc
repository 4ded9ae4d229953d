#include "bindings/c_edge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <optional>

namespace neardup {
namespace {

/// No struct of a later version is larger, and a struct_size that was never set is likely to be.
constexpr size_t kStructBytesMax = 4096;

size_t SizeOf(const void* structure) {
  size_t size = 0;
  std::memcpy(&size, structure, sizeof size);
  return size;
}

Outcome CheckLeastSize(size_t size, size_t least, const std::string& name) {
  if (size >= least && size <= kStructBytesMax) return {};
  return InvalidArgument(
      fmt::format("{}.struct_size is {}; set it to the sizeof of the struct", name, size));
}

}  // namespace

neardup_status StatusOf(ErrorCode code) {
  switch (code) {
    case ErrorCode::kConfig:
      return NEARDUP_CONFIG;
    case ErrorCode::kNotFound:
      return NEARDUP_NOT_FOUND;
    case ErrorCode::kIo:
      return NEARDUP_IO;
    case ErrorCode::kCorrupt:
      return NEARDUP_CORRUPT;
    case ErrorCode::kMismatch:
      return NEARDUP_MISMATCH;
    default:
      return NEARDUP_INTERNAL;
  }
}

Outcome InvalidArgument(std::string why) { return {NEARDUP_INVALID_ARGUMENT, std::move(why)}; }

char* TextForCaller(std::string_view text) {
  char* copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy == nullptr) throw std::bad_alloc();
  std::memcpy(copy, text.data(), text.size());
  copy[text.size()] = '\0';
  return copy;
}

void Report(char** error, std::string_view text) noexcept {
  if (error == nullptr) return;
  try {
    *error = TextForCaller(text);
  } catch (const std::bad_alloc&) {  // the status still says what happened
  }
}

Outcome CheckSize(size_t size, const std::string& name) {
  return CheckLeastSize(size, sizeof(size_t) + 1, name);
}

Outcome ReadStruct(const void* from, size_t least, size_t known, const std::string& name,
                   void* to) {
  const size_t size = SizeOf(from);
  NEARDUP_TRY(CheckLeastSize(size, least, name));
  const auto* bytes = static_cast<const unsigned char*>(from);
  for (size_t i = known; i < size; ++i) {
    if (bytes[i] == 0) continue;
    return InvalidArgument(
        fmt::format("{} has a member at byte {} that this version of the library does not know; "
                    "set it to 0, or use a newer library",
                    name, i));
  }
  std::memcpy(to, from, std::min(size, known));
  return {};
}

void WriteStruct(const void* from, size_t known, size_t size, void* to) {
  auto* bytes = static_cast<unsigned char*>(to);
  std::memcpy(bytes, from, std::min(size, known));
  if (size > known) std::memset(bytes + known, 0, size - known);
  std::memcpy(bytes, &size, sizeof size);
}

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
  return {count_, [this](size_t i, RecordBuffer&) { return at(i); }};
}

}  // namespace neardup
