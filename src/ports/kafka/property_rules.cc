#include "kafka/property_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

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

}  // namespace neardup
