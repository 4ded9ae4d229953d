// The transaction that a lane has open: what it holds so far, and when it is due.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "neardup/result.h"
#include "stream/lane/lane_options.h"
#include "stream/lane/ports.h"
#include "stream/lane/probe.h"
#include "stream/state/groups.h"
#include "stream/state/lane_state.h"
#include "stream/state/route.h"

namespace neardup {

// How many bytes a transaction may hold.

/// LaneOptions::transaction_bytes_max, or less where transactions take too long, such as under a
/// quota or on a slow link. Otherwise each attempt would be as large as the one that timed out.
///
/// If a transaction takes more than a quarter of the time-out, the limit becomes the size that
/// would take an eighth. If a transaction is lost after half of the time-out, the limit becomes a
/// quarter of its size. The limit doubles with each transaction that takes less than an eighth. One
/// owner thread; the options must outlive it.
class TransactionSize {
 public:
  explicit TransactionSize(const LaneOptions& options)
      : options_(options), bytes_max_(options.transaction_bytes_max) {}

  size_t bytes_max() const { return bytes_max_; }
  bool is_limited() const { return bytes_max_ < options_.transaction_bytes_max; }

  /// A transaction of this size was committed after this time.
  void Committed(size_t bytes, int64_t lasted_ms) {
    const int64_t sent_ms = lasted_ms - options_.transaction_interval_ms;
    const int64_t goal_ms = options_.transaction_timeout_ms / 8;
    if (sent_ms > 2 * goal_ms) {
      Set(static_cast<size_t>(static_cast<double>(bytes) * static_cast<double>(goal_ms) /
                              static_cast<double>(sent_ms)));
    } else if (sent_ms < goal_ms) {
      Set(bytes_max_ * 2);
    }
  }
  /// A transaction of this size was aborted or lost after this time.
  void Lost(size_t bytes, int64_t lasted_ms) {
    if (lasted_ms >= options_.transaction_timeout_ms / 2) Set(std::min(bytes, bytes_max_) / 4);
  }

 private:
  static constexpr size_t kBytesMin = size_t{64} << 10;

  void Set(size_t bytes) {
    const size_t most = options_.transaction_bytes_max;
    bytes_max_ = std::clamp(bytes, std::min(kBytesMin, most), most);
  }

  const LaneOptions& options_;
  size_t bytes_max_;
};

// What the lane says of a group of records that repeat one another, as the groups topic holds it.

/// One JSON object in one line:
///
///   {"original":{"topic":"news","partition":1,"offset":771},"copies":3,"first_time_ms":...,
///    "last_time_ms":...,"last":{...},"newest":{...}}
///
/// `first_time_ms` is the event time of the original, `last_time_ms` the latest of the group.
/// `last` is the copy that was decided last, and `newest` the record that the unique topic
/// keeps of the group (Keep).
std::string GroupText(const Group& group, std::span<const InputProgress> inputs);

/// Begins with the first record and ends with Close or Forget. One owner thread; the options and
/// the ports must outlive it.
class OpenTransaction {
 public:
  OpenTransaction(const LaneOptions& options, Transaction& port, const Clock& clock)
      : options_(options), port_(port), clock_(clock), size_(options) {}

  /// Does nothing when it is open.
  Result<void> Begin() { return BeginSince(clock_.SteadyMs()); }
  /// As Begin, when the first record was decided at `since_ms` on the steady clock.
  Result<void> BeginSince(int64_t since_ms);
  /// `bytes`: size of the record's key, value and headers.
  Result<void> Publish(const RoutedRecord& record, size_t bytes);
  Result<void> PublishDeltas(const LaneState& state);
  /// Publishes each group that changed since the last commit.
  Result<void> PublishGroups(const LaneState& state);
  /// Hash64 of the last delta that was published.
  uint64_t newest_delta() const { return newest_delta_; }
  /// Call after a commit. Returns what the transaction did.
  CommittedBatch Close();
  /// Call when it is aborted, or lost with its producer.
  void Forget();

  /// What the transaction holds so far.
  const CommittedBatch& counted() const { return counted_; }
  bool is_open() const { return is_open_; }
  bool is_full() const {
    return by_records() ? records_ >= options_.transaction_records : bytes_ >= size_.bytes_max();
  }
  /// True if this transaction has no room for the records that count as `bytes`, which are decided
  /// while it commits.
  bool is_full_with(size_t bytes) const {
    return by_records() || bytes_ + bytes >= size_.bytes_max();
  }
  /// What a record of this size counts in a transaction.
  static size_t CountedBytes(size_t bytes) { return std::max(bytes, kRecordBytesMin); }
  /// It is open, and has lasted for the transaction interval, or is three quarters full. The rest
  /// is room for what is decided while it commits. With LaneOptions::transaction_records: it is
  /// full.
  bool is_due() const {
    if (by_records()) return is_open_ && is_full();
    const size_t most = size_.bytes_max();
    return is_open_ && (bytes_ >= most - most / 4 || left_ms() <= 0);
  }
  /// Time until the transaction interval is over; INT64_MAX if no time ends it. It must be open.
  int64_t left_ms() const;
  const TransactionSize& size() const { return size_; }
  /// How many records fill a transaction, judged by the size of those published so far.
  size_t records_that_fit() const;

 private:
  bool by_records() const { return options_.transaction_records > 0; }
  void Count(const RoutedRecord& record, size_t bytes);
  void End();

  const LaneOptions& options_;
  Transaction& port_;
  const Clock& clock_;

  TransactionSize size_;
  bool is_open_ = false;
  int64_t begun_ms_ = 0;
  size_t bytes_ = 0;
  size_t records_ = 0;
  uint64_t newest_delta_ = 0;
  CommittedBatch counted_;
  std::vector<int64_t> timestamps_ms_;
  /// A moving mean over the transactions.
  size_t record_bytes_mean_ = 0;
};

}  // namespace neardup
