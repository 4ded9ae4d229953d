// The edge between C++ and C: errors as a status and a text, and structs of other versions.
#pragma once

#include <cstddef>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "bindings/batch_filter.h"
#include "neardup/neardup.h"
#include "neardup/record.h"
#include "neardup/result.h"

namespace neardup {

neardup_status StatusOf(ErrorCode code);

/// How a call ended.
struct [[nodiscard]] Outcome {
  neardup_status status = NEARDUP_OK;
  std::string text{};

  Outcome() = default;
  Outcome(neardup_status code, std::string why) : status(code), text(std::move(why)) {}
  Outcome(const Error& error) : Outcome(StatusOf(error.code), error.text) {}  // NOLINT(*explicit*)

  bool ok() const { return status == NEARDUP_OK; }
  const Outcome& error() const { return *this; }
};

Outcome InvalidArgument(std::string why);

/// A copy for the caller, who frees it. Throws std::bad_alloc.
char* TextForCaller(std::string_view text);

/// Gives the text to the caller if there is a place and memory for it.
void Report(char** error, std::string_view text) noexcept;

/// Runs the body of a function of the interface. What it throws becomes a status.
template <class Body>
neardup_status Guarded(char** error, Body body) noexcept {
  if (error != nullptr) *error = nullptr;
  try {
    const Outcome outcome = body();
    if (!outcome.ok()) Report(error, outcome.text);
    return outcome.status;
  } catch (const std::bad_alloc&) {
    Report(error,
           "there is not enough memory; lower window.entries_max, give fewer records in a "
           "call, or give the process more memory");
    return NEARDUP_OUT_OF_MEMORY;
  } catch (const std::exception& problem) {
    Report(error, problem.what());
    return NEARDUP_INTERNAL;
  } catch (...) {
    Report(error, "an exception of an unknown type");
    return NEARDUP_INTERNAL;
  }
}

/// Copies the struct that begins at `from` into `to`, which has `known` bytes; the members that it
/// lacks keep their values. `name` is for errors. `least` bytes must be there.
Outcome ReadStruct(const void* from, size_t least, size_t known, const std::string& name, void* to);
/// Whether a caller's struct of `size` bytes can be filled.
Outcome CheckSize(size_t size, const std::string& name);
/// Copies the first `size` bytes of a struct with `known` bytes to the caller, and 0 for the bytes
/// that are not known. Sets the caller's struct_size to `size`.
void WriteStruct(const void* from, size_t known, size_t size, void* to);

// The caller's array of records.

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
