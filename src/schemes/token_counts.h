// In how many records of a sample a token stands.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "schemes/scheme.h"

namespace neardup {

/// Filled from a sample, then frozen: what is made of it cannot be compared with what is made of
/// another. Tokens are the hashes of SchemeText::tokens.
class DocumentFrequencies {
 public:
  /// One record. `tokens` are its distinct ones, in any order.
  void Add(std::span<const uint64_t> tokens);

  /// 0 for a token that was never met.
  uint32_t Of(uint64_t token) const;
  uint32_t records() const { return records_; }
  /// The `count` tokens of most records, ascending by hash; all when there are fewer. Of equally
  /// common ones the smaller hash comes first.
  std::vector<uint64_t> Commonest(size_t count) const;
  /// Equal for equal content, whatever the order of the records was.
  uint64_t hash() const;

 private:
  uint32_t records_ = 0;
  std::unordered_map<uint64_t, uint32_t> counts_;
};

// The distinct tokens of a record.

struct TokenCount {
  uint64_t token = 0;
  uint32_t count = 0;  ///< in all texts together

  bool operator==(const TokenCount&) const = default;
};

/// Ascending by token.
std::vector<TokenCount> CountTokens(std::span<const SchemeText> texts);

/// Ascending.
std::vector<uint64_t> DistinctTokens(std::span<const SchemeText> texts);

}  // namespace neardup
