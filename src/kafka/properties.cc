#include "kafka/properties.h"

#include <fmt/format.h>
#include <librdkafka/rdkafka.h>

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>

#include "detect/base/quantity.h"

namespace neardup {
namespace {

constexpr std::string_view kOffsets = "offsets are committed in the transaction of the records";
constexpr std::string_view kDeliveries = "every delivery must be reported to neardup";
constexpr std::string_view kCodeOnly = "can only be set by code inside the process";
constexpr std::string_view kBrokers = "use kafka.brokers";
constexpr std::string_view kTimeout = "use transaction.timeout_ms";
constexpr std::string_view kPrefetch =
    "use kafka.prefetch_bytes_max, which bounds what is read ahead from all partitions together";
constexpr std::string_view kMembership =
    "neardup chooses it, so that a standby takes a lane over at once and no lane has two owners";

}  // namespace

const std::vector<RefusedProperty>& RefusedProperties() {
  static const std::vector<RefusedProperty> properties = {
      {"bootstrap.servers", kBrokers},
      {"metadata.broker.list", kBrokers},

      {"enable.auto.commit", kOffsets},
      {"auto.commit.enable", kOffsets},
      {"enable.auto.offset.store", kOffsets},
      {"offset.store.method", kOffsets},
      {"offset.store.path", kOffsets},
      {"auto.offset.reset",
       "use input.start; a lane stops at offsets that no longer exist and never skips records "
       "silently"},
      {"isolation.level", "always read_committed: aborted records must not be seen"},
      {"enable.partition.eof", "neardup needs it to tell when an input is at its end"},

      {"group.id", "neardup names the group after app"},
      {"group.instance.id", kMembership},
      {"group.protocol", kMembership},
      {"group.protocol.type", kMembership},
      {"group.remote.assignor", kMembership},
      {"partition.assignment.strategy", kMembership},
      {"session.timeout.ms", "use lease.session_timeout_ms"},
      {"heartbeat.interval.ms", "use lease.heartbeat_interval_ms"},
      {"max.poll.interval.ms", kMembership},
      {"allow.auto.create.topics",
       "use output.create_topics; a misspelt input must not be created"},

      {"queued.min.messages", kPrefetch},
      {"queued.max.messages.kbytes", kPrefetch},
      {"fetch.queue.backoff.ms", kPrefetch},
      {"fetch.max.bytes", kPrefetch},
      {"fetch.message.max.bytes", kPrefetch},
      {"max.partition.fetch.bytes", kPrefetch},
      {"fetch.wait.max.ms", kPrefetch},

      {"transactional.id", "neardup names it after app; it is the lock of a lane"},
      {"transaction.timeout.ms", kTimeout},
      {"message.timeout.ms", kTimeout},
      {"delivery.timeout.ms", kTimeout},
      {"enable.idempotence", "always true: without it, records repeat and change their order"},
      {"acks", "always all: a record must not be lost with its broker"},
      {"request.required.acks", "always all: a record must not be lost with its broker"},
      {"queuing.strategy", "always fifo: records must keep their order"},
      {"msg_order_cmp", "records must keep their order"},
      {"queue.buffering.max.messages", "use kafka.inflight_records_max"},
      {"queue.buffering.max.kbytes", "use kafka.inflight_bytes_max"},
      {"delivery.report.only.error", kDeliveries},
      {"dr_cb", kDeliveries},
      {"dr_msg_cb", kDeliveries},

      {"plugin.library.paths", "plug-ins load foreign code, which could change records"},
      {"interceptors", kCodeOnly},
      {"enabled_events", kCodeOnly},
      {"opaque", kCodeOnly},
      {"default_topic_conf", kCodeOnly},
      {"ssl_engine_callback_data", kCodeOnly},
      {"ssl_key", "can only be set by code inside the process; use ssl.key.location"},
      {"ssl_certificate",
       "can only be set by code inside the process; use ssl.certificate.location"},
      {"ssl_ca", "can only be set by code inside the process; use ssl.ca.location"},
      {"background_event_cb", kCodeOnly},
      {"closesocket_cb", kCodeOnly},
      {"connect_cb", kCodeOnly},
      {"consume_cb", kCodeOnly},
      {"error_cb", kCodeOnly},
      {"log_cb", kCodeOnly},
      {"oauthbearer_token_refresh_cb", kCodeOnly},
      {"offset_commit_cb", kCodeOnly},
      {"open_cb", kCodeOnly},
      {"partitioner_cb", kCodeOnly},
      {"rebalance_cb", kCodeOnly},
      {"resolve_cb", kCodeOnly},
      {"socket_cb", kCodeOnly},
      {"ssl.certificate.verify_cb", kCodeOnly},
      {"stats_cb", kCodeOnly},
      {"throttle_cb", kCodeOnly},
  };
  return properties;
}

std::optional<std::string> RefusalOf(std::string_view name, std::string_view value) {
  for (const RefusedProperty& property : RefusedProperties()) {
    if (property.name == name) return std::string(property.reason);
  }
  bool bounds_flight =
      std::find(std::begin(kRequestsInFlightNames), std::end(kRequestsInFlightNames), name) !=
      std::end(kRequestsInFlightNames);
  if (!bounds_flight) return std::nullopt;
  const bool allowed =
      value.size() == 1 && value[0] >= '1' && value[0] <= '0' + kRequestsInFlightMax;
  if (allowed) return std::nullopt;
  return fmt::format(
      "expected 1 to {}: with more requests in flight, a resent batch can change places",
      kRequestsInFlightMax);
}

bool IsSecretProperty(std::string_view name) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  for (std::string_view mark :
       {"password", "passphrase", "secret", "token", "credential", "sasl.jaas", "key.pem",
        "ssl_key", "oauthbearer.config", "kinit.cmd"}) {
    if (lower.find(mark) != std::string::npos) return true;
  }
  return false;
}

