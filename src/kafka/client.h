// One librdkafka client: built from properties, its log and its complaints collected, destroyed
// with what it still holds.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "kafka/handle.h"
#include "kafka/kafka_options.h"
#include "kafka/properties.h"
#include "neardup/result.h"

namespace neardup {

/// Calls of the library into the owner of a client; from the thread that polls it.
struct ClientHooks {
  std::function<void(const rd_kafka_message_t&)> delivery_failed;
  std::function<void(rd_kafka_resp_err_t, rd_kafka_topic_partition_list_t*)> rebalanced;
};

/// Shared by everything that still holds a message of it: a message must not outlive its client.
class Client {
 public:
  static Result<std::shared_ptr<Client>> New(const KafkaOptions& options, ClientRole role,
                                             KafkaLog log, ClientHooks hooks = {},
                                             uint16_t lane = 0, const Properties& extra = {});
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  rd_kafka_t* get() const { return handle_; }
  const std::string& brokers() const { return brokers_; }

  /// True while logins are being refused.
  bool LoginRefused() const;
  /// Makes of a time-out what it is: a refused login (kAuth), or nobody there (kUnavailable), both
  /// with the address. Other errors come back with a hint where one is known.
  Error Explain(Error error) const;

 private:
  Client(const KafkaOptions& options, KafkaLog log, ClientHooks hooks);
  void Bind(rd_kafka_conf_t* conf, ClientRole role);
  void Complain(rd_kafka_resp_err_t code, const char* reason);

  std::string brokers_;
  std::string sasl_mechanism_;
  KafkaLog log_;
  ClientHooks hooks_;
  rd_kafka_t* handle_ = nullptr;
  mutable std::mutex mutex_;  ///< guards what follows
  std::string refused_login_;
  std::chrono::steady_clock::time_point refused_login_at_{};
  std::string complaint_;  ///< the last one about a connection
};

// librdkafka's error codes in the project's words.

/// The broker, or a proxy before it, refused who we are or what we want to do.
bool IsRefusedAccess(rd_kafka_resp_err_t code);

/// "<doing>: <detail>" with the code's meaning. `detail` empty: the library's text of the code.
Error FromKafka(rd_kafka_resp_err_t code, const std::string& doing, const std::string& detail = "");

/// The same of an error object; takes its flags (fatal, abortable, retriable) into account.
Error FromKafka(const rd_kafka_error_t& error, const std::string& doing);

// The client library in use, and what is known to be wrong with it.

/// As in rd_kafka_version(): 0xMMmmrrpp.
int ClientLibraryVersion();
/// "librdkafka 2.0.2".
std::string ClientLibraryName();

/// Sentences for the log at start; `sasl_mechanism` as configured, empty if none.
std::vector<std::string> ClientLibraryWarnings(int version, const std::string& sasl_mechanism);

}  // namespace neardup
