// One librdkafka client: made from properties, logs and remembers what the library complains about,
// and is destroyed together with what it still holds. Also the library's errors and version.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kafka/handle.h"
#include "kafka/kafka_options.h"
#include "kafka/login_watch.h"
#include "kafka/properties.h"
#include "kafka/rights.h"
#include "kafka/unanswered_requests.h"
#include "neardup/result.h"

namespace neardup {

/// The least time between two assignments of one client. librdkafka 2.0.2 ends the process when a
/// partition is assigned while the library has not yet stopped reading it for the assignment before
/// (assertion rktp_started in rdkafka_assignment.c). Stopping takes some milliseconds, and the
/// library does not report its end.
inline constexpr std::chrono::milliseconds kBetweenAssigns(250);

/// Calls from the library to the owner of a client, made in the thread that polls the client.
struct ClientHooks {
  std::function<void(const rd_kafka_message_t&)> delivery_failed;
  std::function<void(rd_kafka_resp_err_t, rd_kafka_topic_partition_list_t*)> rebalanced;
  /// The library's statistics as JSON, every statistics.interval.ms.
  std::function<void(std::string_view)> statistics;
};

/// Everything that holds a message of a client shares the client: no message may outlive it.
class Client {
 public:
  /// Does not wait for a broker. `extra` overrides the properties of ClientProperties.
  static Result<std::shared_ptr<Client>> New(const KafkaOptions& options, ClientRole role,
                                             KafkaLog log, ClientHooks hooks = {},
                                             uint16_t lane = 0, const Properties& extra = {});
  ~Client();
  /// For a client that the library cannot destroy safely. Keeps it until the process ends, silent.
  static void Retire(std::shared_ptr<Client> client);
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  rd_kafka_t* get() const { return handle_; }
  /// Logs nothing more, and forgets the log. Call it before the owner of the log goes away while
  /// something else still keeps the client. Waits for a line that is being logged.
  void Silence();

  /// Makes the library look now which partitions it may ask for. Without that, a version before
  /// 2.2.0 looks only a second after it found a queue full. From any thread.
  void WakeFetchers() const;

  /// Keeps memory that a producer reads in place, until EndLoans or, without that call, until the
  /// library's client is destroyed. Call Lend and EndLoans only from the owner's thread.
  void Lend(std::shared_ptr<const void> memory) { lent_.push_back(std::move(memory)); }
  /// Releases all lent memory. Call it only when no record is in flight.
  void EndLoans() { lent_.clear(); }

  /// Call it at the beginning of each transaction.
  void TransactionBegins();
  /// Of the transaction that began last.
  const UnansweredRequests& unanswered() const { return unanswered_; }
  /// The reason that the library logged for the failure of the newest transaction; it names the
  /// partition if one is the cause. Later calls of the library say only that the state is wrong.
  /// Empty: the library has logged nothing.
  std::string TransactionFailure() const;
  /// True while the brokers refuse our login and none is connected.
  bool LoginRefused() const;
  /// Call it when a broker has answered.
  void Answered();
  /// Adds the cause to an error: a time-out becomes kAuth when the login is refused; kAuth and
  /// kUnavailable get the addresses of the brokers and a hint where one is known.
  Error Explain(Error error) const;
  /// The same for a call that needs a right. If the brokers refuse it, the error names the right
  /// and how to grant it.
  Error Explain(Error error, const Right& right) const;
  /// Explains what a consumer reads instead of a record of this topic.
  Error ExplainEvent(const rd_kafka_message_t& event, std::string_view doing,
                     const std::string& topic) const;

 private:
  Client(const KafkaOptions& options, KafkaLog log, ClientHooks hooks);
  void Bind(rd_kafka_conf_t* conf, ClientRole role);
  void Complain(rd_kafka_resp_err_t code, const char* reason);
  void Log(int level, std::string_view facility, const char* text);
  void WriteToLog(int level, const std::string& text);
  /// The library asks whether it may trust a certificate of a broker. Returns what the library has
  /// found, and remembers what is wrong.
  bool CheckCertificate(std::string_view broker, int x509_error);

  std::string brokers_;
  std::string principal_;
  std::string group_;  ///< of a consumer
  std::vector<std::string> library_warnings_;
  std::string sasl_username_;
  std::string sasl_password_;
  std::mutex log_mutex_;  ///< guards log_
  KafkaLog log_;          ///< empty: logs nothing
  ClientHooks hooks_;
  rd_kafka_t* handle_ = nullptr;
  std::vector<std::shared_ptr<const void>> lent_;
  UnansweredRequests unanswered_;  ///< counts only for a transactional producer
  mutable std::mutex mutex_;       ///< guards the members below
  LoginWatch login_;
  std::string certificate_complaint_;  ///< why the certificate of a broker was refused last
  std::string connection_complaint_;   ///< the last one
  std::string transaction_failure_;    ///< of the transaction that began last
  std::string partition_failure_;      ///< the same, about one of its partitions
};

/// Makes every client that the options lead to, without waiting for a broker, and returns the first
/// complaint. For checks of a configuration.
Result<void> CheckProperties(const KafkaOptions& options);

/// True when the broker, or a proxy in front of it, refuses our login, or we refuse its
/// certificate.
bool IsRefusedLogin(rd_kafka_resp_err_t code);
/// True when the broker knows who we are, and we may not do this.
bool IsMissingRight(rd_kafka_resp_err_t code);
/// One of the two.
bool IsRefusedAccess(rd_kafka_resp_err_t code);

/// An error of the library as "<doing>: <detail>". An empty `detail` stands for the library's text
/// of the code.
Error FromKafka(rd_kafka_resp_err_t code, std::string_view doing, std::string_view detail = "");
/// The same for an error object. The result also follows its flags (fatal, abortable, retriable).
Error FromKafka(const rd_kafka_error_t& error, std::string_view doing);

/// Returns the name and version of the client library, for example "librdkafka 2.0.2".
std::string ClientLibraryName();
/// Known faults of the library in use that matter with these options, as sentences for the log.
std::vector<std::string> ClientLibraryWarnings(const KafkaOptions& options);
/// The same for any version, in the form of rd_kafka_version(): 0xMMmmrrpp. An empty
/// `sasl_mechanism` stands for none.
std::vector<std::string> ClientLibraryWarnings(int version, std::string_view sasl_mechanism);

}  // namespace neardup
