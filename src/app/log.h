// The process log: one line an event, on standard error.
#pragma once

#include "config/settings.h"

namespace neardup {

/// Sets the process-wide spdlog logger. Text: `time level message`; JSON: one object a line with
/// time, level, message. Call once, before any thread logs.
void StartLog(LogLevel level, LogFormat format);

}  // namespace neardup
