// The records in flight of one transaction, and those among them that the broker refused.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kafka/handle.h"
#include "lane/ports.h"
#include "neardup/record.h"

namespace neardup {

/// Finds the record behind a failed delivery by its tag, a number that goes through the library as
/// an opaque pointer. Tags of earlier transactions are recognised and ignored. One thread.
class Refusals {
 public:
  /// True when the broker refuses the content of a batch: sending it again as it was cannot help.
  static bool IsContentRefused(rd_kafka_resp_err_t code);

  /// Forgets the records in flight and the refusals.
  void StartTransaction();
  /// The tag of a record that is to be sent; never null. `alone`: the record goes in a batch of its
  /// own.
  void* Tag(const Position& position, bool alone);
  /// Adds the refusal behind a failed delivery; ignores a failure that is no refusal of content.
  void Report(void* tag, rd_kafka_resp_err_t code);
  /// Adds the refusal of a record that the library itself does not take.
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

}  // namespace neardup
