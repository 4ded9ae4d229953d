#include <fmt/format.h>

#include <atomic>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "kafka/client.h"
#include "kafka/deadline.h"
#include "kafka/kafka_ports.h"

namespace neardup {
namespace {

constexpr int kPollMs = 100;
constexpr int kCloseTimeoutMs = 10'000;

class KafkaLease : public Lease {
 public:
  KafkaLease(const KafkaOptions& options, uint16_t lane)
      : topic_(LeaseTopic(options)), lane_(lane) {}
  ~KafkaLease() override { Release(); }

  Result<void> Join(const KafkaOptions& options, KafkaLog log);
  Result<bool> Held() override;
  void Release() override;

 private:
  void Rebalance(rd_kafka_resp_err_t code, rd_kafka_topic_partition_list_t* partitions);
  void PollUntilReleased();
  void Close();

  std::string topic_;
  int32_t lane_;
  std::shared_ptr<Client> client_;
  std::atomic<bool> held_{false};
  std::atomic<bool> released_{false};
  std::mutex mutex_;
  std::optional<Error> error_;  ///< guarded by mutex_; the last one that Held has not returned
  std::thread thread_;
};

Result<void> KafkaLease::Join(const KafkaOptions& options, KafkaLog log) {
  ClientHooks hooks;
  hooks.rebalanced = [this](rd_kafka_resp_err_t code, rd_kafka_topic_partition_list_t* partitions) {
    Rebalance(code, partitions);
  };
  NEARDUP_ASSIGN(client_, Client::New(options, ClientRole::kLease, std::move(log), hooks));
  const PartitionListHandle topics(rd_kafka_topic_partition_list_new(1));
  rd_kafka_topic_partition_list_add(topics.get(), topic_.c_str(), RD_KAFKA_PARTITION_UA);
  const rd_kafka_resp_err_t code = rd_kafka_subscribe(client_->get(), topics.get());
  if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
    return client_->Explain(FromKafka(code, fmt::format("subscribing to {}", topic_)));
  }
  thread_ = std::thread([this] { PollUntilReleased(); });
  return {};
}

void KafkaLease::Rebalance(rd_kafka_resp_err_t code, rd_kafka_topic_partition_list_t* partitions) {
  const bool ours =
      rd_kafka_topic_partition_list_find(partitions, topic_.c_str(), lane_) != nullptr;
  ErrorHandle refused;
  if (code == RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS) {
    refused.reset(rd_kafka_incremental_assign(client_->get(), partitions));
    // Nobody should write to the topic; its records are not read.
    rd_kafka_pause_partitions(client_->get(), partitions);
    if (ours && !refused) held_ = true;
  } else {
    if (ours) held_ = false;
    refused.reset(rd_kafka_incremental_unassign(client_->get(), partitions));
  }
  if (refused) {
    const std::lock_guard<std::mutex> lock(mutex_);
    error_ = FromKafka(*refused, fmt::format("taking or giving up partitions of {}", topic_));
  }
}

void KafkaLease::PollUntilReleased() {
  const std::string doing = fmt::format("holding the lease on {}/{}", topic_, lane_);
  while (!released_) {
    const MessageHandle event(rd_kafka_consumer_poll(client_->get(), kPollMs));
    std::optional<Error> error;
    if (event && event->err != RD_KAFKA_RESP_ERR_NO_ERROR) {
      error = client_->Explain(FromKafka(event->err, doing, rd_kafka_message_errstr(event.get())));
    } else if (client_->LoginRefused()) {
      error = client_->Explain(FromKafka(RD_KAFKA_RESP_ERR__AUTHENTICATION, doing));
    }
    if (!error || error->code == ErrorCode::kUnavailable) continue;
    const std::lock_guard<std::mutex> lock(mutex_);
    error_ = std::move(error);
  }
  Close();
}

void KafkaLease::Close() {
  const QueueHandle queue(rd_kafka_queue_new(client_->get()));
  const ErrorHandle refused(rd_kafka_consumer_close_queue(client_->get(), queue.get()));
  const Deadline deadline(kCloseTimeoutMs);
  while (!refused && rd_kafka_consumer_closed(client_->get()) == 0 && !deadline.passed()) {
    const EventHandle event(rd_kafka_queue_poll(queue.get(), deadline.left_ms(kPollMs)));
    // A queue delivers a rebalance as an event; only consumer_poll calls the callback.
    if (event && rd_kafka_event_type(event.get()) == RD_KAFKA_EVENT_REBALANCE) {
      Rebalance(rd_kafka_event_error(event.get()),
                rd_kafka_event_topic_partition_list(event.get()));
    }
  }
}

Result<bool> KafkaLease::Held() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (error_) {
    const Error error = *std::exchange(error_, std::nullopt);
    return error;
  }
  return held_.load();
}

void KafkaLease::Release() {
  released_ = true;
  if (thread_.joinable()) thread_.join();
  held_ = false;
}

}  // namespace

Result<std::unique_ptr<Lease>> NewKafkaLease(const KafkaOptions& options, uint16_t lane,
                                             KafkaLog log) {
  auto lease = std::make_unique<KafkaLease>(options, lane);
  NEARDUP_TRY(lease->Join(options, std::move(log)));
  return std::unique_ptr<Lease>(std::move(lease));
}

}  // namespace neardup
