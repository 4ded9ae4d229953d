#include "c/edge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

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

}  // namespace neardup
