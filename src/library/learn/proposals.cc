#include "learn/proposals.h"

#include <fmt/format.h>

#include <algorithm>

#include "feature/mask.h"

namespace neardup {

namespace {

/// Programs have few messages: with masks, the second half of the sample has at most a quarter of
/// the new texts that it has without. Masking the numbers in articles or citations saves a tenth.
constexpr size_t kFewerNewTexts = 4;
/// Share of the distinct records that differ from another one only in times.
constexpr double kRetimedShareMin = 0.05;

/// For each field its part (SampleFingerprints::parts).
std::vector<size_t> PartsOf(const std::vector<bool>& numeric_fields) {
  const auto texts = std::count(numeric_fields.begin(), numeric_fields.end(), false);
  std::vector<size_t> parts;
  size_t text = 0;
  for (const bool numeric : numeric_fields) {
    parts.push_back(numeric ? static_cast<size_t>(texts) : text++);
  }
  return parts;
}

/// Index of the field with the most tokens, of those that are worth comparing; fields.size() if
/// none is.
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

/// Number of distinct records that first occur in the second half of the sample.
size_t LateRecords(const Sample& sample) {
  const auto& records = sample.records();
  return static_cast<size_t>(std::count_if(
      records.begin(), records.end(),
      [&](const SampledRecord& record) { return record.number >= sample.seen() / 2; }));
}

/// Collects the records into a sample with these masks. Callers only count its distinct records, so
/// one hash seed is enough.
Sample MaskedSample(std::span<const RecordView> records, FilterOptions options,
                    const Masks& masks) {
  options.feature.masks = masks;
  Sample sample(options, {0});
  for (const RecordView& record : records) sample.Add(record);
  return sample;
}

}  // namespace

KeyProposal ProposeKeys(const std::vector<FieldSelector>& fields,
                        std::span<const StudiedField> studied, const Sample& sample,
                        const NeighbourStatistics& statistics) {
  const auto is_key = [](const FieldSelector& field) { return field.key; };
  const size_t text = LongestText(fields, studied);
  if (fields.size() < 2 || text == fields.size() || statistics.near_pairs == 0 ||
      std::any_of(fields.begin(), fields.end(), is_key)) {
    return {};
  }
  const std::vector<size_t> parts = PartsOf(sample.numeric_fields());
  const auto differing = [&](size_t field) { return statistics.differing[parts[field]]; };
  KeyProposal proposal;
  size_t telling = text;  // the field in which near records differ most often
  for (size_t field = 0; field < fields.size(); ++field) {
    proposal.fields.push_back(field == text ? fields[field]
                                            : FieldSelector{fields[field].path, 1.0, true});
    if (differing(field) > differing(telling)) telling = field;
  }
  if (telling == text) return {};
  proposal.reason = fmt::format(
      "events of a series differ in {0}, and records that agree in all fields but {1} are copies "
      "if {1} is nearly equal",
      fields[telling].path, fields[text].path);
  return proposal;
}

std::string TellingField(const std::vector<FieldSelector>& fields, const Sample& sample,
                         const NeighbourStatistics& statistics) {
  if (fields.size() < 2 || statistics.near_pairs == 0) return "";
  const std::vector<size_t> parts = PartsOf(sample.numeric_fields());
  size_t telling = 0;
  for (size_t field = 1; field < fields.size(); ++field) {
    if (statistics.differing[parts[field]] > statistics.differing[parts[telling]]) telling = field;
  }
  return fields[telling].path;
}

MaskProposal ProposeMasks(std::span<const RecordView> records, const FilterOptions& options) {
  const Sample sample = MaskedSample(records, options, {});
  const std::vector<bool> numeric_fields = sample.numeric_fields();
  const bool texts_only =
      std::find(numeric_fields.begin(), numeric_fields.end(), true) == numeric_fields.end();
  const size_t late = LateRecords(sample);
  if (texts_only && late > 0) {
    const size_t late_masked = LateRecords(MaskedSample(records, options, kAllMasks));
    if (kFewerNewTexts * late_masked <= late) {
      return {kAllMasks, fmt::format("with times, addresses and numbers masked, the same few texts "
                                     "recur: the second half of the sample has {} new texts "
                                     "instead of {}",
                                     late_masked, late)};
    }
  }
  Masks times;
  times.time = true;
  const size_t timeless = MaskedSample(records, options, times).records().size();
  const double retimed =
      1 - static_cast<double>(timeless) / static_cast<double>(sample.records().size());
  if (retimed < kRetimedShareMin) return {};
  return {times, fmt::format("{:.0f} % of the distinct records differ from another one only in "
                             "times of day",
                             100 * retimed)};
}

}  // namespace neardup
