#include "kafka/library_version.h"

#include <fmt/format.h>
#include <librdkafka/rdkafka.h>

#include "kafka/properties.h"

namespace neardup {
namespace {

/// Empty if the options set none.
std::string SaslMechanism(const KafkaOptions& options) {
  for (const Properties* properties :
       {&options.properties, &options.producer_properties, &options.consumer_properties}) {
    for (const char* name : {"sasl.mechanism", "sasl.mechanisms"}) {
      if (const auto found = properties->find(name); found != properties->end()) {
        return found->second;
      }
    }
  }
  return {};
}

}  // namespace

std::string ClientLibraryName() { return fmt::format("librdkafka {}", rd_kafka_version_str()); }

std::vector<std::string> ClientLibraryWarnings(const KafkaOptions& options) {
  return ClientLibraryWarnings(rd_kafka_version(), SaslMechanism(options));
}

std::vector<std::string> ClientLibraryWarnings(int version, std::string_view sasl_mechanism) {
  std::vector<std::string> warnings;
  if (version < LibraryVersion(2, 6, 1) && sasl_mechanism.starts_with("SCRAM")) {
    warnings.emplace_back(
        "librdkafka before 2.6.1 cannot log in with SCRAM to Kafka 4.0 or later (librdkafka issue "
        "4895); use SASL/PLAIN over TLS, or a newer librdkafka");
  }
  if (version >= LibraryVersion(2, 2, 0) && version < LibraryVersion(2, 5, 0)) {
    warnings.emplace_back(
        "librdkafka 2.2.0 to 2.4.0 can fail with \"Unable to reconstruct MessageSet\" when it "
        "sends "
        "a large batch again (librdkafka issue 4750); use another version");
  }
  return warnings;
}

}  // namespace neardup
