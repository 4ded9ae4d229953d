// Proposes key fields and masks for streams in which distances alone do not tell copies from other
// records.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "learn/field_study.h"
#include "learn/neighbours.h"
#include "learn/sample.h"
#include "neardup/options.h"
#include "neardup/record.h"

namespace neardup {

struct KeyProposal {
  std::vector<FieldSelector> fields;  ///< for RecordOptions::fields, with keys; empty: no proposal
  std::string reason;                 ///< one sentence for people, without a full stop
};

/// Proposes all fields but the longest text as keys, if near records differ in one of them more
/// often than in that text. Then a change of the text may make a copy, and a change of any other
/// field makes another event. `statistics` are over all comparable records of `sample`.
KeyProposal ProposeKeys(const std::vector<FieldSelector>& fields,
                        std::span<const StudiedField> studied, const Sample& sample,
                        const NeighbourStatistics& statistics);

/// The path of the field in which near records differ most often; empty if there is but one field,
/// or no near records. `statistics` are over all comparable records of `sample`.
std::string TellingField(const std::vector<FieldSelector>& fields, const Sample& sample,
                         const NeighbourStatistics& statistics);

struct MaskProposal {
  Masks masks;         ///< none: no proposal
  std::string reason;  ///< one sentence for people, without a full stop
};

/// Proposes all masks if they leave only a few texts that recur, as the messages of programs do,
/// and if no field is numeric. Proposes the mask of times alone if many records differ only in
/// times. `options` must have no masks.
MaskProposal ProposeMasks(std::span<const RecordView> records, const FilterOptions& options);

}  // namespace neardup
