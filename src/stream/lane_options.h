// What a lane can be told.
#pragma once

#include <cstddef>
#include <cstdint>

#include "neardup/options.h"
#include "stream/ports.h"

namespace neardup {

/// How the verdict is written onto an output record.
enum class HeaderStyle : uint8_t {
  kPacked,    ///< one header `neardup`
  kSeparate,  ///< neardup-seq, neardup-origin, ... for tools that filter on single headers
  kFull,      ///< one header `neardup` that also names the fingerprint
  kNone,      ///< nothing is added
};

/// A record counts for at least this in a transaction: small ones cost more than their payload, by
/// headers, framing and what the changelog says of them.
inline constexpr size_t kRecordBytesMin = 256;

struct LaneOptions {
  FilterOptions filter;
  uint16_t lane = 0;
  StartAt start_at = StartAt::kEarliest;
  HeaderStyle headers = HeaderStyle::kPacked;
  /// A transaction is committed after this time or these bytes, whichever comes first. Range of the
  /// bytes: 1 and more.
  int64_t transaction_interval_ms = 100;
  size_t transaction_bytes_max = size_t{8} << 20;
  /// Records polled, fingerprinted and decided together.
  size_t batch_records_max = 2000;
  /// An input at its end for this long does not hold the watermark back.
  int64_t idle_ms = 10'000;
  /// How often new partitions are looked for.
  int64_t partitions_refresh_ms = 30'000;
  /// Threads that fingerprint and look up; 0: one per core.
  uint32_t fingerprint_threads = 0;
  /// Wait before the lane is taken again after an error: doubles from min to max.
  int64_t retry_backoff_min_ms = 100;
  int64_t retry_backoff_max_ms = 10'000;
};

/// As many entries as can be uncommitted at once.
constexpr uint64_t UncommittedMax(const LaneOptions& options) {
  return (options.transaction_bytes_max + kRecordBytesMin - 1) / kRecordBytesMin;
}

}  // namespace neardup
