#include "kafka/client.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <future>
#include <thread>
#include <utility>

namespace neardup {
namespace {

// librdkafka before 2.6.1 never ends a consumer to which a partition of a deleted topic is or was
// assigned. Others end within milliseconds.
constexpr std::chrono::seconds kDestroyMax{5};

ErrorCode Meaning(rd_kafka_resp_err_t code) {
  if (IsRefusedAccess(code)) return ErrorCode::kAuth;
  switch (code) {
    case RD_KAFKA_RESP_ERR__FENCED:
    case RD_KAFKA_RESP_ERR_INVALID_PRODUCER_EPOCH:
    case RD_KAFKA_RESP_ERR_PRODUCER_FENCED:
      return ErrorCode::kFenced;
    case RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART:
    case RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC:
    case RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION:
    case RD_KAFKA_RESP_ERR_OFFSET_OUT_OF_RANGE:
    case RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET:
      return ErrorCode::kNotFound;
    case RD_KAFKA_RESP_ERR__INVALID_ARG:
    case RD_KAFKA_RESP_ERR_INVALID_CONFIG:
    case RD_KAFKA_RESP_ERR_INVALID_PARTITIONS:
    case RD_KAFKA_RESP_ERR_INVALID_REPLICATION_FACTOR:
    case RD_KAFKA_RESP_ERR_INVALID_TRANSACTION_TIMEOUT:
    case RD_KAFKA_RESP_ERR_TOPIC_EXCEPTION:
    case RD_KAFKA_RESP_ERR_POLICY_VIOLATION:
    case RD_KAFKA_RESP_ERR__UNSUPPORTED_FEATURE:
    case RD_KAFKA_RESP_ERR_UNSUPPORTED_VERSION:
      return ErrorCode::kConfig;
    case RD_KAFKA_RESP_ERR__TRANSPORT:
    case RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN:
    case RD_KAFKA_RESP_ERR__RESOLVE:
    case RD_KAFKA_RESP_ERR__TIMED_OUT:
    case RD_KAFKA_RESP_ERR__TIMED_OUT_QUEUE:
    case RD_KAFKA_RESP_ERR__MSG_TIMED_OUT:
    case RD_KAFKA_RESP_ERR__WAIT_COORD:
    case RD_KAFKA_RESP_ERR__QUEUE_FULL:
    case RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE:
    case RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION:
    case RD_KAFKA_RESP_ERR_REPLICA_NOT_AVAILABLE:
    case RD_KAFKA_RESP_ERR_OFFSET_NOT_AVAILABLE:
    case RD_KAFKA_RESP_ERR_FENCED_LEADER_EPOCH:
    case RD_KAFKA_RESP_ERR_UNKNOWN_LEADER_EPOCH:
    case RD_KAFKA_RESP_ERR_KAFKA_STORAGE_ERROR:
    case RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT:
    case RD_KAFKA_RESP_ERR_BROKER_NOT_AVAILABLE:
    case RD_KAFKA_RESP_ERR_NETWORK_EXCEPTION:
    case RD_KAFKA_RESP_ERR_NOT_CONTROLLER:
    case RD_KAFKA_RESP_ERR_COORDINATOR_LOAD_IN_PROGRESS:
    case RD_KAFKA_RESP_ERR_COORDINATOR_NOT_AVAILABLE:
    case RD_KAFKA_RESP_ERR_NOT_COORDINATOR:
    case RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS:
    case RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS_AFTER_APPEND:
    case RD_KAFKA_RESP_ERR_CONCURRENT_TRANSACTIONS:
    case RD_KAFKA_RESP_ERR_UNSTABLE_OFFSET_COMMIT:
      return ErrorCode::kUnavailable;
    default:
      return ErrorCode::kInternal;
  }
}

/// What is wrong with a certificate, after its name. `x509_error` is OpenSSL's number.
std::string CertificateFault(int x509_error) {
  constexpr std::string_view kClocks = "; compare the clocks, or renew it at the broker";
  switch (x509_error) {
    case 9:
      return fmt::format("is not valid yet{}", kClocks);
    case 10:
      return fmt::format("has expired{}", kClocks);
    case 18:
    case 19:
    case 20:
    case 21:
      return "is not signed by an authority in ssl.ca.location";
    case 23:
      return "is revoked";
    case 62:
    case 64:
      return "is for another host name; kafka.brokers and advertised.listeners must use a name "
             "that is in the certificate";
    default:
      return fmt::format("cannot be verified (OpenSSL error {})", x509_error);
  }
}

/// For a client that is not destroyed in time: its threads still run, and the object that they
/// would log through is gone.
void DropLogger(rd_kafka_t* handle) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  rd_kafka_set_logger(handle, nullptr);
#pragma GCC diagnostic pop
}

/// The members of a group have left it before; the other consumers have nothing to leave.
void DestroyConsumer(rd_kafka_t* handle) {
  std::packaged_task<void()> task(
      [handle] { rd_kafka_destroy_flags(handle, RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE); });
  const std::future<void> done = task.get_future();
  std::thread thread(std::move(task));
  if (done.wait_for(kDestroyMax) == std::future_status::ready) {
    thread.join();
    return;
  }
  DropLogger(handle);
  thread.detach();
}

constexpr int Version(int major, int minor, int revision) {
  return (major << 24) | (minor << 16) | (revision << 8);
}

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

Result<std::shared_ptr<Client>> Client::New(const KafkaOptions& options, ClientRole role,
                                            KafkaLog log, ClientHooks hooks, uint16_t lane,
                                            const Properties& extra) {
  NEARDUP_ASSIGN(Properties properties, ClientProperties(options, role, lane));
  for (const auto& [name, value] : extra) properties[name] = value;
  NEARDUP_ASSIGN(ConfHandle conf, NewConf(properties));
  const std::shared_ptr<Client> client(new Client(options, std::move(log), std::move(hooks)));
  // The library checks certificates without a callback, too, but says of each one only that it
  // could not be verified.
  const auto checked = properties.find("enable.ssl.certificate.verification");
  if (checked == properties.end() || checked->second == "true") {
    rd_kafka_conf_set_ssl_cert_verify_cb(
        conf.get(), [](rd_kafka_t*, const char* broker, int32_t, int* x509_error, int, const char*,
                       size_t, char* text, size_t text_size, void* self) {
          const bool trusted = static_cast<Client*>(self)->CheckCertificate(broker, *x509_error);
          if (!trusted)
            *fmt::format_to_n(text, text_size - 1, "{}", CertificateFault(*x509_error)).out = 0;
          return trusted ? 1 : 0;
        });
  }
  client->group_ = properties["group.id"];
  client->sasl_username_ = properties["sasl.username"];
  client->sasl_password_ = properties["sasl.password"];
  client->Bind(conf.get(), role);
  std::array<char, 512> complaint{};
  const auto type = IsWriter(role) ? RD_KAFKA_PRODUCER : RD_KAFKA_CONSUMER;
  client->handle_ = rd_kafka_new(type, conf.get(), complaint.data(), complaint.size());
  if (client->handle_ == nullptr) {
    return Fatal(
        ErrorCode::kConfig,
        fmt::format("librdkafka refuses the client properties: {}; correct kafka.properties, "
                    "kafka.consumer_properties or kafka.producer_properties",
                    complaint.data()));
  }
  static_cast<void>(conf.release());  // rd_kafka_new took it
  if (type == RD_KAFKA_CONSUMER) rd_kafka_poll_set_consumer(client->handle_);
  return client;
}

Client::Client(const KafkaOptions& options, KafkaLog log, ClientHooks hooks)
    : brokers_(options.brokers),
      principal_(PrincipalOf(options)),
      library_warnings_(ClientLibraryWarnings(options)),
      log_(std::move(log)),
      hooks_(std::move(hooks)) {}

Client::~Client() {
  if (handle_ == nullptr) return;
  if (rd_kafka_type(handle_) == RD_KAFKA_PRODUCER) {
    // Records in flight belong to a transaction that will never commit, or the owner did not wait
    // for them.
    rd_kafka_purge(handle_, RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT);
    hooks_.delivery_failed = [](const rd_kafka_message_t&) {};
    rd_kafka_poll(handle_, 0);
    rd_kafka_destroy(handle_);
  } else {
    DestroyConsumer(handle_);
  }
}

void Client::Retire(std::shared_ptr<Client> client) {
  static std::mutex mutex;
  // Never destroyed, because that would destroy the clients.
  static auto* const retired = new std::vector<std::shared_ptr<Client>>;
  client->Silence();
  const std::lock_guard<std::mutex> lock(mutex);
  retired->push_back(std::move(client));
}

void Client::Silence() {
  const std::lock_guard<std::mutex> lock(log_mutex_);
  log_ = nullptr;
}

void Client::WriteToLog(int level, const std::string& text) {
  const std::lock_guard<std::mutex> lock(log_mutex_);
  if (log_) log_(level, text);
}

void Client::Bind(rd_kafka_conf_t* conf, ClientRole role) {
  rd_kafka_conf_set_opaque(conf, this);
  rd_kafka_conf_set_log_cb(
      conf, [](const rd_kafka_t* client, int level, const char* facility, const char* text) {
        static_cast<Client*>(rd_kafka_opaque(client))->Log(level, facility, text);
      });
  rd_kafka_conf_set_error_cb(conf, [](rd_kafka_t*, int code, const char* reason, void* self) {
    static_cast<Client*>(self)->Complain(static_cast<rd_kafka_resp_err_t>(code), reason);
  });
  if (role == ClientRole::kWriter) unanswered_.Watch(conf);
  if (IsWriter(role) && hooks_.delivery_failed) {
    rd_kafka_conf_set_dr_msg_cb(conf,
                                [](rd_kafka_t*, const rd_kafka_message_t* message, void* self) {
                                  static_cast<Client*>(self)->hooks_.delivery_failed(*message);
                                });
  }
  if (hooks_.statistics) {
    rd_kafka_conf_set_stats_cb(conf, [](rd_kafka_t*, char* json, size_t size, void* self) {
      static_cast<Client*>(self)->hooks_.statistics({json, size});
      return 0;
    });
  }
  if (role == ClientRole::kLease && hooks_.rebalanced) {
    rd_kafka_conf_set_rebalance_cb(
        conf, [](rd_kafka_t*, rd_kafka_resp_err_t code, rd_kafka_topic_partition_list_t* partitions,
                 void* self) { static_cast<Client*>(self)->hooks_.rebalanced(code, partitions); });
  }
}

bool Client::CheckCertificate(std::string_view broker, int x509_error) {
  if (x509_error == 0) return true;
  const std::lock_guard<std::mutex> lock(mutex_);
  certificate_complaint_ =
      fmt::format("the certificate of broker {} {}", broker, CertificateFault(x509_error));
  return false;
}

void Client::Complain(rd_kafka_resp_err_t code, const char* reason) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const std::string_view text = reason;
  if (code == RD_KAFKA_RESP_ERR__TRANSPORT && text.find("SSL alert number") != text.npos) {
    login_.Refused(fmt::format("{}; the broker misses or refuses the client certificate, see "
                               "ssl.certificate.location and ssl.key.location",
                               text),
                   std::chrono::steady_clock::now());
  } else if (code == RD_KAFKA_RESP_ERR__SSL && !certificate_complaint_.empty()) {
    login_.Refused(certificate_complaint_, std::chrono::steady_clock::now());
  } else if ((code == RD_KAFKA_RESP_ERR__SSL && text.find("unexpected eof") != text.npos) ||
             // librdkafka from 2.3 on
             (code == RD_KAFKA_RESP_ERR__TRANSPORT &&
              text.find("connecting to a PLAINTEXT") != text.npos)) {
    login_.Refused(fmt::format("{}; perhaps the listener has no TLS, see security.protocol", text),
                   std::chrono::steady_clock::now());
  } else if (IsRefusedLogin(code)) {
    login_.Refused(reason, std::chrono::steady_clock::now());
  } else if (code == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN) {
    login_.AllBrokersDown();
  } else if (code == RD_KAFKA_RESP_ERR__TRANSPORT || code == RD_KAFKA_RESP_ERR__RESOLVE) {
    connection_complaint_ = reason;
  }
  WriteToLog(code == RD_KAFKA_RESP_ERR__FATAL ? 3 : 4,
             fmt::format("{}: {}", rd_kafka_err2name(code), reason));
}

