#include <fmt/format.h>

#include <cassert>

#include "base/hash.h"
#include "filter/match_scheme.h"
#include "filter/record_features.h"
#include "fingerprint/exact_hash.h"
#include "fingerprint/simhash.h"
#include "fingerprint/text_keys.h"
#include "neardup/filter.h"

namespace neardup {

struct Fingerprinter::Parts {
  explicit Parts(const FilterOptions& options)
      : reader(options),
        model(options.model),
        scheme(ChooseScheme(options.scheme).value().scheme),
        texts(options) {}

  RecordFeatureReader reader;
  Model model;
  std::shared_ptr<const Scheme> scheme;  ///< nullptr: the filter's own
  SchemeTextReader texts;                ///< in place of the other reader for any other
};

namespace {

FingerprintedRecord SketchedRecord(const Scheme& scheme, const SchemeTexts& texts) {
  FingerprintedRecord result;
  result.outcome = texts.outcome;
  if (!result.outcome.comparable()) return result;
  result.fingerprint.exact = texts.exact;
  for (const SchemeText& text : texts.texts) {
    result.features += static_cast<uint32_t>(text.tokens.size());
  }
  scheme.Compute(texts.texts, result.sketch);
  if (result.sketch.bytes() > kSketchBytesMax) {
    result.outcome.Fail(
        Reason::kTooLarge,
        fmt::format("scheme {} keeps {} bytes of the record, at most {} can be remembered",
                    scheme.name(), result.sketch.bytes(), kSketchBytesMax));
    result.sketch = {};
  }
  return result;
}

}  // namespace

Fingerprinter::Fingerprinter(const FilterOptions& options) {
  assert(CheckOptions(options).ok());
  parts_ = std::make_unique<Parts>(options);
}
Fingerprinter::~Fingerprinter() = default;
Fingerprinter::Fingerprinter(Fingerprinter&&) noexcept = default;
Fingerprinter& Fingerprinter::operator=(Fingerprinter&&) noexcept = default;

FingerprintedRecord Fingerprinter::Compute(const RecordView& record) {
  if (parts_->scheme) {
    FingerprintedRecord sketched = SketchedRecord(*parts_->scheme, parts_->texts.Read(record));
    sketched.position = record.position;
    return sketched;
  }
  const RecordFeatures& features = parts_->reader.Read(record);
  FingerprintedRecord result;
  result.position = record.position;
  result.outcome = features.outcome;
  if (!result.outcome.comparable()) return result;
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
