#include "kafka/version.h"

#include "kafka/handle.h"

namespace neardup {
namespace {

constexpr int Version(int major, int minor, int revision) {
  return (major << 24) | (minor << 16) | (revision << 8);
}

}  // namespace

int ClientLibraryVersion() { return rd_kafka_version(); }

std::string ClientLibraryName() { return std::string("librdkafka ") + rd_kafka_version_str(); }

std::vector<std::string> ClientLibraryWarnings(int version, const std::string& sasl_mechanism) {
  std::vector<std::string> warnings;
  if (version < Version(2, 6, 1) && sasl_mechanism.rfind("SCRAM", 0) == 0) {
    warnings.emplace_back(
        "librdkafka before 2.6.1 cannot log in with SCRAM to Kafka 4.0 or later (its issue 4895); "
        "use SASL/PLAIN over TLS, or a newer librdkafka");
  }
  if (version >= Version(2, 2, 0) && version < Version(2, 5, 0)) {
    warnings.emplace_back(
        "librdkafka 2.2.0 to 2.4.0 can fail with \"Unable to reconstruct MessageSet\" when a big "
        "batch is sent again (its issue 4750); use another version");
  }
  return warnings;
}

}  // namespace neardup