void Client::Log(int level, std::string_view facility, const char* text) {
  const bool about_partition = facility == "ADDPARTS";
  if (about_partition || facility == "TXNERR") {
    std::string_view reason = text;
    if (reason.starts_with("[thrd:"))
      reason.remove_prefix(std::min(reason.find("]: ") + 3, reason.size()));
    // The broker refuses the other partitions of the request without a reason of their own.
    const char* const not_tried = rd_kafka_err2str(RD_KAFKA_RESP_ERR_OPERATION_NOT_ATTEMPTED);
    const std::lock_guard<std::mutex> lock(mutex_);
    if (about_partition && reason.find(not_tried) == reason.npos) partition_failure_ = reason;
    if (!about_partition) transaction_failure_ = reason;
  }
  WriteToLog(level, fmt::format("{}: {}", facility, text));
}

void Client::TransactionBegins() {
  const std::lock_guard<std::mutex> lock(mutex_);
  transaction_failure_.clear();
  partition_failure_.clear();
  unanswered_.StartTransaction();
}

std::string Client::TransactionFailure() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return partition_failure_.empty() ? transaction_failure_ : partition_failure_;
}

void Client::WakeFetchers() const {
  if (rd_kafka_version() >= Version(2, 2, 0)) return;  // has fetch.queue.backoff.ms
  // Gives the library the login that it has. Of all public calls, only this one wakes the threads
  // of the brokers and does nothing else.
  const ErrorHandle refused(
      rd_kafka_sasl_set_credentials(handle_, sasl_username_.c_str(), sasl_password_.c_str()));
}