namespace {

constexpr size_t kAnswerBytesMin = 64 * kKiB;
constexpr size_t kAnswerBytesMax = 8 * kMiB;
constexpr size_t kHeldPart = 2;     // of the bytes, for records that the readers hold
constexpr size_t kAnswerPart = 16;  // of the bytes, for the answers in the library
/// Brokers accept batches of this size by default, and send them as a whole.
constexpr size_t kBatchBytes = kMiB;
constexpr int kFetchBackoffSince = 0x02020000;  // librdkafka 2.2.0

std::map<std::string, std::string> AnswerProperties(size_t answer_bytes_max) {
  const std::string bytes = std::to_string(answer_bytes_max);
  std::map<std::string, std::string> properties = {
      {"fetch.max.bytes", bytes},
      {"max.partition.fetch.bytes", bytes},
  };
  // How long the library does not look again at a queue that it found full. Older versions always
  // wait for a second, unless Client::WakeFetchers ends the wait.
  if (rd_kafka_version() >= kFetchBackoffSince) properties["fetch.queue.backoff.ms"] = "2";
  return properties;
}

}  // namespace

PrefetchShare ShareOf(int64_t prefetch_bytes_max, size_t partitions) {
  const size_t bytes = static_cast<size_t>(prefetch_bytes_max) / std::max<size_t>(1, partitions);
  // Powers of two, because another answer size needs another client: a few more partitions then
  // change nothing.
  return {.held_bytes_max = bytes / kHeldPart,
          .answer_bytes_max = std::clamp(std::bit_floor(std::max<size_t>(1, bytes / kAnswerPart)),
                                         kAnswerBytesMin, kAnswerBytesMax)};
}

size_t PrefetchBytesMax(int64_t prefetch_bytes_max, size_t partitions) {
  return std::max(static_cast<size_t>(prefetch_bytes_max), partitions * 2 * kBatchBytes);
}

std::map<std::string, std::string> FetchProperties(const PrefetchShare& share) {
  std::map<std::string, std::string> properties = AnswerProperties(share.answer_bytes_max);
  // The library asks for a partition only when it holds no record of it.
  properties["queued.min.messages"] = "1";
  properties["queued.max.messages.kbytes"] = std::to_string(share.answer_bytes_max / kKiB);
  // While it holds some, it asks for the other partitions, and has one question under way at a
  // time. A question about partitions without new records must not delay the next one for long.
  properties["fetch.wait.max.ms"] = "10";
  return properties;
}

std::map<std::string, std::string> ChangelogFetchProperties() {
  std::map<std::string, std::string> properties = AnswerProperties(kChangelogAnswerBytes);
  properties["queued.max.messages.kbytes"] = std::to_string(kChangelogQueueBytes / kKiB);
  return properties;
}

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
