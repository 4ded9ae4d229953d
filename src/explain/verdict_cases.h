// Pairs of records with the verdict that a person expects, as a test of a configuration.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "explain/explanation.h"
#include "neardup/options.h"
#include "neardup/result.h"

namespace neardup {

/// What the later record of a pair is to be.
enum class ExpectedVerdict : uint8_t { kUnique, kDuplicate, kExact, kNear, kDeadLetter };
const char* Name(ExpectedVerdict expected);

/// One pair.
struct VerdictCase {
  size_t line = 0;   ///< of the file, from 1
  std::string name;  ///< what the pair is about; empty: not said
  std::string a;     ///< the earlier record
  std::string b;     ///< the later record
  ExpectedVerdict expected = ExpectedVerdict::kDuplicate;
};

/// FORMAT: JSON Lines, one case in each line:
///     {"name": "...", "a": {...}, "b": {...}, "expect": "duplicate"}
/// `a` and `b` are records: objects, or texts with JSON that may be broken. `expect` is unique,
/// duplicate, exact, near or dead-letter. `name` may be left out. Empty lines are passed over. A
/// line of `neardup filter --pairs` is a case, too: a duplicate, unless a person has added
/// `expect`. kBadInput names the line and what was expected. `file` is for errors.
Result<std::vector<VerdictCase>> ParseVerdictCases(std::string_view text, const std::string& file);

/// What became of a case.
struct CaseOutcome {
  bool as_expected = false;
  std::string found;   ///< such as `near duplicate, distance 3` or `dead letter: parse`
  std::string reason;  ///< why, and what would change it; empty if it is as expected
};

/// Decides `b` after `a`. kConfig: CheckOptions refuses the options.
Result<CaseOutcome> RunCase(const VerdictCase& each, const FilterOptions& options);

}  // namespace neardup