bool Client::LoginRefused() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return login_.refused(std::chrono::steady_clock::now());
}

void Client::Answered() {
  const std::lock_guard<std::mutex> lock(mutex_);
  login_.Connected();
}

Error Client::Explain(Error error, const Right& right) const {
  if (error.code != ErrorCode::kAuth || LoginRefused()) return Explain(std::move(error));
  error.text += fmt::format("; the right {} is missing (brokers {}); grant it: kafka-acls.sh {}",
                            Name(right), brokers_, GrantArguments(right, principal_));
  return error;
}

Error Client::ExplainEvent(const rd_kafka_message_t& event, std::string_view doing,
                           const std::string& topic) const {
  const char* text = rd_kafka_message_errstr(&event);
  const Error error = FromKafka(event.err, doing, text == nullptr ? "" : text);
  // A reader asks where its group is, too.
  if (event.err == RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED) {
    return Explain(error, {"Read", ResourceKind::kGroup, group_});
  }
  return topic.empty() ? Explain(error) : Explain(error, {"Read", ResourceKind::kTopic, topic});
}

Error Client::Explain(Error error) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  if ((error.code == ErrorCode::kUnavailable || error.code == ErrorCode::kAuth) &&
      login_.complained(std::chrono::steady_clock::now())) {
    error = {ErrorCode::kAuth,
             fmt::format("{}; no login to the brokers: {}", error.text, login_.reason())};
    error.text += fmt::format(
        " (brokers {}; check security.protocol, sasl.* and ssl.* in kafka.properties)", brokers_);
    for (const std::string& warning : library_warnings_) error.text += "; " + warning;
  } else if (error.code == ErrorCode::kAuth) {
    error.text += fmt::format(
        " (brokers {}; `neardup validate --online` names each right that is missing)", brokers_);
  } else if (error.code == ErrorCode::kUnavailable) {
    error.text += fmt::format(" (brokers {}{}{})", brokers_,
                              connection_complaint_.empty() ? "" : "; ", connection_complaint_);
  }
  return error;
}

