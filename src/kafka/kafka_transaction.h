// Finds the record behind a failed delivery.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kafka/handle.h"
#include "kafka/kafka_options.h"
#include "neardup/record.h"
#include "neardup/result.h"
#include "stream/ports.h"

namespace neardup {

/// One thread. A record in flight is known by a tag that goes through the library as an opaque
/// pointer; tags of earlier transactions are recognised and mean nothing.
class Refusals {
 public:
  /// True when sending the record again cannot help.
  static bool ForItsOwnSake(rd_kafka_resp_err_t code);

  /// Forgets the records in flight.
  void StartTransaction();
  /// Never null. `alone`: the record goes in a batch of its own.
  void* Tag(const Position& position, bool alone);
  /// A failed delivery; counts when the broker refused the batch for its records' sake.
  void Report(void* tag, rd_kafka_resp_err_t code);
  /// A record the library itself does not take.
  void ReportTooLarge(const Position& position, const std::string& text);

  bool any() const { return !refused_.empty(); }
  std::vector<Transaction::Refusal> Take();

 private:
  struct InFlight {
    Position position;
    bool alone = false;
  };

  uint64_t transaction_ = 0;
  std::vector<InFlight> in_flight_;
  std::vector<Transaction::Refusal> refused_;
};

// Transaction over one transactional producer, <app>-lane-<lane>.

/// `max_message_bytes`: largest batch by output topic, as TopicReport has it; a topic that is not
/// in it is taken to have the broker's default. The producer is built by Fence.
///
/// What goes out is what came in: key, value, headers and timestamp, in the same partition; our
/// headers follow. Two exceptions of the client library's making: the timestamp 0 (1970-01-01
/// exactly) becomes the time of writing, since 0 means "now" to it. By reference, neither the
/// record's own headers go out (they may be what is too large) nor, when the broker refused the
/// record, its timestamp (that may be what is refused).
///
/// A broker refuses a batch as a whole: all its records are refused as Reason::kUndeliverable. A
/// record that was published alone (RoutedRecord::alone) has its own reason (RefusedRecords says
/// what the lane makes of it). The transaction after a refusal is aborted once more for nothing:
/// the library leaves a gap in its sequence numbers, which the broker refuses, and only then starts
/// a new epoch. (A new producer instead would need a new look at the changelog.)
std::unique_ptr<Transaction> NewKafkaTransaction(const KafkaOptions& options, uint16_t lane,
                                                 std::map<std::string, int64_t> max_message_bytes,
                                                 KafkaLog log);

}  // namespace neardup
