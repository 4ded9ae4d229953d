// One librdkafka client: made from properties, and destroyed together with what it still holds.
#pragma once

#include <sys/socket.h>

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kafka/diagnosis.h"
#include "kafka/errors.h"
#include "kafka/kafka_options.h"
#include "kafka/properties.h"
#include "kafka/transaction_calls.h"
#include "neardup/result.h"
#include "stream/state/route.h"

namespace neardup {

// The connections of one client, and the switch that ends all of them for good.

/// The library's threads open and close connections; any thread may cut them.
class Connections {
 public:
  /// From now on this client sends nothing. Requests that are already on their way may arrive.
  void Cut();

  // What the library calls instead of connect() and close().
  /// 0, or an error number.
  int Open(int socket, const sockaddr* address, int address_bytes);
  int Close(int socket);

 private:
  std::mutex mutex_;  ///< guards all
  std::set<int> open_;
  bool cut_ = false;
};

/// The least time between two assignments of one client. librdkafka 2.0.2 ends the process when a
/// partition is assigned while the library has not yet stopped reading it for the earlier
/// assignment (assertion rktp_started in rdkafka_assignment.c). Stopping takes some milliseconds,
/// and the library does not report its end.
inline constexpr std::chrono::milliseconds kBetweenAssigns(250);

/// The partitions as the library takes them, each with `offset`.
PartitionListHandle ListOf(std::span<const InputPartition> partitions,
                           int64_t offset = RD_KAFKA_OFFSET_INVALID);

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
  /// Stops all logging and all sending to brokers. Call it for a writer that an abandoned call
  /// still keeps. Kafka refuses the requests of a former owner of a transactional id. But if
  /// such a request adds offsets while the transaction of the new owner adds its offsets, the
  /// broker does not apply the offsets of the new owner (seen with Kafka 3.9.2).
  void CutOff();

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
  const TransactionFailure& transaction_failure() const { return transaction_failure_; }

  Diagnosis& diagnosis() { return diagnosis_; }
  const Diagnosis& diagnosis() const { return diagnosis_; }

 private:
  Client(const KafkaOptions& options, const Properties& properties, KafkaLog log,
         ClientHooks hooks);
  void Bind(rd_kafka_conf_t* conf, ClientRole role);
  void Log(int level, const std::string& text);

  const std::string sasl_username_;
  const std::string sasl_password_;
  std::mutex log_mutex_;  ///< guards log_
  KafkaLog log_;          ///< empty: logs nothing
  ClientHooks hooks_;
  rd_kafka_t* handle_ = nullptr;
  std::vector<std::shared_ptr<const void>> lent_;
  Connections connections_;        ///< holds only connections of a transactional producer
  UnansweredRequests unanswered_;  ///< counts only for a transactional producer
  TransactionFailure transaction_failure_;
  Diagnosis diagnosis_;
};

/// Makes every client that the options lead to, without waiting for a broker, and returns the first
/// complaint. For checks of a configuration.
Result<void> CheckProperties(const KafkaOptions& options);

}  // namespace neardup
