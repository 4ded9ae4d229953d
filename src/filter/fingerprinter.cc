#include <cassert>

#include "base/hash.h"
#include "filter/record_features.h"
#include "fingerprint/key_hash.h"
#include "fingerprint/simhash.h"
#include "fingerprint/text_key_chooser.h"
#include "neardup/filter.h"

namespace neardup {

struct Fingerprinter::Parts {
  explicit Parts(const FilterOptions& options) : reader(options), model(options.model) {}

  RecordFeatureReader reader;
  Model model;
};

Fingerprinter::Fingerprinter(const FilterOptions& options) {
  assert(CheckOptions(options).ok());
  parts_ = std::make_unique<Parts>(options);
}
Fingerprinter::~Fingerprinter() = default;
Fingerprinter::Fingerprinter(Fingerprinter&&) noexcept = default;
Fingerprinter& Fingerprinter::operator=(Fingerprinter&&) noexcept = default;

FingerprintedRecord Fingerprinter::Compute(const RecordView& record) {
  const RecordFeatures& features = parts_->reader.Read(record);
  FingerprintedRecord result;
  result.position = record.position;
  result.time_ms = features.time_ms;
  result.reason = features.reason;
  result.passed = features.passed;
  result.error = features.error;
  if (result.reason != Reason::kNone || result.passed) return result;
  result.features = features.features;
  if (features.exact_only) {
    result.fingerprint = {features.exact, Mix64(features.exact), features.exact};
    return result;
  }
  const uint64_t simhash = CentredSimhash(features.sums, parts_->model.centre);
  result.fingerprint = {KeyedSimhash(simhash, features.key),
                        KeyedOrder(features.order, features.key), features.exact};
  result.text_keys = ChooseTextKeys(features.triples, parts_->model);
  return result;
}

}  // namespace neardup
