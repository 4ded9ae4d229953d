// Finds the record behind a failed delivery, and the one to blame behind a refused batch.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "kafka/handle.h"
#include "neardup/record.h"
#include "stream/ports.h"

namespace neardup {

/// One thread. A record in flight is known by a tag that goes through the library as an opaque
/// pointer; tags of earlier transactions are recognised and mean nothing.
class Refusals {
 public:
  /// True when sending the record again cannot help.
  static bool ForItsOwnSake(rd_kafka_resp_err_t code);

  /// Forgets the records in flight, not the suspects.
  void StartTransaction();
  /// Never null.
  void* Tag(const Position& position);
  /// A failed delivery; counts when the broker refused the batch for its records' sake.
  void Report(void* tag, rd_kafka_resp_err_t code);
  /// A record the library itself does not take.
  void ReportTooLarge(const Position& position, const std::string& text);

  /// The record was in a refused batch before and must go alone.
  bool IsSuspect(const Position& position) const {
    return !suspects_.empty() && suspects_.count(position) > 0;
  }
  void Acquit(const Position& position) { suspects_.erase(position); }
  void AcquitAll() { suspects_.clear(); }

  bool any() const { return !refused_.empty(); }
  std::vector<Transaction::Refusal> Take();

 private:
  uint64_t transaction_ = 0;
  std::vector<Position> in_flight_;
  std::set<Position> suspects_;
  std::vector<Transaction::Refusal> refused_;
};

}  // namespace neardup
