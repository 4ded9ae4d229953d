// Times of day in running text, in the notations of RFC 3339, logs and mail.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace neardup {

/// Where the time that begins at `at` ends; nullopt if none begins there. `at` must be at the
/// beginning of a word (BeginsWord in mask.h). A date without a clock is no time.
///
/// FORMAT. Brackets mean "may be left out"; letters match in either case.
///
///   part    written as                            examples
///   ------  ------------------------------------  ----------------------------------------
///   time    yyyymmddThhmmss[fraction][zone]       20260131T120000.5+0100 (basic ISO 8601)
///           date join clock[zone]                 2026-01-31 12:00, 31/Jan/2026:12:00:00 -0700
///           [weekday] Mon d join clock[zone] yyyy Sun Dec 04 04:47:44 UTC 2005
///           clock[zone]                           17:31:20 CEST, 7:31 PM
///   date    yyyy x n x n                          2026-01-31, 2017/6/8
///           n x n x yyyy, n x n x yy              31.01.2026, 17/06/09
///           [weekday] d x Mon x yyyy              06 Nov 1994, 31-Jan-2026
///           [weekday] Mon d [yyyy]                Dec  1, Sun Dec 04, dec 10, 2005
///   join    ' ', T, _ or ':', after a comma or    ", "
///           not; or '-'
///   clock   h:mm:ss[fraction][half]               7:31:20.5
///           hh:mm, h:mm half                      17:31, 7:31pm
///           h:mm, only after a date               2026/1/31 7:31
///           h.mm.ss[fraction][half], only after   2005-06-03-15.42.50.675872
///           a date and '-'
///   zone    Z                                     12:00:00Z
///           +hhmm, +hh:mm, or either with '-'     +01:00, up to 14:59
///           UTC, GMT, an abbreviation             CET, CEST, EET, EEST, WET, WEST, BST, EST, EDT,
///                                                 CST, CDT, MST, MDT, PST, PDT, AKST, AKDT
///
///   x         '-', '/' or '.', twice the same; next to Mon also ' '
///   n, d      1 or 2 digits up to 31; either n may be the month
///   h         1 or 2 digits up to 24; hh: 2 digits; mm: 00 to 59; ss: 00 to 60
///   Mon       the first three letters of an English month; between it and d, one or two spaces;
///             between d and yyyy, a space or ", "
///   weekday   the first three letters of an English day of the week, then a space or ", "
///   fraction  '.' or ',' and digits
///   half      AM or PM; a space may stand before it, as before a zone other than Z
///
/// A clock without a date follows no '.' or ':', and no ":digit" or ".digit" follows it.
std::optional<size_t> MaskedTimeEnd(std::string_view text, size_t at);

/// The same, for a clock with a date only.
std::optional<size_t> TimestampEnd(std::string_view text, size_t at);

}  // namespace neardup
