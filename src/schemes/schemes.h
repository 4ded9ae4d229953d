// The schemes there are: by name, with what they take.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "neardup/result.h"
#include "schemes/scheme.h"
#include "schemes/token_counts.h"

namespace neardup {

struct SchemeOptions {
  /// Parameters by name; those that are not named have their default.
  std::map<std::string, double, std::less<>> values;
  /// Learned from a sample; see SchemeRow::frequencies.
  std::shared_ptr<const DocumentFrequencies> frequencies;
};

struct SchemeParameter {
  std::string_view name;
  double fallback = 0;
  double least = 0;  ///< inclusive, as `most`
  double most = 0;
  bool whole = false;
  std::string_view doc;
};

enum class FrequencyUse : uint8_t { kNone, kOptional, kNeeded };

/// All parameters of a row: those given, else their defaults. Looking up another name asserts.
class SchemeValues {
 public:
  explicit SchemeValues(std::map<std::string_view, double> values) : values_(std::move(values)) {}

  double Real(std::string_view name) const;
  /// Of a parameter that is whole and not negative.
  uint32_t Whole(std::string_view name) const;

 private:
  std::map<std::string_view, double> values_;
};

struct SchemeRow {
  std::string_view name;
  std::string_view doc;
  std::string_view source;
  /// Memory of an entry, and what a look-up compares.
  std::string_view cost;
  FrequencyUse frequencies = FrequencyUse::kNone;
  bool wants_md5 = false;
  /// Every pair that Scheme::Distance takes shares a key, or all entries are compared; else most
  /// do.
  bool finds_all = true;
  std::span<const SchemeParameter> parameters = {};
  std::unique_ptr<Scheme> (*make)(const SchemeValues& values,
                                  std::shared_ptr<const DocumentFrequencies> frequencies) = nullptr;
};

std::span<const SchemeRow> SchemeRows();
std::vector<std::string_view> SchemeNames();

/// Names the first thing that is wrong: the scheme, a parameter, its range, missing frequencies.
Result<std::unique_ptr<Scheme>> NewScheme(std::string_view name, const SchemeOptions& options);

/// Everything that gives a sketch its meaning: the scheme's name, all parameters with their values,
/// and the hash of the frequencies if they are used. Sketches of equal text can be compared.
Result<std::string> SchemeSpec(std::string_view name, const SchemeOptions& options);

}  // namespace neardup
