#include "batch/fingerprint_columns.h"

#include <algorithm>

namespace neardup {

void FingerprintColumns::Reserve(size_t records) {
  simhash.reserve(records);
  order.reserve(records);
  exact.reserve(records);
  numbers.reserve(records);
  text_keys.reserve(records);
  features.reserve(records);
  time_ms.reserve(records);
  reason.reserve(records);
  passed.reserve(records);
}

void FingerprintColumns::Add(const FingerprintedRecord& record) {
  const ReadOutcome& outcome = record.outcome;
  if (!outcome.error.empty()) errors.emplace_back(size(), outcome.error);
  simhash.push_back(record.fingerprint.simhash);
  order.push_back(record.fingerprint.order);
  exact.push_back(record.fingerprint.exact);
  numbers.push_back(record.fingerprint.numbers);
  auto& keys = text_keys.emplace_back();
  std::copy(record.text_keys.keys().begin(), record.text_keys.keys().end(), keys.begin());
  features.push_back(record.features);
  time_ms.push_back(outcome.time_ms);
  reason.push_back(static_cast<uint8_t>(outcome.reason));
  passed.push_back(outcome.passed ? 1 : 0);
}

FingerprintedRecord FingerprintColumns::At(size_t row, Position position) const {
  FingerprintedRecord record;
  record.position = position;
  record.outcome.time_ms = time_ms[row];
  record.outcome.reason = static_cast<Reason>(reason[row]);
  record.outcome.passed = passed[row] != 0;
  record.fingerprint = {simhash[row], order[row], exact[row], numbers[row]};
  for (const uint32_t key : text_keys[row]) {
    if (key != 0) record.text_keys.Add(key);
  }
  record.features = features[row];
  return record;
}

}  // namespace neardup
