#include "learn/key_study.h"

#include <algorithm>

namespace neardup {
namespace {

/// For each field the part of the records (SampledCodes::parts) it belongs to.
std::vector<size_t> PartsOf(const std::vector<bool>& number_fields) {
  const auto texts = std::count(number_fields.begin(), number_fields.end(), false);
  std::vector<size_t> parts;
  size_t text = 0;
  for (const bool numbers : number_fields) {
    parts.push_back(numbers ? static_cast<size_t>(texts) : text++);
  }
  return parts;
}

/// The field with most tokens of those worth comparing; `fields.size()` when there is none.
size_t LongestText(const std::vector<FieldSelector>& fields,
                   std::span<const StudiedField> studied) {
  size_t longest = fields.size();
  double tokens = 0;
  for (const StudiedField& field : studied) {
    const auto selected = std::find_if(
        fields.begin(), fields.end(),
        [&](const FieldSelector& selector) { return selector.path == field.facts.path; });
    if (selected == fields.end() || !IsCompared(field.role)) continue;
    if (field.facts.tokens_mean <= tokens) continue;
    tokens = field.facts.tokens_mean;
    longest = static_cast<size_t>(selected - fields.begin());
  }
  return longest;
}

}  // namespace

KeyProposal ProposeKeys(const std::vector<FieldSelector>& fields,
                        std::span<const StudiedField> studied, const Sample& sample,
                        const NearStructure& structure) {
  const auto is_key = [](const FieldSelector& field) { return field.key; };
  const size_t text = LongestText(fields, studied);
  if (fields.size() < 2 || text == fields.size() || structure.near_pairs == 0 ||
      std::any_of(fields.begin(), fields.end(), is_key)) {
    return {};
  }
  const std::vector<size_t> parts = PartsOf(sample.number_fields());
  const auto differing = [&](size_t field) { return structure.differing[parts[field]]; };
  KeyProposal proposal;
  size_t telling = text;
  for (size_t field = 0; field < fields.size(); ++field) {
    proposal.fields.push_back(field == text ? fields[field]
                                            : FieldSelector{fields[field].path, 1.0, true});
    if (differing(field) > differing(telling)) telling = field;
  }
  if (telling == text) return {};
  proposal.reason =
      "near-duplicate mode of all fields joins different events here: records of a "
      "series differ in " +
      fields[telling].path + ": those that agree in it and in all others but " + fields[text].path +
      " are copies when this is nearly equal";
  return proposal;
}

}  // namespace neardup
