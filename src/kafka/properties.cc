#include "kafka/properties.h"

#include <array>
#include <string_view>

#include "kafka/client.h"

namespace neardup {
namespace {

constexpr int kFetchBackoffSince = 0x02020000;

void SetReadDefaults(Properties& properties) {
  // Past these bounds the library stops fetching for fetch.queue.backoff.ms, which before 2.2.0 is
  // a fixed second: there they must exceed what is read in a second.
  if (ClientLibraryVersion() >= kFetchBackoffSince) {
    properties["fetch.queue.backoff.ms"] = "10";
  } else {
    properties["queued.max.messages.kbytes"] = "524288";
    properties["queued.min.messages"] = "1000000";
  }
  properties["check.crcs"] = "true";
}

void SetWriteDefaults(const KafkaOptions& options, Properties& properties) {
  properties["linger.ms"] = "10";
  // Back-to-back transactions meet a retriable refusal; 100 ms would be most of their time.
  properties["retry.backoff.ms"] = "10";
  properties["batch.size"] = "1000000";
  // The topics' max.message.bytes decide what is too large.
  properties["message.max.bytes"] = "1000000000";
  properties["queue.buffering.max.messages"] = std::to_string(options.inflight_records_max);
  properties["queue.buffering.max.kbytes"] = std::to_string(options.inflight_bytes_max / 1024);
}

Properties Defaults(const KafkaOptions& options, ClientRole role) {
  Properties properties = {
      {"client.id", options.app},
      {"socket.nagle.disable", "true"},
      {"reconnect.backoff.max.ms", "2000"},
  };
  if (role == ClientRole::kSource || role == ClientRole::kChangelog) SetReadDefaults(properties);
  if (IsWriter(role)) SetWriteDefaults(options, properties);
  return properties;
}

Properties Owned(const KafkaOptions& options, ClientRole role, uint16_t lane) {
  Properties properties = {{"bootstrap.servers", options.brokers}};
  if (role == ClientRole::kWriter) {
    properties["transactional.id"] = options.app + "-lane-" + std::to_string(lane);
    properties["transaction.timeout.ms"] = std::to_string(options.transaction_timeout_ms);
  }
  if (IsWriter(role)) {
    properties["enable.idempotence"] = "true";
    properties["acks"] = "all";
    properties["delivery.report.only.error"] = "true";
    return properties;
  }
  properties["group.id"] = role == ClientRole::kLease ? LeaseTopic(options) : options.app;
  properties["enable.auto.commit"] = "false";
  properties["enable.auto.offset.store"] = "false";
  properties["allow.auto.create.topics"] = "false";
  properties["isolation.level"] =
      role == ClientRole::kWatermark ? "read_uncommitted" : "read_committed";
  if (role == ClientRole::kLease) {
    properties["session.timeout.ms"] = std::to_string(options.session_timeout_ms);
    properties["heartbeat.interval.ms"] = std::to_string(options.heartbeat_interval_ms);
    properties["max.poll.interval.ms"] = "60000";
    // Other assignors give the lease to whoever joins.
    properties["partition.assignment.strategy"] = "cooperative-sticky";
  } else {
    properties["enable.partition.eof"] = "true";
    properties["auto.offset.reset"] = "error";
  }
  return properties;
}

// Names that are aliases of owned ones, or would give two instances one identity.
constexpr std::array<std::string_view, 8> kForbidden = {
    "metadata.broker.list", "request.required.acks", "group.instance.id",  "auto.commit.enable",
    "enable.auto.commit",   "transactional.id",      "enable.idempotence", "group.id"};

Result<void> Merge(const Properties& from, const Properties& owned, const char* section,
                   Properties& into) {
  for (const auto& [name, value] : from) {
    bool forbidden = owned.count(name) > 0;
    for (const std::string_view other : kForbidden) forbidden = forbidden || name == other;
    if (forbidden) {
      return Fatal(ErrorCode::kConfig, std::string(section) + ": " + name +
                                           " is set by neardup itself and cannot be changed here");
    }
    into[name] = value;
  }
  return {};
}

bool IsSecret(const std::string& name) {
  for (const char* part : {"password", "secret", "ssl.key.pem", "oauthbearer.config"}) {
    if (name.find(part) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

Result<Properties> ClientProperties(const KafkaOptions& options, ClientRole role, uint16_t lane) {
  const Properties owned = Owned(options, role, lane);
  Properties properties = Defaults(options, role);
  NEARDUP_TRY(Merge(options.properties, owned, "kafka.properties", properties));
  if (IsWriter(role)) {
    NEARDUP_TRY(Merge(options.producer_properties, owned, "kafka.producer_properties", properties));
  } else {
    NEARDUP_TRY(Merge(options.consumer_properties, owned, "kafka.consumer_properties", properties));
  }
  for (const auto& [name, value] : owned) properties[name] = value;
  return properties;
}

Result<ConfHandle> NewConf(const Properties& properties) {
  ConfHandle conf(rd_kafka_conf_new());
  for (const auto& [name, value] : properties) {
    std::array<char, 512> complaint{};
    if (rd_kafka_conf_set(conf.get(), name.c_str(), value.c_str(), complaint.data(),
                          complaint.size()) != RD_KAFKA_CONF_OK) {
      const std::string shown = IsSecret(name) ? "its value is refused" : complaint.data();
      return Fatal(ErrorCode::kConfig, "Kafka property " + name + ": " + shown);
    }
  }
  return conf;
}

Properties Masked(Properties properties) {
  for (auto& [name, value] : properties) {
    if (IsSecret(name)) value = "*****";
  }
  return properties;
}

}  // namespace neardup
