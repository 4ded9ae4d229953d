// `neardup validate` and `neardup config show|schema|example|reference`.
#pragma once

#include "app/config_arguments.h"

namespace neardup {

/// Checks the configuration, librdkafka's properties included, without a broker.
int ValidateCommand(const ConfigArguments& arguments);
int ShowCommand(const ConfigArguments& arguments, bool with_origin, bool json);

}  // namespace neardup
