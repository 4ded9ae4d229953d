// A record on its way through the lane, with everything that must come out untouched.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "neardup/record.h"
#include "neardup/verdict.h"
#include "state/input.h"

namespace neardup {

/// Borrowed views; for input headers the message's `owner` keeps them alive.
struct HeaderView {
  std::string_view name;
  std::optional<std::string_view> value;
};

/// One input record. The views live as long as `owner`.
struct Message {
  Position position;
  /// The record's timestamp, milliseconds since 1970; -1 if it has none.
  int64_t timestamp_ms = -1;
  std::optional<std::string_view> key;
  std::optional<std::string_view> value;
  std::vector<HeaderView> headers;
  std::shared_ptr<const void> owner;
};

/// A record with its verdict, ready to be written.
struct RoutedRecord {
  const Message& message;
  const InputPartition& input;
  const Verdict& verdict;
  uint64_t seq = 0;
  /// Input partition of verdict.original; only for duplicates.
  const InputPartition* original_input = nullptr;
  /// Ours, to be appended after the record's own.
  const std::vector<HeaderView>& headers;
  /// Dead letters by reference: key and value are left out, the headers name the origin.
  bool by_reference = false;
};

}  // namespace neardup
