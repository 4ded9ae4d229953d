// Whether the records that the input topics hold now can be compared.
#pragma once

#include "kafka/client.h"
#include "kafka/online_check.h"
#include "service/config/settings.h"

namespace neardup {

/// Reads up to 1,000 records where the service would begin: the oldest of the input topics, or the
/// newest with input.start latest. It commits nothing. kWrong if so many of them are dead letters
/// that a service that has committed nothing would stop.
OnlineCheck CheckSample(const Settings& settings, const KafkaLog& log);

}  // namespace neardup
