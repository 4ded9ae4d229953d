#include "commands/evaluate/schemes.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include "commands/evaluate/families.h"

namespace neardup {
namespace {

// {name, default, least, most, whole}; families.h says what they mean.
constexpr SchemeParameter kEqualShare = {"equal_share_min", 0.5, 0.01, 1, false};
constexpr SchemeParameter kShingleLength = {"shingle_length", 5, 1, 64, true};
constexpr SchemeParameter kJaccard = {"similarity_min", 0.7, 0.01, 1, false};
constexpr SchemeParameter kTanimoto = {"similarity_min", 0.9, 0.01, 1, false};

constexpr SchemeParameter kMultiMd5[] = {
    {"first_fields", 3, 1, 64, true}, {"first_equal", 1, 1, 64, true}, kEqualShare};
constexpr SchemeParameter kMultiMd5Tokens[] = {{"first_tokens", 3, 1, 64, true}, kEqualShare};
constexpr SchemeParameter kSentences[] = {kEqualShare};
constexpr SchemeParameter kFeatureCode[] = {{"characters", 5, 1, 64, true}, kEqualShare};
constexpr SchemeParameter kCharVector[] = {{"dictionary", 3764, 1, 100'000, true}, kTanimoto};
constexpr SchemeParameter kCharVectorCode[] = {{"buckets", 65'536, 16, 1'114'112, true}, kTanimoto};
constexpr SchemeParameter kIMatch[] = {{"records_min", 5, 0, 1e9, true},
                                       {"record_share_max", 0.1, 0, 1, false}};
constexpr SchemeParameter kIdfString[] = {{"token_share", 0.7, 0.01, 1, false}};
constexpr SchemeParameter kPageAttributes[] = {{"top_tokens", 10, 1, 1000, true},
                                               {"weight_ratio_min", 0.9, 0, 1, false}};
constexpr SchemeParameter kShingles[] = {kShingleLength, kJaccard};
constexpr SchemeParameter kSimhash[] = {{"distance_max", 3, 0, 15, true}};
constexpr SchemeParameter kRandomProjection[] = {{"distance_max", 12, 0, 47, true}};

const SchemeRow kRows[] = {
    {.name = "md5", .make = NewMd5},
    {.name = "multi-md5", .parameters = kMultiMd5, .make = NewMultiMd5},
    {.name = "md5-then-multi", .parameters = kMultiMd5, .make = NewMd5ThenMulti},
    {.name = "multi-md5-tokens", .parameters = kMultiMd5Tokens, .make = NewMultiMd5Tokens},
    {.name = "segments", .parameters = kSentences, .make = NewSegments},
    {.name = "structure", .parameters = kSentences, .make = NewStructure},
    {.name = "feature-code", .parameters = kFeatureCode, .make = NewFeatureCode},
    {.name = "char-vector",
     .frequencies = FrequencyUse::kNeeded,
     .parameters = kCharVector,
     .make = NewCharVector},
    {.name = "char-vector-code", .parameters = kCharVectorCode, .make = NewCharVectorCode},
    {.name = "i-match",
     .frequencies = FrequencyUse::kNeeded,
     .parameters = kIMatch,
     .make = NewIMatch},
    {.name = "idf-string",
     .frequencies = FrequencyUse::kNeeded,
     .parameters = kIdfString,
     .make = NewIdfString},
    {.name = "page-attributes",
     .frequencies = FrequencyUse::kOptional,
     .parameters = kPageAttributes,
     .make = NewPageAttributes},
    {.name = "shingles", .parameters = kShingles, .make = NewShingles},
    {.name = "minhash", .finds_all = false, .parameters = kShingles, .make = NewMinHash},
    {.name = "random-projection", .parameters = kRandomProjection, .make = NewRandomProjection},
    {.name = "simhash", .parameters = kSimhash, .make = NewSimhash},
    {.name = "simhash-tf", .parameters = kSimhash, .make = NewSimhashTf},
};

/// The names of schemes or parameters, for an error text.
template <class Range>
std::string NamesOf(const Range& rows) {
  std::vector<std::string_view> names;
  for (const auto& row : rows) names.push_back(row.name);
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
}

template <class... Args>
Error ConfigError(fmt::format_string<Args...> text, Args&&... args) {
  return {ErrorCode::kConfig, fmt::format(text, std::forward<Args>(args)...)};
}

Result<const SchemeRow*> FindRow(std::string_view name) {
  for (const SchemeRow& row : kRows) {
    if (row.name == name) return &row;
  }
  return ConfigError("unknown scheme '{}', expected one of {}", name, NamesOf(kRows));
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
  return ConfigError("scheme {}: {} is {}, expected a {}number from {} to {}", row.name,
                     parameter.name, value, parameter.whole ? "whole " : "", parameter.least,
                     parameter.most);
}

Result<SchemeValues> ValuesOf(const SchemeRow& row, const SchemeOptions& options) {
  for (const auto& given : options.values) {
    const std::string& name = given.first;
    const bool known = std::any_of(row.parameters.begin(), row.parameters.end(),
                                   [&](const auto& parameter) { return parameter.name == name; });
    if (known) continue;
    return ConfigError("scheme {} has no parameter '{}'; it takes {}", row.name, name,
                       NamesOf(row.parameters));
  }
  if (row.frequencies == FrequencyUse::kNeeded && !options.frequencies) {
    return ConfigError("scheme {} needs document frequencies, which are learned from a sample",
                       row.name);
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

std::span<const SchemeRow> SchemeRows() { return kRows; }

std::vector<std::string_view> SchemeNames() {
  std::vector<std::string_view> names;
  for (const SchemeRow& row : kRows) names.push_back(row.name);
  return names;
}

Result<std::unique_ptr<Scheme>> NewScheme(std::string_view name, const SchemeOptions& options) {
  NEARDUP_ASSIGN(const SchemeRow* const row, FindRow(name));
  NEARDUP_ASSIGN(const SchemeValues values, ValuesOf(*row, options));
  return row->make(values, options.frequencies);
}

}  // namespace neardup
