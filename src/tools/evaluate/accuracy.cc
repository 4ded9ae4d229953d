#include "evaluate/accuracy.h"

#include <cassert>
#include <string_view>
#include <unordered_set>

namespace neardup {

namespace {

std::optional<double> Ratio(uint64_t part, uint64_t whole) {
  if (whole == 0) return std::nullopt;
  return static_cast<double>(part) / static_cast<double>(whole);
}

std::optional<double> HarmonicMean(std::optional<double> a, std::optional<double> b) {
  if (!a || !b) return std::nullopt;
  return *a + *b > 0 ? 2 * *a * *b / (*a + *b) : 0.0;
}

}  // namespace

std::optional<double> Tally::precision() const { return Ratio(found, called); }
std::optional<double> Tally::recall() const { return Ratio(found, true_duplicates); }
std::optional<double> Tally::f1() const { return HarmonicMean(precision(), recall()); }
std::optional<double> Tally::strict_f1() const {
  return HarmonicMean(Ratio(right, called), Ratio(right, true_duplicates));
}

Accuracy Judge(std::span<const Label> labels, std::span<const std::optional<Call>> calls) {
  assert(labels.size() == calls.size());
  Accuracy accuracy;
  std::unordered_set<std::string_view> seen;
  for (size_t row = 0; row < labels.size(); ++row) {
    const Label& label = labels[row];
    const bool is_true = !seen.insert(label.cluster).second;
    const Call call = calls[row].value_or(Call());
    const bool right = call.duplicate && call.original && *call.original < row &&
                       labels[*call.original].cluster == label.cluster;
    accuracy.missing += calls[row] ? 0 : 1;
    for (Tally* tally : {&accuracy.all, &accuracy.kinds[label.kind]}) {
      ++tally->records;
      tally->true_duplicates += is_true ? 1 : 0;
      tally->called += call.duplicate ? 1 : 0;
      tally->found += call.duplicate && is_true ? 1 : 0;
      tally->right += right ? 1 : 0;
    }
  }
  return accuracy;
}

}  // namespace neardup
