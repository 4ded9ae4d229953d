#include "filter/match_scheme.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace neardup {
namespace {

SchemeOptions OptionsOf(const MatchScheme& choice) {
  return {.values = {choice.values.begin(), choice.values.end()}, .frequencies = nullptr};
}

Error Invalid(const std::string& text) { return {ErrorCode::kConfig, text}; }

}  // namespace

Result<ChosenScheme> ChooseScheme(const MatchScheme& choice) {
  if (choice.is_own()) {
    if (choice.values.empty()) return ChosenScheme{};
    return Invalid("match.scheme_options: found " + choice.values.begin()->first +
                   ", expected none: scheme " + choice.name +
                   " is set by the other match settings");
  }
  const auto rows = SchemeRows();
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const SchemeRow& candidate) {
    return candidate.name == choice.name;
  });
  if (row != rows.end() && row->frequencies == FrequencyUse::kNeeded) {
    return Invalid("match.scheme: " + choice.name +
                   " needs document frequencies of a sample; it is offered by `neardup evaluate` "
                   "only");
  }
  auto scheme = NewScheme(choice.name, OptionsOf(choice));
  if (!scheme.ok()) {
    const bool known = row != rows.end() && !choice.values.empty();
    return Invalid((known ? "match.scheme_options: " : "match.scheme: ") + scheme.error().text);
  }
  return ChosenScheme{std::move(scheme.value()), &*row};
}

std::string SpecOf(const MatchScheme& choice) {
  if (choice.is_own()) return "";
  const auto spec = SchemeSpec(choice.name, OptionsOf(choice));
  assert(spec.ok());
  return spec.ok() ? spec.value() : "";
}

}  // namespace neardup
