// librdkafka itself: its version, the faults of that version, and its broker for tests and the
// demo.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kafka/kafka_options.h"
#include "neardup/result.h"

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

// A broker inside this process, for demonstrations and tests without a cluster. It is librdkafka's
// mock cluster: without isolation, fencing or aborts, and with 5 MB per partition. It proves
// nothing about transactions.

class EmbeddedBroker {
 public:
  static Result<std::unique_ptr<EmbeddedBroker>> New(int brokers);
  ~EmbeddedBroker();
  EmbeddedBroker(const EmbeddedBroker&) = delete;
  EmbeddedBroker& operator=(const EmbeddedBroker&) = delete;

  Result<void> CreateTopic(const std::string& topic, int32_t partitions);
  /// For KafkaOptions::brokers. Other processes on this host can connect too.
  std::string bootstrap() const;

 private:
  struct Parts;
  explicit EmbeddedBroker(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace neardup
