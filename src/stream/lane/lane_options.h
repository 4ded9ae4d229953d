// The options of a lane.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "neardup/options.h"
#include "stream/lane/ports.h"
#include "stream/state/pipeline.h"
#include "stream/state/route.h"

namespace neardup {

/// How the verdict is written onto an output record.
enum class HeaderStyle : uint8_t {
  kPacked,    ///< one header `neardup`
  kSeparate,  ///< one header per field (neardup-seq, neardup-origin, ...) for tools that filter on
              ///< them
  kFull,      ///< one header `neardup` that also has the fingerprint
};

/// The key of the records on the unique topic.
enum class UniqueKey : uint8_t {
  kRecord,  ///< their own
  kGroup,   ///< the position of the group's original, so that a compacted topic keeps one record of
            ///< each group; a header holds their own key
};

/// What to do when something is lost that the lane relies on.
enum class OnLoss : uint8_t {
  kFail,      ///< end with an error that says what is lost and what to do
  kContinue,  ///< report it, count it, and go on without it
};

/// What follows when too many records are dead letters.
enum class OnExcess : uint8_t { kWarn, kFail };

struct DeadLetterOptions {
  /// Largest share of dead letters among the records, 0 to 1. 1: no share is too large.
  double share_max = 0.5;
  OnExcess on_excess = OnExcess::kWarn;
  /// In place of on_excess kWarn while nothing was ever committed: the settings are then probably
  /// wrong, and nothing is lost yet.
  OnExcess on_first_excess = OnExcess::kFail;
};

/// Each record counts for at least this many bytes in a transaction, because headers, framing and
/// the changelog add to a small payload.
inline constexpr size_t kRecordBytesMin = 1024;

struct LaneOptions {
  FilterOptions filter;
  /// The filter's options were learned from the stream: what the changelog says of them
  /// (Delta::learned). Empty: a person gave them.
  std::string learned;
  uint16_t lane = 0;
  /// The lane's topics, and those that they may replace. If empty, any changelog is accepted.
  Pipeline pipeline;
  StartAt start_at = StartAt::kEarliest;
  HeaderStyle headers = HeaderStyle::kPacked;
  RoutingOptions routing;
  UniqueKey unique_key = UniqueKey::kRecord;
  DeadLetterOptions dead_letters;
  /// A transaction is committed after this time or this size, whichever comes first. The size is at
  /// least 1.
  int64_t transaction_interval_ms = 100;
  size_t transaction_bytes_max = size_t{32} << 20;
  /// After this time the brokers abort a transaction.
  int64_t transaction_timeout_ms = 30'000;
  /// Not 0: a transaction is committed after exactly this many records, and neither by time nor by
  /// size, and nothing is decided while it commits. What the lane remembers then depends only on
  /// the records and their order, so that two runs give the same verdicts.
  size_t transaction_records = 0;
  /// Records that are polled, fingerprinted and decided together.
  size_t batch_records_max = 2000;
  /// An input that has been at its end for this long does not hold the watermark back.
  int64_t idle_ms = 10'000;
  /// Time between two looks for new partitions.
  int64_t partitions_refresh_ms = 30'000;
  /// kContinue: where records were deleted before they were read, go on after them; where a topic
  /// was created again or its log was cut, read it from its beginning.
  OnLoss on_data_loss = OnLoss::kFail;
  /// With several lanes (PipelineTopics::lanes): kContinue reads a new partition of a topic that
  /// was read before.
  OnLoss on_partition_growth = OnLoss::kFail;
  /// kContinue: read the other topics while an input topic that was read before does not exist.
  OnLoss on_missing_topic = OnLoss::kContinue;
  /// Threads that fingerprint records and look them up; 0: one per core.
  uint32_t fingerprint_threads = 0;
  OnLoss on_changelog_loss = OnLoss::kFail;
  /// Wait before the lane is promoted again after an error. Doubles from min to max.
  int64_t retry_backoff_min_ms = 100;
  int64_t retry_backoff_max_ms = 10'000;
  /// After this time of trouble the lane leaves the lease to another instance, and stays out for
  /// lease_stay_out_ms.
  int64_t lease_give_up_ms = 15'000;
  int64_t lease_stay_out_ms = 5'000;
};

/// The largest number of entries that can be uncommitted at once.
constexpr uint64_t UncommittedMax(const LaneOptions& options) {
  if (options.transaction_records > 0) return options.transaction_records;
  return (options.transaction_bytes_max + kRecordBytesMin - 1) / kRecordBytesMin;
}

}  // namespace neardup
