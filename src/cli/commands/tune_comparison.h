// `neardup tune --compare`: says whether settings still fit their stream.
#pragma once

#include "commands/tune_arguments.h"
#include "neardup/result.h"

namespace neardup {

/// Prints what `tune` would choose now against arguments.compare, and what differs from the sample
/// that its settings were chosen from. kExitOk if nothing matters, kExitNo if something does.
Result<int> CompareTuning(const TuneArguments& arguments);

}  // namespace neardup
