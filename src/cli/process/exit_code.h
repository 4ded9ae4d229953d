// Exit codes of the program. They follow BSD's sysexits.h where it has a fitting one.
#pragma once

#include "neardup/result.h"
#include "process/message.h"

namespace neardup {

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
