// `neardup run`: the service.
#pragma once

#include <atomic>

#include "app/config_command.h"

namespace neardup {

/// Runs until SIGTERM or SIGINT; returns the exit code.
int RunCommand(const ConfigArguments& arguments);

/// Set by SIGTERM and SIGINT once CatchStopSignals was called; a second signal ends the process at
/// once.
const std::atomic<bool>& CatchStopSignals();

}  // namespace neardup
