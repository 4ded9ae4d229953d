#include "kafka/transaction_failure.h"

#include <librdkafka/rdkafka.h>

#include <algorithm>

namespace neardup {

void TransactionFailure::TransactionBegins() {
  const std::lock_guard<std::mutex> lock(mutex_);
  of_transaction_.clear();
  of_partition_.clear();
}

void TransactionFailure::Logged(std::string_view facility, std::string_view text) {
  const bool about_partition = facility == "ADDPARTS";
  if (!about_partition && facility != "TXNERR") return;
  if (text.starts_with("[thrd:")) {
    text.remove_prefix(std::min(text.find("]: ") + 3, text.size()));
  }
  // The broker refuses the other partitions of the request without a reason of their own.
  const char* const not_tried = rd_kafka_err2str(RD_KAFKA_RESP_ERR_OPERATION_NOT_ATTEMPTED);
  const std::lock_guard<std::mutex> lock(mutex_);
  if (about_partition && text.find(not_tried) == text.npos) of_partition_ = text;
  if (!about_partition) of_transaction_ = text;
}

std::string TransactionFailure::Text() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return of_partition_.empty() ? of_transaction_ : of_partition_;
}

}  // namespace neardup
