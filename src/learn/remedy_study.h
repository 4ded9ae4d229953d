// Which fields had better be keys, from a sample of a stream of series.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "learn/field_study.h"
#include "learn/near_structure.h"
#include "learn/sample.h"
#include "neardup/options.h"
#include "neardup/record.h"

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

// Which parts of texts had better be masked, from a sample.

struct MaskProposal {
  Masks masks;  ///< none where nothing speaks for them
  /// Why, for a person.
  std::string reason;
};

/// Masks of all kinds, where with them the sample is of few texts that come again and again, as the
/// messages of programs are, and no field is made of numbers; the mask of times alone, where many
/// records differ in nothing else. `sample` is of these records without masks.
MaskProposal ProposeMasks(std::span<const RecordView> records, const FilterOptions& options,
                          const Sample& sample);

}  // namespace neardup
