// Text for people: messages on standard error, and results on standard output.
#pragma once

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "neardup/result.h"

namespace neardup {

// Exit codes of the program. They follow BSD's sysexits.h where it has a fitting one.

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

/// False, with a message, if something that was printed could not be written to standard output.
bool FlushStandardOutput();

/// Opens /dev/null for each of standard input, output and error that is closed. Otherwise the next
/// file that is opened gets its number, and messages are written into that file. A read from a
/// standard input that was closed fails, and so does a write to a standard output that was closed.
/// Messages to a closed standard error are lost.
void OpenStandardStreams();

enum ExitCode : int {
  kExitOk = 0,  ///< success
  /// The answer is no: a violation, damage, no duplicate, an unhealthy instance, settings that no
  /// longer fit.
  kExitNo = 1,
  kExitUsage = 64,        ///< wrong arguments
  kExitBadInput = 65,     ///< records of another format, or none that can be compared
  kExitNoInput = 66,      ///< a named file or topic does not exist
  kExitUnavailable = 69,  ///< a broker or server does not answer
  kExitInternal = 70,     ///< internal error, or a stop that took too long
  kExitIo = 74,           ///< reading or writing failed, or bytes have no valid form
  kExitRefused = 77,      ///< credentials or permissions refused
  kExitConfig = 78,       ///< wrong configuration, or state of another configuration
  kExitSignal = 128,      ///< plus the number of the signal that stopped a command over files
};

/// The exit code for an error that ends a command.
inline int ExitCodeOf(const Error& error) {
  switch (error.code) {
    case ErrorCode::kConfig:
    case ErrorCode::kMismatch:
      return kExitConfig;
    case ErrorCode::kNotFound:
      return kExitNoInput;
    case ErrorCode::kBadInput:
      return kExitBadInput;
    case ErrorCode::kCorrupt:
    case ErrorCode::kIo:
      return kExitIo;
    case ErrorCode::kUnavailable:
      return kExitUnavailable;
    case ErrorCode::kAuth:
      return kExitRefused;
    case ErrorCode::kAborted:
    case ErrorCode::kFenced:
    case ErrorCode::kUnknownOutcome:
    case ErrorCode::kExhausted:
    case ErrorCode::kInternal:
      return kExitInternal;
  }
  return kExitInternal;
}

/// Prints the error on standard error and returns its exit code.
inline int Fail(const Error& error) {
  Say("neardup: {}", error.text);
  return ExitCodeOf(error);
}

}  // namespace neardup
