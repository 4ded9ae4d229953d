#include "kafka/library.h"

#include <fmt/format.h>
#include <librdkafka/rdkafka.h>

#include <array>
#include <utility>

#include "kafka/errors.h"
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
        "sends a large batch again (librdkafka issue 4750); use another version");
  }
  return warnings;
}

struct EmbeddedBroker::Parts {
  /// The cluster runs in the thread of this client and is destroyed before it.
  Handle<rd_kafka_t, rd_kafka_destroy> client;
  MockClusterHandle cluster;
};

EmbeddedBroker::EmbeddedBroker(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
EmbeddedBroker::~EmbeddedBroker() = default;

Result<std::unique_ptr<EmbeddedBroker>> EmbeddedBroker::New(int brokers) {
  ConfHandle conf(rd_kafka_conf_new());
  rd_kafka_conf_set_log_cb(conf.get(), [](const rd_kafka_t*, int, const char*, const char*) {});
  std::array<char, 512> complaint{};
  auto parts = std::make_unique<Parts>();
  parts->client.reset(
      rd_kafka_new(RD_KAFKA_PRODUCER, conf.get(), complaint.data(), complaint.size()));
  if (!parts->client) {
    return Error{ErrorCode::kInternal,
                 fmt::format("starting the embedded broker: {}", complaint.data())};
  }
  static_cast<void>(conf.release());  // rd_kafka_new took it
  parts->cluster.reset(rd_kafka_mock_cluster_new(parts->client.get(), brokers));
  if (!parts->cluster) {
    return Error{
        ErrorCode::kInternal,
        fmt::format("starting the embedded broker: {} broker(s) cannot listen on 127.0.0.1",
                    brokers)};
  }
  return std::unique_ptr<EmbeddedBroker>(new EmbeddedBroker(std::move(parts)));
}

Result<void> EmbeddedBroker::CreateTopic(const std::string& topic, int32_t partitions) {
  const rd_kafka_resp_err_t code =
      rd_kafka_mock_topic_create(parts_->cluster.get(), topic.c_str(), partitions, 1);
  if (code == RD_KAFKA_RESP_ERR_NO_ERROR) return {};
  return Error{ErrorCode::kInternal, fmt::format("creating topic {} in the embedded broker: {}",
                                                 topic, rd_kafka_err2str(code))};
}

std::string EmbeddedBroker::bootstrap() const {
  return rd_kafka_mock_cluster_bootstraps(parts_->cluster.get());
}

}  // namespace neardup
