#include "filter/match_scheme.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <utility>

namespace neardup {

namespace {

SchemeOptions OptionsOf(const MatchScheme& choice) {
  return {.values = {choice.values.begin(), choice.values.end()}, .frequencies = nullptr};
}

Error Invalid(std::string text) { return {ErrorCode::kConfig, std::move(text)}; }

}  // namespace

Result<ChosenScheme> ChooseScheme(const MatchScheme& choice) {
  if (choice.is_own()) {
    if (choice.values.empty()) return ChosenScheme{};
    return Invalid(
        fmt::format("match.scheme_options: found {}, expected none: scheme {} is set by the other "
                    "match settings",
                    choice.values.begin()->first, choice.name));
  }
  const auto rows = SchemeRows();
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const SchemeRow& candidate) {
    return candidate.name == choice.name;
  });
  if (row != rows.end() && row->frequencies == FrequencyUse::kNeeded) {
    return Invalid(
        fmt::format("match.scheme: {} needs document frequencies of a sample; it is offered by "
                    "`neardup evaluate` only",
                    choice.name));
  }
  auto scheme = NewScheme(choice.name, OptionsOf(choice));
  if (!scheme.ok()) {
    const bool known = row != rows.end() && !choice.values.empty();
    return Invalid(fmt::format("{}: {}", known ? "match.scheme_options" : "match.scheme",
                               scheme.error().text));
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
