#include "schemes/schemes.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>
#include <cmath>

#include "schemes/families.h"

namespace neardup {

namespace {

/// The digests of these schemes were MD5 sums before they were XXH3.
constexpr std::string_view kDigest = "digest=xxh3";

constexpr SchemeParameter kEqualShare = {
    "equal_share_min",
    0.5,
    0.01,
    1,
    false,
    "duplicates have at least this share of the larger record's pieces equal"};
constexpr SchemeParameter kShingleLength = {"shingle_length",         5, 1, 64, true,
                                            "characters in a shingle"};
constexpr SchemeParameter kJaccard = {
    "similarity_min", 0.7, 0.01, 1, false, "duplicates have at least this Jaccard coefficient"};
constexpr SchemeParameter kTanimoto = {
    "similarity_min", 0.9, 0.01, 1, false, "duplicates have at least this Tanimoto coefficient"};

constexpr SchemeParameter kMultiMd5[] = {
    {"first_fields", 3, 1, 64, true,
     "how many of the fields that a record has are its first fields"},
    {"first_equal", 1, 1, 64, true, "candidates agree in at least this many first fields"},
    {"equal_share_min", 0.5, 0.01, 1, false,
     "duplicates have at least this share of their fields equal"}};
constexpr SchemeParameter kMultiMd5Tokens[] = {
    {"first_tokens", 3, 1, 64, true,
     "candidates have the same set of this many most frequent tokens"},
    kEqualShare};
constexpr SchemeParameter kSegments[] = {kEqualShare};
constexpr SchemeParameter kStructure[] = {kEqualShare};
constexpr SchemeParameter kFeatureCode[] = {
    {"characters", 5, 1, 64, true, "letters and digits on either side of a punctuation mark"},
    kEqualShare};
constexpr SchemeParameter kCharVector[] = {
    {"dictionary", 3764, 1, 100'000, true,
     "number of commonest characters of the sample that count"},
    kTanimoto};
constexpr SchemeParameter kCharVectorCode[] = {
    {"buckets", 65'536, 16, 1'114'112, true,
     "number of places; a character counts at code point % buckets"},
    kTanimoto};
constexpr SchemeParameter kIMatch[] = {
    {"records_min", 5, 0, 1e9, true, "a token of the lexicon is in at least this many records"},
    {"record_share_max", 0.1, 0, 1, false,
     "a token of the lexicon is in at most this share of the records"}};
constexpr SchemeParameter kIdfString[] = {
    {"token_share", 0.7, 0.01, 1, false,
     "share of the record's distinct tokens that count, the rarest first"}};
constexpr SchemeParameter kPageAttributes[] = {
    {"top_tokens", 10, 1, 1000, true, "number of tokens of most weight that are compared"},
    {"weight_ratio_min", 0.9, 0, 1, false,
     "least ratio of the smaller to the larger weight of these tokens, if only their order "
     "differs"}};
constexpr SchemeParameter kShingles[] = {kShingleLength, kJaccard};
constexpr SchemeParameter kSimhash[] = {
    {"distance_max", 3, 0, 15, true, "largest Hamming distance of duplicates, of 64 bits"}};
constexpr SchemeParameter kRandomProjection[] = {
    {"distance_max", 12, 0, 47, true, "largest Hamming distance of duplicates, of 384 bits"}};

MultiMd5Options MultiMd5OptionsOf(const SchemeValues& values) {
  return {values.Whole("first_fields"), values.Whole("first_equal"),
          values.Real("equal_share_min")};
}

ShingleOptions ShingleOptionsOf(const SchemeValues& values) {
  return {values.Whole("shingle_length"), values.Real("similarity_min")};
}

int DistanceMaxOf(const SchemeValues& values) {
  return static_cast<int>(values.Whole("distance_max"));
}

const SchemeRow kRows[] = {
    {.name = "md5",
     .doc = "one digest of all fields, unchanged",
     .source = "common practice, with MD5 (RFC 1321)",
     .cost = "24 B; compares equal sketches",
     .encoding = kDigest,
     .make = [](const SchemeValues&, SharedFrequencies) { return NewMd5(); }},
    {.name = "multi-md5",
     .doc = "a digest for each field, in order of priority",
     .source = "the multi-MD5 method",
     .cost = "8 B a field + 8 B a first field; compares records that share a first field",
     .encoding = kDigest,
     .parameters = kMultiMd5,
     .make = [](const SchemeValues& values,
                SharedFrequencies) { return NewMultiMd5(MultiMd5OptionsOf(values)); }},
    {.name = "md5-then-multi",
     .doc = "md5, then multi-md5 for what md5 does not find",
     .source = "the two methods in sequence",
     .cost = "the sum of both",
     .encoding = kDigest,
     .parameters = kMultiMd5,
     .make = [](const SchemeValues& values,
                SharedFrequencies) { return NewMd5ThenMulti(MultiMd5OptionsOf(values)); }},
    {.name = "multi-md5-tokens",
     .doc = "equal most frequent tokens, then the share of equal tokens",
     .source = "the multi-MD5 method, over tokens",
     .cost = "8 B a distinct token; compares records with the same most frequent tokens",
     .parameters = kMultiMd5Tokens,
     .make =
         [](const SchemeValues& values, SharedFrequencies) {
           return NewMultiMd5Tokens({values.Whole("first_tokens"), values.Real("equal_share_min")});
         }},
    {.name = "segments",
     .doc = "m of n sentences equal",
     .source = "the segment fingerprint method",
     .cost = "12 B a sentence; compares records that share a sentence",
     .parameters = kSegments,
     .make = [](const SchemeValues& values,
                SharedFrequencies) { return NewSegments(values.Real("equal_share_min")); }},
    {.name = "structure",
     .doc = "first and last sentences of the paragraphs equal",
     .source = "the text-structure method",
     .cost = "24 B a paragraph; compares records that share a sentence",
     .parameters = kStructure,
     .make = [](const SchemeValues& values,
                SharedFrequencies) { return NewStructure(values.Real("equal_share_min")); }},
    {.name = "feature-code",
     .doc = "the characters around each punctuation mark",
     .source = "the feature-code method for Chinese web pages",
     .cost = "12 B a punctuation mark; compares records that share a code",
     .parameters = kFeatureCode,
     .make =
         [](const SchemeValues& values, SharedFrequencies) {
           return NewFeatureCode(values.Whole("characters"), values.Real("equal_share_min"));
         }},
    {.name = "char-vector",
     .doc = "counts of the commonest characters, Tanimoto",
     .source = "the character-set vector method, by dictionary",
     .cost = "8 B a distinct character; compares every entry",
     .frequencies = FrequencyUse::kNeeded,
     .parameters = kCharVector,
     .make =
         [](const SchemeValues& values, SharedFrequencies frequencies) {
           return NewCharVector(values.Whole("dictionary"), values.Real("similarity_min"),
                                std::move(frequencies));
         }},
    {.name = "char-vector-code",
     .doc = "counts of characters by code point, Tanimoto",
     .source = "the character-set vector method, by machine code",
     .cost = "8 B a distinct character; compares every entry",
     .parameters = kCharVectorCode,
     .make =
         [](const SchemeValues& values, SharedFrequencies) {
           return NewCharVectorCode(values.Whole("buckets"), values.Real("similarity_min"));
         }},
    {.name = "i-match",
     .doc = "one hash of the tokens that are neither rare nor common",
     .source = "Chowdhury, Frieder, Grossman and McCabe 2002",
     .cost = "16 B; compares equal sketches",
     .frequencies = FrequencyUse::kNeeded,
     .parameters = kIMatch,
     .make =
         [](const SchemeValues& values, SharedFrequencies frequencies) {
           return NewIMatch({values.Whole("records_min"), values.Real("record_share_max")},
                            std::move(frequencies));
         }},
    {.name = "idf-string",
     .doc = "one hash of the record's rarest tokens",
     .source = "the %-IDF method",
     .cost = "16 B; compares equal sketches",
     .frequencies = FrequencyUse::kNeeded,
     .parameters = kIdfString,
     .make =
         [](const SchemeValues& values, SharedFrequencies frequencies) {
           return NewIdfString(values.Real("token_share"), std::move(frequencies));
         }},
    {.name = "page-attributes",
     .doc = "summary and top tokens, in order or of near weight",
     .source = "the page-attribute methods",
     .cost = "48 B; compares records with the same summary or top tokens",
     .frequencies = FrequencyUse::kOptional,
     .parameters = kPageAttributes,
     .make =
         [](const SchemeValues& values, SharedFrequencies frequencies) {
           return NewPageAttributes({values.Whole("top_tokens"), values.Real("weight_ratio_min")},
                                    std::move(frequencies));
         }},
    {.name = "shingles",
     .doc = "all runs of characters, Jaccard",
     .source = "Broder, Glassman, Manasse and Zweig 1997",
     .cost = "about 10 B a character; compares records that share one of its smallest shingles",
     .parameters = kShingles,
     .make = [](const SchemeValues& values,
                SharedFrequencies) { return NewShingles(ShingleOptionsOf(values)); }},
    {.name = "minhash",
     .doc = "128 minima of the shingles, estimated Jaccard",
     .source = "Broder 1997; bands: Indyk and Motwani 1998",
     .cost = "712 B; compares records that share one of 25 bands",
     .finds_all = false,
     .parameters = kShingles,
     .make = [](const SchemeValues& values,
                SharedFrequencies) { return NewMinHash(ShingleOptionsOf(values)); }},
    {.name = "random-projection",
     .doc = "384 signs of sums over all tokens",
     .source = "Charikar 2002, as in Henzinger 2006",
     .cost = "152 B; compares records that share one of 13 blocks",
     .parameters = kRandomProjection,
     .make = [](const SchemeValues& values,
                SharedFrequencies) { return NewRandomProjection(DistanceMaxOf(values)); }},
    {.name = "simhash",
     .doc = "64 signs of sums over the distinct tokens",
     .source = "Charikar 2002; Manku, Jain and Das Sarma 2007",
     .cost = "40 B; compares records that share one of 4 blocks",
     .parameters = kSimhash,
     .make = [](const SchemeValues& values,
                SharedFrequencies) { return NewSimhash(DistanceMaxOf(values)); }},
    {.name = "simhash-tf",
     .doc = "64 signs of sums over all tokens",
     .source = "simhash, weighted by count",
     .cost = "40 B; compares records that share one of 4 blocks",
     .parameters = kSimhash,
     .make = [](const SchemeValues& values,
                SharedFrequencies) { return NewSimhashTf(DistanceMaxOf(values)); }},
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
  return ConfigError("unknown scheme '{}'; there are {}", name, NamesOf(kRows));
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

/// FORMAT: stands in SchemeSpec. The shortest text that reads back as `number`.
std::string NumberText(double number) {
  std::array<char, 32> text;
  const auto written = std::to_chars(text.data(), text.data() + text.size(), number);
  return {text.data(), written.ptr};
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

Result<std::string> SchemeSpec(std::string_view name, const SchemeOptions& options) {
  NEARDUP_ASSIGN(const SchemeRow* const row, FindRow(name));
  NEARDUP_ASSIGN(const SchemeValues values, ValuesOf(*row, options));
  std::string spec(name);
  for (const SchemeParameter& parameter : row->parameters) {
    spec += fmt::format(" {}={}", parameter.name, NumberText(values.Real(parameter.name)));
  }
  if (!row->encoding.empty()) spec += fmt::format(" {}", row->encoding);
  if (row->frequencies != FrequencyUse::kNone && options.frequencies) {
    spec += fmt::format(" frequencies={}", options.frequencies->hash());
  }
  return spec;
}

}  // namespace neardup
