// Which triples of tokens a record is looked up by.
#pragma once

#include <cstdint>
#include <span>

#include "neardup/fingerprint.h"
#include "neardup/model.h"

namespace neardup {

/// FORMAT: each distinct triple t that is not in `model.common` has the rank Mix64(t + 2).
/// The 8 smallest ranks r, ascending, give the keys, each the upper 32 bits of Mix64(r), or 1 for
/// 0; equal keys are taken once. A random but fixed choice, so that two records which share most of
/// their triples share most of their keys (bottom-k MinHash, Broder 1997).
ProbedKeys ChooseTextKeys(std::span<const uint64_t> triples, const Model& model);

}  // namespace neardup
