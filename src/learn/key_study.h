// Which fields had better be keys, from a sample of a stream of series.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "learn/field_study.h"
#include "learn/near_structure.h"
#include "learn/sample.h"
#include "neardup/options.h"

namespace neardup {

struct KeyProposal {
  /// As RecordOptions::fields, with keys; empty where nothing speaks for them.
  std::vector<FieldSelector> fields;
  /// Why, for a person.
  std::string reason;
};

/// Where records of a series differ in another field more often than in their longest text, a
/// change of that text may make a copy, and a change of any other field makes another event: then
/// all fields but the text are keys. `structure` is that of all comparable records of `sample`.
KeyProposal ProposeKeys(const std::vector<FieldSelector>& fields,
                        std::span<const StudiedField> studied, const Sample& sample,
                        const NearStructure& structure);

}  // namespace neardup
