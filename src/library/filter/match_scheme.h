// The scheme that the options choose.
#pragma once

#include <memory>
#include <string>

#include "neardup/options.h"
#include "neardup/result.h"
#include "schemes/scheme.h"
#include "schemes/schemes.h"

namespace neardup {

/// A comparison scheme and its row in the table of schemes. Both are nullptr for the filter's own
/// scheme.
struct ChosenScheme {
  std::shared_ptr<const Scheme> scheme;
  const SchemeRow* row = nullptr;
};

/// Creates the chosen scheme. kConfig if there is no such scheme, if it does not have one of the
/// parameters, if a parameter is out of range, or if the scheme needs the document frequencies of a
/// sample. The error text begins with match.scheme or match.scheme_options.
Result<ChosenScheme> ChooseScheme(const MatchScheme& choice);

/// SchemeSpec of a choice that ChooseScheme accepts; empty for the filter's own scheme.
std::string SpecOf(const MatchScheme& choice);

}  // namespace neardup
