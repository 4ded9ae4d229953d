// The table of comparison schemes: their names and parameters, and how to make one by name.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "commands/evaluate/scheme.h"
#include "neardup/result.h"

namespace neardup {

struct SchemeOptions {
  /// Parameters by name. A parameter that is not named has its default.
  std::map<std::string, double, std::less<>> values;
  /// Learned from a sample; see SchemeRow::frequencies.
  SharedFrequencies frequencies;
};

struct SchemeParameter {
  std::string_view name;
  double fallback = 0;  ///< the default
  double least = 0;     ///< inclusive
  double most = 0;      ///< inclusive
  bool whole = false;   ///< must be a whole number
};

/// Whether a scheme uses the document frequencies of a sample.
enum class FrequencyUse : uint8_t { kNone, kOptional, kNeeded };

/// The value of every parameter of a row: the given one or the default.
class SchemeValues {
 public:
  explicit SchemeValues(std::map<std::string_view, double> values) : values_(std::move(values)) {}

  /// Asserts that the row has this parameter.
  double Real(std::string_view name) const;
  /// As Real, of a parameter that is whole and not negative.
  uint32_t Whole(std::string_view name) const;

 private:
  std::map<std::string_view, double> values_;
};

struct SchemeRow {
  std::string_view name;
  FrequencyUse frequencies = FrequencyUse::kNone;
  /// True: every pair that Scheme::Distance takes shares a key, or the scheme scans all. False:
  /// most of these pairs share a key.
  bool finds_all = true;
  std::span<const SchemeParameter> parameters = {};
  std::unique_ptr<Scheme> (*make)(const SchemeValues& values,
                                  SharedFrequencies frequencies) = nullptr;
};

std::span<const SchemeRow> SchemeRows();
std::vector<std::string_view> SchemeNames();

/// Makes a scheme:
///     auto scheme = NewScheme("minhash", {.values = {{"similarity_min", 0.8}}});
/// kConfig: an unknown scheme, an unknown parameter, a value out of range, or missing frequencies.
Result<std::unique_ptr<Scheme>> NewScheme(std::string_view name, const SchemeOptions& options);

}  // namespace neardup
