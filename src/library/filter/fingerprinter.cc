#include <fmt/format.h>

#include <cassert>
#include <memory>
#include <utility>
#include <variant>

#include "base/hash.h"
#include "filter/match_scheme.h"
#include "filter/record_features.h"
#include "fingerprint/exact_hash.h"
#include "fingerprint/simhash.h"
#include "fingerprint/text_keys.h"
#include "neardup/filter.h"

namespace neardup {

namespace {

/// Computes fingerprints of the filter's own scheme.
class OwnFingerprinter {
 public:
  explicit OwnFingerprinter(const FilterOptions& options)
      : reader_(options), model_(options.model) {}

  FingerprintedRecord Compute(const RecordView& record) {
    const RecordFeatures& features = reader_.Read(record);
    FingerprintedRecord result;
    result.position = record.position;
    result.outcome = features.outcome;
    if (!result.outcome.comparable()) return result;
    result.features = features.features;
    if (features.exact_only) {
      result.fingerprint = {features.exact, Mix64(features.exact), features.exact};
      return result;
    }
    const uint64_t simhash = CentredSimhash(features.sums, model_.centre);
    result.fingerprint = {KeyedSimhash(simhash, features.key),
                          KeyedOrder(features.order, features.key), features.exact};
    result.text_keys = ChooseTextKeys(features.triples, model_);
    return result;
  }

 private:
  RecordFeatureReader reader_;
  Model model_;
};

/// Computes the exact hash, and the sketches of a comparison scheme.
class SketchFingerprinter {
 public:
  SketchFingerprinter(const FilterOptions& options, std::shared_ptr<const Scheme> scheme)
      : reader_(options), scheme_(std::move(scheme)) {}

  FingerprintedRecord Compute(const RecordView& record) {
    const SchemeTexts& read = reader_.Read(record);
    FingerprintedRecord result;
    result.position = record.position;
    result.outcome = read.outcome;
    if (!result.outcome.comparable()) return result;
    result.fingerprint.exact = read.exact;
    for (const SchemeText& text : read.texts) {
      result.features += static_cast<uint32_t>(text.tokens.size());
    }
    Sketch sketch;
    scheme_->Compute(read.texts, sketch);
    if (sketch.bytes() > kSketchBytesMax) {
      result.outcome.Fail(
          Reason::kTooLarge,
          fmt::format("scheme {} keeps {} bytes of the record, at most {} can be remembered",
                      scheme_->name(), sketch.bytes(), kSketchBytesMax));
      return result;
    }
    result.sketch = std::move(sketch);
    return result;
  }

 private:
  SchemeTextReader reader_;
  std::shared_ptr<const Scheme> scheme_;
};

using AnyFingerprinter = std::variant<OwnFingerprinter, SketchFingerprinter>;

AnyFingerprinter NewFingerprinter(const FilterOptions& options) {
  auto scheme = ChooseScheme(options.scheme).value().scheme;
  if (!scheme) return AnyFingerprinter(std::in_place_type<OwnFingerprinter>, options);
  return AnyFingerprinter(std::in_place_type<SketchFingerprinter>, options, std::move(scheme));
}

}  // namespace

struct Fingerprinter::Parts {
  AnyFingerprinter fingerprinter;
};

Fingerprinter::Fingerprinter(const FilterOptions& options) {
  assert(CheckOptions(options).ok());
  parts_ = std::unique_ptr<Parts>(new Parts{NewFingerprinter(options)});
}
Fingerprinter::~Fingerprinter() = default;
Fingerprinter::Fingerprinter(Fingerprinter&&) noexcept = default;
Fingerprinter& Fingerprinter::operator=(Fingerprinter&&) noexcept = default;

FingerprintedRecord Fingerprinter::Compute(const RecordView& record) {
  return std::visit([&](auto& fingerprinter) { return fingerprinter.Compute(record); },
                    parts_->fingerprinter);
}

}  // namespace neardup
