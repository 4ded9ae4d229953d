// Chooses the text keys under which a record can be found again.
#pragma once

#include <cstdint>
#include <span>

#include "neardup/fingerprint.h"
#include "neardup/model.h"

namespace neardup {

/// Chooses up to 8 keys from the triples of tokens of a record (AppendTriples). The choice is
/// arbitrary but fixed, so that two records which share most of their triples share most of their
/// keys (bottom-k MinHash, Broder 1997).
/// FORMAT: each distinct triple t that is not in `model.common` has the rank Mix64(t + 2). The 8
/// smallest ranks r, ascending, give the keys: the upper 32 bits of Mix64(r), and 1 instead of 0;
/// equal keys are taken once.
ProbedKeys ChooseTextKeys(std::span<const uint64_t> triples, const Model& model);

}  // namespace neardup
