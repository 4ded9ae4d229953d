// Texts that are wholly a number.
#pragma once

#include <string>
#include <string_view>

namespace neardup {

/// When `text`, white space around it aside, is one number, puts its canonical form into `out` and
/// returns true. FORMAT: digits, point, sign and e may be full-width, minus also U+2212; the sign
/// '-' is kept except for zero, '+' is dropped, zeros at the end of the fraction are dropped, zeros
/// in front are kept (they mark identifiers). A number with an exponent stays as written, but for
/// width and case.
bool CanonicalNumber(std::string_view text, std::string& out);

}  // namespace neardup
