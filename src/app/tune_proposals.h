// What `tune` proposes besides fields and a distance, each with its reason, in words.
#pragma once

#include <string>
#include <vector>

#include "learn/tuning.h"

namespace neardup {

struct TuneProposal {
  const char* name;     ///< one word
  const char* setting;  ///< path of the setting it is written into
  std::string text;
};

/// Only what differs from what was given; in the order of the settings.
std::vector<TuneProposal> ProposalsOf(const Tuning& tuning);

/// The kinds that are on, as feature.masks takes them.
std::vector<std::string> MaskNames(const Masks& masks);

}  // namespace neardup
