#include "evaluate/set_report.h"

namespace neardup {

std::vector<SchemeMean> MeanF1(std::span<const SetReport> sets) {
  std::vector<SchemeMean> means;
  if (sets.size() < 2) return means;
  for (size_t i = 0; i < sets[0].runs.size(); ++i) {
    double sum = 0;
    for (const SetReport& set : sets) sum += set.runs[i].accuracy.all.f1().value_or(0);
    means.push_back({sets[0].runs[i].scheme, sum / static_cast<double>(sets.size())});
  }
  return means;
}

}  // namespace neardup
