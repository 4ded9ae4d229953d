// What the process tells its caller. Values as in BSD's sysexits where one fits.
#pragma once

#include "neardup/result.h"

namespace neardup {

enum ExitCode : int {
  kExitOk = 0,
  kExitNo = 1,        ///< the answer is no: `verify` found a violation, `healthcheck` is unhealthy
  kExitUsage = 64,    ///< wrong arguments
  kExitNoInput = 66,  ///< a named file or topic does not exist
  kExitUnavailable = 69,  ///< a broker or server does not answer
  kExitInternal = 70,     ///< a library answered outside its contract
  kExitIo = 74,           ///< reading or writing failed
  kExitRefused = 77,      ///< credentials or permissions
  kExitConfig = 78,       ///< the configuration, or state of another configuration
};

inline int ExitCodeOf(const Error& error) {
  switch (error.code) {
    case ErrorCode::kConfig:
    case ErrorCode::kMismatch:
      return kExitConfig;
    case ErrorCode::kNotFound:
      return kExitNoInput;
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

}  // namespace neardup
