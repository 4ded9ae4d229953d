#include "learn/remedy_study.h"

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "feature/mask.h"

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

namespace {

/// Texts of programs run out: with masks the later half of a sample brings at most a quarter of the
/// new texts that it brings without. Numbers in articles or citations change that by a tenth.
constexpr size_t kFewerNewTexts = 4;
/// Records that differ in nothing but times, of all different ones.
constexpr double kRetimedShareMin = 0.05;

/// Different records that the later half of the sample brings.
size_t LateRecords(const Sample& sample) {
  const auto& records = sample.records();
  return static_cast<size_t>(std::count_if(
      records.begin(), records.end(),
      [&](const SampledRecord& record) { return record.number >= sample.seen() / 2; }));
}

/// Only what is needed to count different records.
Sample MaskedSample(std::span<const RecordView> records, FilterOptions options,
                    const Masks& masks) {
  options.feature.masks = masks;
  Sample sample(options, {0});
  for (const RecordView& record : records) sample.Add(record);
  return sample;
}

std::string PerCent(double share) {
  char text[16];
  std::snprintf(text, sizeof text, "%.0f %%", 100 * share);
  return text;
}

}  // namespace

MaskProposal ProposeMasks(std::span<const RecordView> records, const FilterOptions& options,
                          const Sample& sample) {
  const std::vector<bool> number_fields = sample.number_fields();
  const bool texts_only =
      std::find(number_fields.begin(), number_fields.end(), true) == number_fields.end();
  const size_t late = LateRecords(sample);
  if (texts_only && late > 0) {
    const size_t late_masked = LateRecords(MaskedSample(records, options, kAllMasks));
    if (kFewerNewTexts * late_masked <= late) {
      return {
          kAllMasks,
          "with times, addresses and numbers masked the texts are few and come again: the later "
          "half of the sample brings " +
              std::to_string(late_masked) + " new ones instead of " + std::to_string(late)};
    }
  }
  Masks times;
  times.time = true;
  const size_t timeless = MaskedSample(records, options, times).records().size();
  const double retimed =
      1 - static_cast<double>(timeless) / static_cast<double>(sample.records().size());
  if (retimed < kRetimedShareMin) return {};
  return {times, PerCent(retimed) +
                     " of the different records differ from another one in nothing "
                     "but times of day"};
}

}  // namespace neardup
