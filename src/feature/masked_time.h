// Times of day in running text.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace neardup {

/// Where the time that begins at `at` ends. FORMAT, with x one of "-/." twice, Mon and Www the
/// first three letters of an English month and day of the week, and case of no matter:
///
///   clock  h:mm:ss, a fraction after '.' or ',', then AM or PM; without ss only hh:mm, or h:mm AM
///   or PM,
///          or any after a date
///   zone   Z, +hhmm, +hh:mm, or UTC, GMT and the abbreviations of North America and Europe; a
///   space
///          may stand before it
///   date   yyyy x m x d | d x m x yy | d x m x yyyy | d x Mon x yyyy, x may be a space | Mon d,
///   one
///          or two spaces between, then perhaps a comma and yyyy; "Www " or "Www, " may stand
///          before those with Mon
///   time   clock zone
///          date clock zone: a space, 'T', '_', '-', ':' or ", " between; after '-' the clock may
///          also be hh.mm.ss; after Mon d without yyyy, " yyyy" may stand at the end
///          yyyymmddThhmmss, fraction, zone (ISO 8601, basic)
///
/// A clock without date begins after no '.' and no ':', and goes on with no ":digit" or ".digit".
std::optional<size_t> MaskedTimeEnd(std::string_view text, size_t at);

}  // namespace neardup
