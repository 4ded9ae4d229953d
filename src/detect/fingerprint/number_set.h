// The numbers in the tokens of a record, as a small set.
#pragma once

#include <cstdint>
#include <string_view>

namespace neardup {

/// Whether a token is a number: a count, an amount, a year, an ordinal, a size, the code of a
/// model, batch or part, or what stands for a quote. Long identifiers, hashes and masked parts are
/// none.
/// FORMAT: one of
///   - a sign (+ or -), or none; decimal digits, which may have one point between them; then at
///     most three other characters, none of them a digit or a point: `3`, `-5`, `12.5`, `128gb`,
///     `5th`. At most 12 characters in all. Digits are the digits of ASCII, and of other scripts
///     from U+0640 to U+187F.
///   - letters of a to z, then digits of ASCII; letters, or letters and digits, may follow: `v3`,
///     `l0428`, `iphone13`, `x200b`, `m8x40`. At most 10 characters in all. A code of more than two
///     characters has at least two digits, because scanned texts hold words such as `fie1d`.
///   - kQuoteMark and at least one more byte (detect/feature/quote.h).
bool IsNumber(std::string_view token);

/// The set of the numbers in the text of a TokenList (detect/feature/token_list.h).
/// FORMAT: with h the Hash64 of its bytes, a number sets the bits h mod 64 and
/// (h + 1 + (h / 64) mod 63) mod 64. So two single numbers have equal sets with a chance of 1 in
/// 2016. The model's hash seed does not matter.
uint64_t NumberSet(std::string_view token_text);

}  // namespace neardup
