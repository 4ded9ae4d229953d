// `neardup verify`: proves the promises of a lane on its real topics.
#pragma once

#include "app/config_arguments.h"

namespace neardup {

struct VerifyArguments {
  ConfigArguments config;
  /// The outcome as one JSON object.
  bool json = false;
};

/// Prints the checks and the first violations. Returns kExitOk when all hold, kExitNo when one is
/// violated, another exit code when the audit could not be made.
int VerifyCommand(const VerifyArguments& arguments);

}  // namespace neardup
