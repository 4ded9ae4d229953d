// The client library in use, and what is known to be wrong with it.
#pragma once

#include <string>
#include <vector>

namespace neardup {

/// As in rd_kafka_version(): 0xMMmmrrpp.
int ClientLibraryVersion();
/// "librdkafka 2.0.2".
std::string ClientLibraryName();

/// Sentences for the log at start; `sasl_mechanism` as configured, empty if none.
std::vector<std::string> ClientLibraryWarnings(int version, const std::string& sasl_mechanism);

}  // namespace neardup
