// The scheme that is chosen, made.
#pragma once

#include <memory>
#include <string>

#include "fingerprint/scheme.h"
#include "fingerprint/schemes.h"
#include "neardup/options.h"
#include "neardup/result.h"

namespace neardup {

/// Both are nullptr for the filter's own scheme.
struct ChosenScheme {
  std::shared_ptr<const Scheme> scheme;
  const SchemeRow* row = nullptr;
};

/// kConfig: no such scheme, a parameter it does not take or out of its range, or a scheme that
/// works on a sample only. The text starts with match.scheme or match.scheme_options.
Result<ChosenScheme> ChooseScheme(const MatchScheme& choice);

/// SchemeSpec of a choice that ChooseScheme takes; empty for the filter's own.
std::string SpecOf(const MatchScheme& choice);

}  // namespace neardup
