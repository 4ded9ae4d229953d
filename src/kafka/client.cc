#include "kafka/client.h"

#include <array>
#include <utility>

#include "kafka/client_error.h"
#include "kafka/version.h"

namespace neardup {
namespace {

// A login refused longer ago than this says nothing of a time-out now: clients try again within 2
// s.
constexpr std::chrono::seconds kRefusalHolds{15};

std::string SaslMechanism(const KafkaOptions& options) {
  for (const char* name : {"sasl.mechanism", "sasl.mechanisms"}) {
    const auto found = options.properties.find(name);
    if (found != options.properties.end()) return found->second;
  }
  return {};
}

}  // namespace

Client::Client(const KafkaOptions& options, KafkaLog log, ClientHooks hooks)
    : brokers_(options.brokers),
      sasl_mechanism_(SaslMechanism(options)),
      log_(std::move(log)),
      hooks_(std::move(hooks)) {
  if (!log_) log_ = [](int, std::string_view) {};
}

void Client::Bind(rd_kafka_conf_t* conf, ClientRole role) {
  rd_kafka_conf_set_opaque(conf, this);
  rd_kafka_conf_set_log_cb(conf, [](const rd_kafka_t* client, int level, const char* facility,
                                    const char* text) {
    static_cast<Client*>(rd_kafka_opaque(client))->log_(level, std::string(facility) + ": " + text);
  });
  rd_kafka_conf_set_error_cb(conf, [](rd_kafka_t*, int code, const char* reason, void* self) {
    static_cast<Client*>(self)->Complain(static_cast<rd_kafka_resp_err_t>(code), reason);
  });
  if (IsWriter(role) && hooks_.delivery_failed) {
    rd_kafka_conf_set_dr_msg_cb(conf,
                                [](rd_kafka_t*, const rd_kafka_message_t* message, void* self) {
                                  static_cast<Client*>(self)->hooks_.delivery_failed(*message);
                                });
  }
  if (role == ClientRole::kLease && hooks_.rebalanced) {
    rd_kafka_conf_set_rebalance_cb(
        conf, [](rd_kafka_t*, rd_kafka_resp_err_t code, rd_kafka_topic_partition_list_t* partitions,
                 void* self) { static_cast<Client*>(self)->hooks_.rebalanced(code, partitions); });
  }
}

Result<std::shared_ptr<Client>> Client::New(const KafkaOptions& options, ClientRole role,
                                            KafkaLog log, ClientHooks hooks, uint16_t lane,
                                            const Properties& extra) {
  NEARDUP_ASSIGN(Properties properties, ClientProperties(options, role, lane));
  for (const auto& [name, value] : extra) properties[name] = value;
  NEARDUP_ASSIGN(ConfHandle conf, NewConf(properties));
  const std::shared_ptr<Client> client(new Client(options, std::move(log), std::move(hooks)));
  client->Bind(conf.get(), role);
  std::array<char, 512> complaint{};
  const auto type = IsWriter(role) ? RD_KAFKA_PRODUCER : RD_KAFKA_CONSUMER;
  client->handle_ = rd_kafka_new(type, conf.get(), complaint.data(), complaint.size());
  if (client->handle_ == nullptr) {
    return Fatal(ErrorCode::kConfig,
                 std::string("the Kafka client refuses its properties: ") + complaint.data());
  }
  static_cast<void>(conf.release());  // rd_kafka_new took it
  if (type == RD_KAFKA_CONSUMER) rd_kafka_poll_set_consumer(client->handle_);
  return client;
}

Client::~Client() {
  if (handle_ == nullptr) return;
  if (rd_kafka_type(handle_) == RD_KAFKA_PRODUCER) {
    // What is in flight belongs to a transaction that will never be committed, or was not waited
    // for.
    rd_kafka_purge(handle_, RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT);
    hooks_.delivery_failed = [](const rd_kafka_message_t&) {};
    rd_kafka_poll(handle_, 0);
    rd_kafka_destroy(handle_);
  } else {
    // Clients that are members of a group close themselves before; the others have nothing to say.
    rd_kafka_destroy_flags(handle_, RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE);
  }
}

void Client::Complain(rd_kafka_resp_err_t code, const char* reason) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (IsRefusedAccess(code)) {
    refused_login_ = reason;
    refused_login_at_ = std::chrono::steady_clock::now();
  } else if (code == RD_KAFKA_RESP_ERR__TRANSPORT || code == RD_KAFKA_RESP_ERR__RESOLVE) {
    complaint_ = reason;
  }
  log_(code == RD_KAFKA_RESP_ERR__FATAL ? 3 : 4,
       std::string(rd_kafka_err2name(code)) + ": " + reason);
}

bool Client::LoginRefused() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return !refused_login_.empty() &&
         std::chrono::steady_clock::now() - refused_login_at_ < kRefusalHolds;
}

Error Client::Explain(Error error) const {
  const bool refused = LoginRefused();
  const std::lock_guard<std::mutex> lock(mutex_);
  if (error.code == ErrorCode::kUnavailable && refused) {
    error = {ErrorCode::kAuth, error.text + "; the brokers refuse the login: " + refused_login_};
  }
  if (error.code == ErrorCode::kAuth) {
    error.text += " (brokers " + brokers_ +
                  "; check security.protocol, sasl.*, ssl.* and the permissions of the user)";
    for (const std::string& warning :
         ClientLibraryWarnings(ClientLibraryVersion(), sasl_mechanism_)) {
      error.text += "; " + warning;
    }
  } else if (error.code == ErrorCode::kUnavailable) {
    error.text += " (brokers " + brokers_ + (complaint_.empty() ? "" : "; " + complaint_) + ")";
  }
  return error;
}

Result<void> CheckProperties(const KafkaOptions& options) {
  for (const ClientRole role : {ClientRole::kSource, ClientRole::kChangelog, ClientRole::kWatermark,
                                ClientRole::kWriter, ClientRole::kLease}) {
    const auto client = Client::New(options, role, {});
    if (!client.ok()) return client.error();
  }
  return {};
}

}  // namespace neardup
