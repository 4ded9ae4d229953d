// Counts of tokens: in one record, and over the records of a sample.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "schemes/scheme.h"

namespace neardup {

/// In how many records of a sample each token stands. Filled from a sample, then frozen: sketches
/// made with different frequencies cannot be compared. Tokens are the hashes of
/// SchemeText::tokens.
class DocumentFrequencies {
 public:
  /// Adds one record; `tokens` are its distinct tokens, in any order.
  void Add(std::span<const uint64_t> tokens);

  /// Number of records with this token; 0 for an unknown one.
  uint32_t Of(uint64_t token) const;
  uint32_t records() const { return records_; }
  /// The `count` tokens of most records, ascending by hash; all tokens if there are fewer. If two
  /// tokens are equally common, the smaller hash is taken first.
  std::vector<uint64_t> Commonest(size_t count) const;

 private:
  uint32_t records_ = 0;
  std::unordered_map<uint64_t, uint32_t> counts_;
};

using SharedFrequencies = std::shared_ptr<const DocumentFrequencies>;

struct TokenCount {
  uint64_t token = 0;
  uint32_t count = 0;  ///< in all texts of the record

  bool operator==(const TokenCount&) const = default;
};

/// The tokens of a record with their counts, ascending by token.
std::vector<TokenCount> CountTokens(std::span<const SchemeText> texts);

/// The distinct tokens of a record, ascending.
std::vector<uint64_t> DistinctTokens(std::span<const SchemeText> texts);

}  // namespace neardup
