// Which parts of texts had better be masked, from a sample.
#pragma once

#include <span>
#include <string>

#include "learn/sample.h"
#include "neardup/options.h"
#include "neardup/record.h"

namespace neardup {

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
