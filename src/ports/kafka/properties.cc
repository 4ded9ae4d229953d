#include "kafka/properties.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "kafka/prefetch.h"
#include "kafka/property_rules.h"

namespace neardup {
namespace {

constexpr int32_t kLeasePollIntervalMs = 60'000;

void SetWriteDefaults(const KafkaOptions& options, Properties& properties) {
  // Fewer and larger batches cost the brokers and this process less. A commit does not wait for it:
  // flushing sends at once.
  properties["linger.ms"] = "50";
  // The first request of a transaction that directly follows another is refused once and retried;
  // the default back-off of 100 ms would be most of the transaction's time.
  properties["retry.backoff.ms"] = "10";
  properties["batch.size"] = "1000000";
  // The topics' max.message.bytes decide which records are too large.
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
  if (role == ClientRole::kSource || role == ClientRole::kChangelog) {
    properties["check.crcs"] = "true";
  }
  // A reader learns after this time that it has reached the end of the changelog. A start waits
  // twice for that, and a take-over once.
  if (role == ClientRole::kChangelog) properties["fetch.wait.max.ms"] = "20";
  if (role == ClientRole::kSource)
    properties["statistics.interval.ms"] = "2000";  // for LeaderWatch
  // A broker may show a new topic late. If the library does not know its partitions when the group
  // is formed, it gives the members nothing, and would ask again only after five minutes.
  if (role == ClientRole::kLease) {
    properties["topic.metadata.refresh.interval.ms"] = "2000";
    properties["statistics.interval.ms"] = "1000";  // for Lease::brokers_answer
  }
  if (IsWriter(role)) SetWriteDefaults(options, properties);
  return properties;
}

/// The library's complaint about a property; empty: it takes the property.
std::string SetProperty(rd_kafka_conf_t* conf, const std::string& name, const std::string& value) {
  std::array<char, 512> complaint{};
  if (rd_kafka_conf_set(conf, name.c_str(), value.c_str(), complaint.data(), complaint.size()) ==
      RD_KAFKA_CONF_OK) {
    return "";
  }
  return IsSecretProperty(name) ? "its value is wrong" : complaint.data();
}

Result<void> Merge(const Properties& from, std::string_view section, Properties& into) {
  const ConfHandle conf(rd_kafka_conf_new());
  for (const auto& [name, value] : from) {
    if (const auto refusal = RefusalOf(name, value)) {
      return Fatal(ErrorCode::kConfig,
                   fmt::format("{}: the property {} cannot be set: {}", section, name, *refusal));
    }
    const std::string complaint = SetProperty(conf.get(), name, value);
    if (!complaint.empty()) {
      return Fatal(ErrorCode::kConfig, fmt::format("{}: librdkafka refuses the property {}: {}",
                                                   section, name, complaint));
    }
    into[name] = value;
  }
  return {};
}

}  // namespace

Properties OwnedProperties(const KafkaOptions& options, ClientRole role, uint16_t lane) {
  Properties properties = {{"bootstrap.servers", options.brokers}};
  if (role == ClientRole::kWriter) {
    properties["transactional.id"] = fmt::format("{}-lane-{}", options.app, lane);
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
    // It must not be below the session time-out.
    properties["max.poll.interval.ms"] =
        std::to_string(std::max(options.session_timeout_ms, kLeasePollIntervalMs));
    // With other assignors a member that joins may take the lease from its holder.
    properties["partition.assignment.strategy"] = "cooperative-sticky";
  } else {
    properties["enable.partition.eof"] = "true";
    properties["auto.offset.reset"] = "error";
  }
  if (role == ClientRole::kSource) {
    properties.merge(FetchProperties(ShareOf(options.prefetch_bytes_max, options.topics.size())));
  } else if (role == ClientRole::kChangelog) {
    properties.merge(ChangelogFetchProperties());
  } else if (role == ClientRole::kWatermark) {
    // Where it reads a record, questions follow.
    properties["fetch.wait.max.ms"] = "10";
  }
  return properties;
}

Result<Properties> ClientProperties(const KafkaOptions& options, ClientRole role, uint16_t lane) {
  Properties properties = Defaults(options, role);
  NEARDUP_TRY(Merge(options.properties, "kafka.properties", properties));
  if (IsWriter(role)) {
    NEARDUP_TRY(Merge(options.producer_properties, "kafka.producer_properties", properties));
  } else {
    NEARDUP_TRY(Merge(options.consumer_properties, "kafka.consumer_properties", properties));
  }
  for (const auto& [name, value] : OwnedProperties(options, role, lane)) properties[name] = value;
  // It bounds what a producer sends, but the library also refuses answers that are smaller. This is
  // the lowest value that it takes.
  if (!IsWriter(role)) properties["message.max.bytes"] = "1000";
  return properties;
}

Result<ConfHandle> NewConf(const Properties& properties) {
  ConfHandle conf(rd_kafka_conf_new());
  for (const auto& [name, value] : properties) {
    const std::string complaint = SetProperty(conf.get(), name, value);
    if (!complaint.empty()) {
      return Fatal(ErrorCode::kConfig,
                   fmt::format("librdkafka refuses the property {}: {}", name, complaint));
    }
  }
  return conf;
}

}  // namespace neardup
