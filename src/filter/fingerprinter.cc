#include <cassert>
#include <vector>

#include "feature/feature_counter.h"
#include "feature/tokeniser.h"
#include "fingerprint/exact_hash.h"
#include "fingerprint/simhash.h"
#include "neardup/filter.h"
#include "record/field_extractor.h"

namespace neardup {

struct Fingerprinter::Parts {
  explicit Parts(const FilterOptions& options)
      : extractor(options.record),
        tokeniser(options.feature.markup),
        features_min(options.feature.features_min) {}

  FieldExtractor extractor;
  Tokeniser tokeniser;
  FeatureCounter counter;
  TokenList tokens;
  std::vector<TokenRange> ranges;
  uint32_t features_min;

  /// Also says how many features there are.
  Fingerprint Compute(const std::vector<TextPiece>& pieces, uint32_t& features_found);
};

Fingerprint Fingerprinter::Parts::Compute(const std::vector<TextPiece>& pieces,
                                          uint32_t& features_found) {
  tokens.Clear();
  ranges.clear();
  ExactHash exact;
  for (const TextPiece& piece : pieces) {
    const size_t begin = tokens.size();
    tokeniser.Tokenise(piece.text, tokens);
    ranges.push_back({tokens.hashes().size(), piece.weight16});
    exact.Add(tokens.TextFrom(begin), piece.path_hash);
  }
  const auto features = counter.Count(tokens.hashes(), ranges);
  features_found = static_cast<uint32_t>(features.size());
  const bool enough = !features.empty() && features.size() >= features_min;
  return {enough ? Simhash(features) : exact.value(), exact.value()};
}

Fingerprinter::Fingerprinter(const FilterOptions& options) {
  assert(CheckOptions(options).ok());
  parts_ = std::make_unique<Parts>(options);
}
Fingerprinter::~Fingerprinter() = default;
Fingerprinter::Fingerprinter(Fingerprinter&&) noexcept = default;
Fingerprinter& Fingerprinter::operator=(Fingerprinter&&) noexcept = default;

FingerprintedRecord Fingerprinter::Compute(const RecordView& record) {
  const ExtractedRecord& extracted = parts_->extractor.Extract(record);
  FingerprintedRecord result;
  result.position = record.position;
  result.time_ms = extracted.time_ms;
  result.reason = extracted.reason;
  result.passed = extracted.passed;
  result.error = extracted.error;
  if (result.reason == Reason::kNone && !result.passed) {
    result.fingerprint = parts_->Compute(extracted.pieces, result.features);
  }
  return result;
}

}  // namespace neardup
