// Text for people: messages on standard error, and results on standard output.
#pragma once

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace neardup {

/// Writes the text and a line end to standard error. Control characters other than line ends and
/// tabs are written as in JSON, such as \u001B, so that keys and values of records cannot change a
/// terminal. A message that cannot be written, since nobody reads it or a disk is full, is lost
/// without an error: the result of a command matters more. Any thread.
void SayText(std::string_view text);

template <class... Values>
void Say(fmt::format_string<Values...> format, Values&&... values) {
  SayText(fmt::format(format, std::forward<Values>(values)...));
}

/// Writes a text for people to standard output, with control characters as SayText() writes them.
void PrintText(std::string_view text);

template <class... Values>
void Print(fmt::format_string<Values...> format, Values&&... values) {
  PrintText(fmt::format(format, std::forward<Values>(values)...));
}

/// Empties the line of a terminal in which the cursor stands, for a line of progress.
inline constexpr const char* kClearLine = "\r\x1b[K";

/// Opens /dev/null for each of standard input, output and error that is closed. Otherwise the next
/// file that is opened gets its number, and messages are written into that file.
void OpenStandardStreams();

}  // namespace neardup
