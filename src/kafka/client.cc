#include "kafka/client.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <future>
#include <thread>

#include "kafka/library.h"

namespace neardup {

PartitionListHandle ListOf(std::span<const InputPartition> partitions, int64_t offset) {
  PartitionListHandle list(rd_kafka_topic_partition_list_new(static_cast<int>(partitions.size())));
  for (const InputPartition& each : partitions) {
    rd_kafka_topic_partition_list_add(list.get(), each.topic.c_str(), each.partition)->offset =
        offset;
  }
  return list;
}

void Connections::Cut() {
  const std::lock_guard<std::mutex> lock(mutex_);
  cut_ = true;
  for (const int socket : open_) shutdown(socket, SHUT_RDWR);
}

int Connections::Open(int socket, const sockaddr* address, int address_bytes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (cut_) return ECONNREFUSED;
  // The socket does not block, so that the connection comes about later.
  if (connect(socket, address, static_cast<socklen_t>(address_bytes)) != 0 &&
      errno != EINPROGRESS) {
    return errno;
  }
  open_.insert(socket);
  return 0;
}

int Connections::Close(int socket) {
  const std::lock_guard<std::mutex> lock(mutex_);
  open_.erase(socket);
  return close(socket);
}

namespace {

// librdkafka before 2.6.1 never ends a consumer to which a partition of a deleted topic is or was
// assigned. Others end within milliseconds.
constexpr std::chrono::seconds kDestroyMax{5};

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

/// Empty if it is not set.
std::string PropertyIn(const Properties& properties, const char* name) {
  const auto found = properties.find(name);
  return found == properties.end() ? std::string() : found->second;
}

}  // namespace

Result<std::shared_ptr<Client>> Client::New(const KafkaOptions& options, ClientRole role,
                                            KafkaLog log, ClientHooks hooks, uint16_t lane,
                                            const Properties& extra) {
  NEARDUP_ASSIGN(Properties properties, ClientProperties(options, role, lane));
  for (const auto& [name, value] : extra) properties[name] = value;
  NEARDUP_ASSIGN(ConfHandle conf, NewConf(properties));
  const std::shared_ptr<Client> client(
      new Client(options, properties, std::move(log), std::move(hooks)));
  // The library checks certificates without a callback, too, but says of each one only that it
  // could not be verified.
  const auto checked = properties.find("enable.ssl.certificate.verification");
  if (checked == properties.end() || checked->second == "true") {
    rd_kafka_conf_set_ssl_cert_verify_cb(
        conf.get(), [](rd_kafka_t*, const char* broker, int32_t, int* x509_error, int, const char*,
                       size_t, char* text, size_t text_size, void* self) {
          if (*x509_error == 0) return 1;
          const std::string fault =
              static_cast<Client*>(self)->diagnosis_.CertificateRefused(broker, *x509_error);
          *fmt::format_to_n(text, text_size - 1, "{}", fault).out = 0;
          return 0;
        });
  }
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

Client::Client(const KafkaOptions& options, const Properties& properties, KafkaLog log,
               ClientHooks hooks)
    : sasl_username_(PropertyIn(properties, "sasl.username")),
      sasl_password_(PropertyIn(properties, "sasl.password")),
      log_(std::move(log)),
      hooks_(std::move(hooks)),
      diagnosis_(options, PropertyIn(properties, "group.id")) {}

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

void Client::CutOff() {
  Silence();
  connections_.Cut();
}

void Client::Log(int level, const std::string& text) {
  const std::lock_guard<std::mutex> lock(log_mutex_);
  if (log_) log_(IsLoginCutOff(text) ? kSyslogDebug : level, text);
}

void Client::Bind(rd_kafka_conf_t* conf, ClientRole role) {
  rd_kafka_conf_set_opaque(conf, this);
  rd_kafka_conf_set_log_cb(
      conf, [](const rd_kafka_t* client, int level, const char* facility, const char* text) {
        auto* const self = static_cast<Client*>(rd_kafka_opaque(client));
        self->transaction_failure_.Logged(facility, text);
        self->Log(level, fmt::format("{}: {}", facility, text));
      });
  rd_kafka_conf_set_error_cb(conf, [](rd_kafka_t*, int number, const char* reason, void* opaque) {
    auto* const self = static_cast<Client*>(opaque);
    const auto code = static_cast<rd_kafka_resp_err_t>(number);
    self->diagnosis_.Complained(code, reason);
    self->Log(code == RD_KAFKA_RESP_ERR__FATAL ? 3 : 4,
              fmt::format("{}: {}", rd_kafka_err2name(code), reason));
  });
  if (role == ClientRole::kWriter) {
    unanswered_.Watch(conf);
    rd_kafka_conf_set_connect_cb(
        conf, [](int socket, const sockaddr* address, int address_bytes, const char*, void* self) {
          return static_cast<Client*>(self)->connections_.Open(socket, address, address_bytes);
        });
    rd_kafka_conf_set_closesocket_cb(conf, [](int socket, void* self) {
      return static_cast<Client*>(self)->connections_.Close(socket);
    });
  }
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

void Client::TransactionBegins() {
  transaction_failure_.TransactionBegins();
  unanswered_.StartTransaction();
}

void Client::WakeFetchers() const {
  if (rd_kafka_version() >= LibraryVersion(2, 2, 0)) return;  // has fetch.queue.backoff.ms
  // Gives the library the login that it has. Of all public calls, only this one wakes the threads
  // of the brokers and does nothing else.
  const ErrorHandle refused(
      rd_kafka_sasl_set_credentials(handle_, sasl_username_.c_str(), sasl_password_.c_str()));
}

Result<void> CheckProperties(const KafkaOptions& options) {
  for (const ClientRole role : {ClientRole::kSource, ClientRole::kChangelog, ClientRole::kWatermark,
                                ClientRole::kWriter, ClientRole::kLease}) {
    NEARDUP_TRY(Client::New(options, role, {}));
  }
  return {};
}

}  // namespace neardup
