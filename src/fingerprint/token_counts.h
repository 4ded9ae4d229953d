// The distinct tokens of a record.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fingerprint/scheme.h"

namespace neardup {

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