Result<void> CheckProperties(const KafkaOptions& options) {
  for (const ClientRole role : {ClientRole::kSource, ClientRole::kChangelog, ClientRole::kWatermark,
                                ClientRole::kWriter, ClientRole::kLease}) {
    NEARDUP_TRY(Client::New(options, role, {}));
  }
  return {};
}

bool IsRefusedLogin(rd_kafka_resp_err_t code) {
  switch (code) {
    case RD_KAFKA_RESP_ERR__AUTHENTICATION:
    case RD_KAFKA_RESP_ERR__SSL:
    case RD_KAFKA_RESP_ERR_SASL_AUTHENTICATION_FAILED:
    case RD_KAFKA_RESP_ERR_UNSUPPORTED_SASL_MECHANISM:
    case RD_KAFKA_RESP_ERR_ILLEGAL_SASL_STATE:
      return true;
    default:
      return false;
  }
}

bool IsMissingRight(rd_kafka_resp_err_t code) {
  switch (code) {
    case RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED:
    case RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED:
    case RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED:
    case RD_KAFKA_RESP_ERR_TRANSACTIONAL_ID_AUTHORIZATION_FAILED:
      return true;
    default:
      return false;
  }
}

bool IsRefusedAccess(rd_kafka_resp_err_t code) {
  return IsRefusedLogin(code) || IsMissingRight(code);
}

