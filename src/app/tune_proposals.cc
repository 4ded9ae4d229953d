#include "app/tune_proposals.h"

#include "app/totals.h"

namespace neardup {
namespace {

std::string Joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

std::string KeyNames(const RecordOptions& record) {
  std::vector<std::string> names;
  for (const FieldSelector& field : record.fields) {
    if (field.key) names.push_back(field.path);
  }
  return Joined(names);
}

}  // namespace

std::vector<std::string> MaskNames(const Masks& masks) {
  std::vector<std::string> names;
  if (masks.time) names.emplace_back("time");
  if (masks.uuid) names.emplace_back("uuid");
  if (masks.ip) names.emplace_back("ip");
  if (masks.hex) names.emplace_back("hex");
  if (masks.number) names.emplace_back("number");
  return names;
}

std::vector<TuneProposal> ProposalsOf(const Tuning& tuning) {
  std::vector<TuneProposal> proposals;
  const FilterOptions& proposed = tuning.proposed;
  if (!tuning.keys_reason.empty()) {
    proposals.push_back({"keys", "record.fields",
                         KeyNames(proposed.record) + " have to be equal: " + tuning.keys_reason});
  }
  if (!tuning.short_reason.empty()) {
    proposals.push_back({"short", "feature.features_min",
                         "records of " + std::to_string(proposed.feature.features_min) +
                             " distinct tokens and more are compared: " + tuning.short_reason});
  }
  if (!tuning.masks_reason.empty()) {
    proposals.push_back({"masks", "feature.masks",
                         Joined(MaskNames(proposed.feature.masks)) +
                             " count as equal whatever they say: " + tuning.masks_reason +
                             ". Take out what tells records apart for you"});
  }
  if (tuning.window_smaller) {
    proposals.push_back({"window", "window.entries_max",
                         Grouped(proposed.window.entries_max) +
                             " unique records at most: in more of them chance matches would leave "
                             "too small a distance to find these copies; --window asks for more"});
  }
  return proposals;
}

}  // namespace neardup
