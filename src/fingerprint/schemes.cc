#include "fingerprint/schemes.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>
#include <cmath>

#include "fingerprint/md5.h"

namespace neardup {
namespace {

std::string NumberText(double number) {
  std::array<char, 32> text;
  const auto written = std::to_chars(text.data(), text.data() + text.size(), number);
  return {text.data(), written.ptr};
}

template <class Range>
std::string JoinNames(const Range& rows) {
  std::string names;
  for (const auto& row : rows) {
    if (!names.empty()) names += ", ";
    names += row.name;
  }
  return names.empty() ? "none" : names;
}

Error ConfigError(std::string text) { return {ErrorCode::kConfig, std::move(text)}; }

Result<const SchemeRow*> FindRow(std::string_view name) {
  for (const SchemeRow& row : SchemeRows()) {
    if (row.name == name) return &row;
  }
  return ConfigError("unknown scheme '" + std::string(name) + "'; there are " +
                     JoinNames(SchemeRows()));
}

/// The given value or the default.
Result<double> ValueOf(const SchemeRow& row, const SchemeParameter& parameter,
                       const SchemeOptions& options) {
  const auto given = options.values.find(parameter.name);
  if (given == options.values.end()) return parameter.fallback;
  const double value = given->second;
  const bool fits = value >= parameter.least && value <= parameter.most &&
                    (!parameter.whole || std::floor(value) == value);
  if (fits) return value;
  return ConfigError("scheme " + std::string(row.name) + ": " + std::string(parameter.name) +
                     " is " + NumberText(value) + ", expected a " +
                     (parameter.whole ? "whole " : "") + "number from " +
                     NumberText(parameter.least) + " to " + NumberText(parameter.most));
}

Result<SchemeValues> ValuesOf(const SchemeRow& row, const SchemeOptions& options) {
  for (const auto& given : options.values) {
    const std::string& name = given.first;
    const bool known = std::any_of(row.parameters.begin(), row.parameters.end(),
                                   [&](const auto& parameter) { return parameter.name == name; });
    if (known) continue;
    return ConfigError("scheme " + std::string(row.name) + " has no parameter '" + name +
                       "'; it takes " + JoinNames(row.parameters));
  }
  if (row.frequencies == FrequencyUse::kNeeded && !options.frequencies) {
    return ConfigError("scheme " + std::string(row.name) +
                       " needs document frequencies, which are learned from a sample");
  }
  std::map<std::string_view, double> values;
  for (const SchemeParameter& parameter : row.parameters) {
    NEARDUP_ASSIGN(const double value, ValueOf(row, parameter, options));
    values[parameter.name] = value;
  }
  return SchemeValues(std::move(values));
}

}  // namespace

double SchemeValues::Real(std::string_view name) const {
  const auto found = values_.find(name);
  assert(found != values_.end());
  return found->second;
}

uint32_t SchemeValues::Whole(std::string_view name) const {
  return static_cast<uint32_t>(Real(name));
}

std::vector<std::string_view> SchemeNames() {
  std::vector<std::string_view> names;
  for (const SchemeRow& row : SchemeRows()) names.push_back(row.name);
  return names;
}

Result<std::unique_ptr<Scheme>> NewScheme(std::string_view name, const SchemeOptions& options) {
  NEARDUP_ASSIGN(const SchemeRow* const row, FindRow(name));
  NEARDUP_ASSIGN(const SchemeValues values, ValuesOf(*row, options));
  if (row->wants_md5 && !Md5IsOffered()) {
    return ConfigError("scheme " + std::string(name) +
                       " needs MD5, which OpenSSL does not offer here (FIPS mode?)");
  }
  return row->make(values, options.frequencies);
}

Result<std::string> SchemeSpec(std::string_view name, const SchemeOptions& options) {
  NEARDUP_ASSIGN(const SchemeRow* const row, FindRow(name));
  NEARDUP_ASSIGN(const SchemeValues values, ValuesOf(*row, options));
  std::string spec(name);
  for (const SchemeParameter& parameter : row->parameters) {
    spec += ' ' + std::string(parameter.name) + '=' + NumberText(values.Real(parameter.name));
  }
  if (row->frequencies != FrequencyUse::kNone && options.frequencies) {
    spec += " frequencies=" + std::to_string(options.frequencies->hash());
  }
  return spec;
}

}  // namespace neardup
