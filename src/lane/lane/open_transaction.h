// The transaction that a lane has open: what it holds so far, and when it is due.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lane/lane_options.h"
#include "lane/ports.h"
#include "lane/probe.h"
#include "lane/transaction_size.h"
#include "neardup/result.h"
#include "state/input.h"
#include "state/lane_state.h"

namespace neardup {

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