Error FromKafka(rd_kafka_resp_err_t code, std::string_view doing, std::string_view detail) {
  Error error;
  error.code = Meaning(code);
  error.text = fmt::format("{}: {}", doing, detail.empty() ? rd_kafka_err2str(code) : detail);
  if (error.code == ErrorCode::kFenced) {
    // The library cannot tell the two apart.
    error.text +=
        "; another instance took the lane, or the transaction lasted longer than its time-out";
  }
  error.retriable = error.code == ErrorCode::kUnavailable;
  error.fatal = error.code == ErrorCode::kConfig;
  return error;
}

Error FromKafka(const rd_kafka_error_t& error, std::string_view doing) {
  Error translated = FromKafka(rd_kafka_error_code(&error), doing, rd_kafka_error_string(&error));
  if (translated.code == ErrorCode::kFenced || translated.code == ErrorCode::kAuth) {
    return translated;
  }
  if (rd_kafka_error_txn_requires_abort(&error) != 0) {
    translated.code = ErrorCode::kAborted;
    translated.retriable = translated.fatal = false;
  } else if (rd_kafka_error_is_retriable(&error) != 0) {
    translated.code = ErrorCode::kUnavailable;
    translated.retriable = true;
    translated.fatal = false;
  }
  return translated;
}

std::string ClientLibraryName() { return fmt::format("librdkafka {}", rd_kafka_version_str()); }

std::vector<std::string> ClientLibraryWarnings(const KafkaOptions& options) {
  return ClientLibraryWarnings(rd_kafka_version(), SaslMechanism(options));
}

std::vector<std::string> ClientLibraryWarnings(int version, std::string_view sasl_mechanism) {
  std::vector<std::string> warnings;
  if (version < Version(2, 6, 1) && sasl_mechanism.starts_with("SCRAM")) {
    warnings.emplace_back(
        "librdkafka before 2.6.1 cannot log in with SCRAM to Kafka 4.0 or later (librdkafka issue "
        "4895); use SASL/PLAIN over TLS, or a newer librdkafka");
  }
  if (version >= Version(2, 2, 0) && version < Version(2, 5, 0)) {
    warnings.emplace_back(
        "librdkafka 2.2.0 to 2.4.0 can fail with \"Unable to reconstruct MessageSet\" when it "
        "sends "
        "a large batch again (librdkafka issue 4750); use another version");
  }
  return warnings;
}

}  // namespace neardup
