// Features of adjacent tokens: what the order sketch and the text keys are made of.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "feature/feature_counter.h"

namespace neardup {

/// FORMAT: the hash of two adjacent tokens a, b of one text is Mix64(Mix64(a) + b); a text of one
/// token gives Mix64(Mix64(a)). Appends to `pairs`.
void AppendPairs(std::span<const uint64_t> tokens, std::vector<uint64_t>& pairs);

/// FORMAT: the hash of three adjacent tokens a, b, c of one text is Mix64(Mix64(Mix64(a) + b) + c);
/// a text of one or two tokens gives Mix64 of the hash of its pair. Appends to `triples`.
void AppendTriples(std::span<const uint64_t> tokens, std::vector<uint64_t>& triples);

}  // namespace neardup
