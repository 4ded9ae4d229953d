// The version of librdkafka that is in use, and what is wrong with it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kafka/kafka_options.h"

namespace neardup {

/// A version in the form of rd_kafka_version().
constexpr int LibraryVersion(int major, int minor, int revision) {
  return (major << 24) | (minor << 16) | (revision << 8);
}

/// Returns the name and version of the client library, for example "librdkafka 2.0.2".
std::string ClientLibraryName();
/// Known faults of the library in use that matter with these options, as sentences for the log.
std::vector<std::string> ClientLibraryWarnings(const KafkaOptions& options);
/// The same for any version, in the form of rd_kafka_version(): 0xMMmmrrpp. An empty
/// `sasl_mechanism` stands for none.
std::vector<std::string> ClientLibraryWarnings(int version, std::string_view sasl_mechanism);

}  // namespace neardup
