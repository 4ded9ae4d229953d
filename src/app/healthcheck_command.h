// `neardup healthcheck`: asks a running instance whether it is well.
#pragma once

#include <string>

namespace neardup {

/// `url` such as http://127.0.0.1:9404/readyz. kExitOk for status 200, kExitNo for another,
/// kExitUnavailable when nothing answers.
int HealthcheckCommand(const std::string& url);

}  // namespace neardup
