// Operating errors as values. Bad input is a verdict (a dead letter with a reason), not an Error; a
// programming error asserts.
#pragma once

#include <cassert>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

namespace neardup {

enum class ErrorCode : uint8_t {
  kConfig,          ///< the configuration is wrong; a person has to change it
  kNotFound,        ///< something that was named, such as a file or an input, does not exist
  kIo,              ///< reading or writing failed
  kBadInput,        ///< the records to read are of another format, or none can be compared
  kCorrupt,         ///< stored bytes do not have the documented form
  kMismatch,        ///< the state belongs to another configuration or to other inputs
  kUnavailable,     ///< the other side does not answer at the moment
  kAuth,            ///< refused for lack of credentials or permissions
  kAborted,         ///< the work cannot be committed; it can be rolled back and done again
  kFenced,          ///< another instance has taken over
  kUnknownOutcome,  ///< a commit may or may not have happened
  kExhausted,       ///< a stated limit is reached
  kInternal,        ///< a library behaved outside its contract
};

/// Short lower-case name of a code, for logs and metrics.
constexpr const char* Name(ErrorCode code) {
  switch (code) {
    case ErrorCode::kConfig:
      return "config";
    case ErrorCode::kNotFound:
      return "not_found";
    case ErrorCode::kIo:
      return "io";
    case ErrorCode::kBadInput:
      return "bad_input";
    case ErrorCode::kCorrupt:
      return "corrupt";
    case ErrorCode::kMismatch:
      return "mismatch";
    case ErrorCode::kUnavailable:
      return "unavailable";
    case ErrorCode::kAuth:
      return "auth";
    case ErrorCode::kAborted:
      return "aborted";
    case ErrorCode::kFenced:
      return "fenced";
    case ErrorCode::kUnknownOutcome:
      return "unknown_outcome";
    case ErrorCode::kExhausted:
      return "exhausted";
    case ErrorCode::kInternal:
      return "internal";
  }
  return "internal";
}

struct Error {
  ErrorCode code = ErrorCode::kInternal;
  /// For a person: what failed, what was expected, what was found, and what to do.
  std::string text;
  /// The same call may succeed later.
  bool retriable = false;
  /// This process cannot continue.
  bool fatal = false;
};

inline Error Retriable(ErrorCode code, std::string text) {
  return {code, std::move(text), true, false};
}
inline Error Fatal(ErrorCode code, std::string text) {
  return {code, std::move(text), false, true};
}

/// A value or an Error: check ok() first. Reading the one that it does not hold asserts.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT(*explicit*)
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT(*explicit*)

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }
  T& value() & {
    assert(ok());
    return std::get<0>(state_);
  }
  const T& value() const& {
    assert(ok());
    return std::get<0>(state_);
  }
  T&& value() && {
    assert(ok());
    return std::get<0>(std::move(state_));
  }
  const Error& error() const {
    assert(!ok());
    return std::get<1>(state_);
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}  // NOLINT(*explicit*)

  bool ok() const { return !error_.has_value(); }
  explicit operator bool() const { return ok(); }
  const Error& error() const {
    assert(!ok());
    return *error_;
  }

 private:
  std::optional<Error> error_;
};

}  // namespace neardup

#define NEARDUP_CONCAT_INNER(a, b) a##b
#define NEARDUP_CONCAT(a, b) NEARDUP_CONCAT_INNER(a, b)

/// NEARDUP_TRY(F()); returns F's error from the enclosing function if F fails.
#define NEARDUP_TRY(expr)                                     \
  do {                                                        \
    if (auto neardup_result = (expr); !neardup_result.ok()) { \
      return neardup_result.error();                          \
    }                                                         \
  } while (false)

/// NEARDUP_ASSIGN(auto x, F()); declares x with F's value, or returns F's error.
#define NEARDUP_ASSIGN(lhs, expr) \
  NEARDUP_ASSIGN_INNER(NEARDUP_CONCAT(neardup_result_, __LINE__), lhs, expr)
#define NEARDUP_ASSIGN_INNER(name, lhs, expr) \
  auto name = (expr);                         \
  if (!name.ok()) return name.error();        \
  lhs = std::move(name).value()
