#include <cassert>
#include <memory>
#include <optional>
#include <variant>

#include "detect/base/hash.h"
#include "detect/filter/fingerprint_pool.h"
#include "detect/filter/record_features.h"
#include "detect/fingerprint/exact_hash.h"
#include "detect/fingerprint/number_set.h"
#include "detect/fingerprint/simhash.h"
#include "detect/fingerprint/text_keys.h"
#include "neardup/filter.h"

namespace neardup {
namespace {

FingerprintedRecord WithoutFingerprint(const RecordView& record, const ReadOutcome& outcome) {
  FingerprintedRecord result;
  result.position = record.position;
  result.outcome = outcome;
  return result;
}

/// Of a record that is compared only exactly.
Fingerprint ExactFingerprint(uint64_t exact) { return {exact, Mix64(exact), exact, 0}; }

/// Computes fingerprints for records that are compared by likeness.
class NearFingerprinter {
 public:
  explicit NearFingerprinter(const FilterOptions& options)
      : reader_(options), model_(options.model) {}

  FingerprintedRecord Compute(const RecordView& record) {
    const RecordHashes& hashes = reader_.Read(record);
    FingerprintedRecord result = WithoutFingerprint(record, hashes.outcome);
    if (!result.outcome.comparable()) return result;
    if (const KnownFingerprint* known = cache_.Find(hashes.exact)) {
      Take(*known, result);
    } else {
      const KnownFingerprint computed = Compute(hashes);
      Take(computed, result);
      cache_.Keep(computed);
    }
    return result;
  }

 private:
  static void Take(const KnownFingerprint& known, FingerprintedRecord& into) {
    into.fingerprint = known.fingerprint;
    into.text_keys = known.text_keys;
    into.features = known.features;
  }

  KnownFingerprint Compute(const RecordHashes& hashes) {
    const RecordFeatures& features = reader_.Count();
    if (features.exact_only) return {ExactFingerprint(hashes.exact), {}, features.features};
    const uint64_t simhash = CentredSimhash(features.sums, model_.centre);
    return {{KeyedSimhash(simhash, hashes.key), KeyedOrder(features.order, hashes.key),
             hashes.exact, NumberSet(reader_.tokens().text())},
            ChooseTextKeys(features.triples, model_),
            features.features};
  }

  RecordFeatureReader reader_;
  Model model_;
  FingerprintCache cache_;
};

/// Computes the exact hash alone: only equal records match.
class ExactFingerprinter {
 public:
  explicit ExactFingerprinter(const FilterOptions& options) : reader_(options, std::nullopt) {}

  FingerprintedRecord Compute(const RecordView& record) {
    const RecordHashes& hashes = reader_.Read(record);
    FingerprintedRecord result = WithoutFingerprint(record, hashes.outcome);
    if (!result.outcome.comparable()) return result;
    result.fingerprint = ExactFingerprint(hashes.exact);
    result.features = static_cast<uint32_t>(reader_.token_count());
    return result;
  }

 private:
  RecordTokenReader reader_;
};

using AnyFingerprinter = std::variant<NearFingerprinter, ExactFingerprinter>;

AnyFingerprinter NewFingerprinter(const FilterOptions& options) {
  if (ExactOnly(options.match)) {
    return AnyFingerprinter(std::in_place_type<ExactFingerprinter>, options);
  }
  return AnyFingerprinter(std::in_place_type<NearFingerprinter>, options);
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
