#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "kafka/client.h"
#include "kafka/errors.h"
#include "kafka/kafka_options.h"
#include "kafka/kafka_ports.h"
#include "kafka/partition_reader.h"

namespace neardup {
namespace {

constexpr int32_t kLeasePartition = 0;
constexpr int kPollMs = 100;
constexpr int kCloseTimeoutMs = 10'000;
// librdkafka before this version ends the process when a member is destroyed after it has joined
// the group and before its first assignment (its issue 4312).
constexpr int kEarlyLeaveMended = 0x020300ff;
// So a member that leaves waits for its first assignment. If none comes, its client is retired.
constexpr int kFirstAssignmentMs = 2'000;
// The library computes an assignment from the metadata of the group's coordinator, which may not
// know a new topic yet. The assignment is then empty and stays empty, because nothing tells the
// library that the topic has become known. So a member without the lease joins again a few times.
constexpr std::chrono::milliseconds kAssignAgainAfter(5000);
constexpr int kAssignAgainMax = 3;
constexpr std::chrono::milliseconds kJoinAgainAfter(1000);
constexpr std::chrono::milliseconds kJoinAgainAfterMax(10'000);
// A member asks for the metadata of its topic every two seconds, so that a broker that answers is
// never silent for this long.
constexpr int64_t kSilentUs = 3'000'000;
// A new member needs a moment to connect, and a member may change to another broker.
constexpr std::chrono::seconds kAnswerWithin(4);

class KafkaLease : public Lease {
 public:
  KafkaLease(const KafkaOptions& options, KafkaLog log)
      : options_(options),
        log_(std::move(log)),
        topic_(LeaseTopic(options)),
        thread_([this] { Run(); }) {}
  ~KafkaLease() override { Release(); }

  void Join() override;
  void Leave() override;
  Result<bool> Held() override;
  bool brokers_answer() const override;
  void Release() override;

 private:
  /// What the owner wants.
  struct Wish {
    bool member = false;
    bool released = false;
    /// Number of Leave calls. A member of an earlier number must leave the group, even if it is to
    /// join it again.
    uint64_t leaves = 0;
  };

  void Run();
  Wish AwaitWish();
  /// Waits before the next attempt, longer each time, or until the wish changes.
  void AwaitRetry(const Wish& before);
  Result<void> Subscribe();
  void Rebalance(rd_kafka_resp_err_t code, rd_kafka_topic_partition_list_t* partitions);
  /// False: this member lacks a right, and the group tells it nothing more.
  bool PollOnce();
  void AwaitFirstAssignment();
  bool WantsNewAssignment();
  bool MayBeDestroyed() const;
  bool OwnsNothing() const;
  void Close();
  void Lost();
  void Report(Error error);
  void BrokerAnswered();

  const KafkaOptions options_;
  const KafkaLog log_;
  const std::string topic_;

  /// When a broker answered last, or the member joined; the largest value while there is none.
  std::atomic<std::chrono::steady_clock::time_point> answered_at_{
      std::chrono::steady_clock::time_point::max()};
  std::mutex mutex_;
  std::condition_variable changed_;
  Wish wish_;                   ///< guarded by mutex_
  bool assigned_ = false;       ///< guarded by mutex_; to the member that joined_ names
  bool lost_ = false;           ///< guarded by mutex_; it was assigned, Held has not said so since
  std::optional<Error> error_;  ///< guarded by mutex_; the last one that Held has not returned

  /// Of the thread; null while this instance is no member.
  std::shared_ptr<Client> client_;
  /// The group has answered client_ with an assignment, which may be empty.
  bool was_assigned_ = false;
  std::chrono::steady_clock::time_point subscribed_at_;
  /// How often this member has joined again. It is set to kAssignAgainMax when the member gets the
  /// lease, because the member then needs no other assignment.
  int assigned_again_ = 0;
  std::chrono::milliseconds join_again_after_ = kJoinAgainAfter;
  uint64_t joined_leaves_ =
      0;  ///< guarded by mutex_; the number of Leave calls when client_ joined

  std::thread thread_;  ///< the last member, because it uses the others
};

void KafkaLease::Join() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    wish_.member = true;
  }
  changed_.notify_one();
}

void KafkaLease::Leave() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!wish_.member) return;
    wish_.member = false;
    ++wish_.leaves;
  }
  changed_.notify_one();
}

Result<bool> KafkaLease::Held() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (error_) {
    const Error error = *std::exchange(error_, std::nullopt);
    return error;
  }
  if (std::exchange(lost_, false)) return false;
  return wish_.member && assigned_ && joined_leaves_ == wish_.leaves;
}

bool KafkaLease::brokers_answer() const {
  const auto now = std::chrono::steady_clock::now();
  const auto answered_at = answered_at_.load();
  return answered_at > now || now - answered_at <= kAnswerWithin;
}

void KafkaLease::BrokerAnswered() { answered_at_ = std::chrono::steady_clock::now(); }

void KafkaLease::Release() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    wish_.member = false;
    wish_.released = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void KafkaLease::Run() {
  while (true) {
    const Wish wish = AwaitWish();
    if (client_ && (!wish.member || wish.leaves != joined_leaves_)) {
      AwaitFirstAssignment();
      Close();
    }
    if (wish.released) return;
    if (!wish.member) {
      assigned_again_ = 0;
      continue;
    }
    if (client_) {
      if (PollOnce()) {
        if (WantsNewAssignment()) Close();
        continue;
      }
      // The library reports a missing right only once, so that a new member must try again.
      Close();
      AwaitRetry(wish);
      continue;
    }
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      joined_leaves_ = wish.leaves;
    }
    if (const Result<void> joined = Subscribe(); !joined.ok()) {
      client_.reset();
      Report(joined.error());
      std::this_thread::sleep_for(kJoinAgainAfter);
    }
  }
}

/// Waits while there is nothing to do.
KafkaLease::Wish KafkaLease::AwaitWish() {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [this] { return wish_.member || wish_.released || client_; });
  return wish_;
}

Result<void> KafkaLease::Subscribe() {
  ClientHooks hooks;
  hooks.rebalanced = [this](rd_kafka_resp_err_t code, rd_kafka_topic_partition_list_t* partitions) {
    Rebalance(code, partitions);
  };
  hooks.statistics = [this](std::string_view json) {
    if (AnyBrokerAnswers(json, kSilentUs)) BrokerAnswered();
  };
  was_assigned_ = false;
  subscribed_at_ = std::chrono::steady_clock::now();
  NEARDUP_ASSIGN(client_, Client::New(options_, ClientRole::kLease, log_, hooks));
  BrokerAnswered();
  const PartitionListHandle topics(rd_kafka_topic_partition_list_new(1));
  rd_kafka_topic_partition_list_add(topics.get(), topic_.c_str(), RD_KAFKA_PARTITION_UA);
  const rd_kafka_resp_err_t code = rd_kafka_subscribe(client_->get(), topics.get());
  if (code == RD_KAFKA_RESP_ERR_NO_ERROR) return {};
  return client_->diagnosis().Explain(FromKafka(code, fmt::format("subscribing to {}", topic_)));
}

void KafkaLease::Rebalance(rd_kafka_resp_err_t code, rd_kafka_topic_partition_list_t* partitions) {
  const bool ours =
      rd_kafka_topic_partition_list_find(partitions, topic_.c_str(), kLeasePartition) != nullptr;
  const bool assigned = code == RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS;
  was_assigned_ = was_assigned_ || assigned;
  if (ours && !assigned) Lost();
  const ErrorHandle refused(assigned ? rd_kafka_incremental_assign(client_->get(), partitions)
                                     : rd_kafka_incremental_unassign(client_->get(), partitions));
  // Nobody should write to the topic; its records are not read.
  if (assigned) rd_kafka_pause_partitions(client_->get(), partitions);
  if (refused) {
    Report(FromKafka(*refused, fmt::format("taking or giving up partitions of {}", topic_)));
  } else if (ours && assigned) {
    client_->diagnosis().Answered();
    join_again_after_ = kJoinAgainAfter;
    assigned_again_ = kAssignAgainMax;
    const std::lock_guard<std::mutex> lock(mutex_);
    assigned_ = true;
  }
}

void KafkaLease::AwaitRetry(const Wish& before) {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait_for(lock, join_again_after_, [&] {
    return wish_.released || wish_.member != before.member || wish_.leaves != before.leaves;
  });
  join_again_after_ = std::min(2 * join_again_after_, kJoinAgainAfterMax);
}

bool KafkaLease::PollOnce() {
  const std::string doing = fmt::format("holding the lease on {}", topic_);
  const MessageHandle event(rd_kafka_consumer_poll(client_->get(), kPollMs));
  std::optional<Error> error;
  if (event && event->err != RD_KAFKA_RESP_ERR_NO_ERROR) {
    const Right right = event->err == RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED
                            ? Right{"Describe", ResourceKind::kTopic, topic_}
                            : Right{"Read", ResourceKind::kGroup, topic_};
    error = client_->diagnosis().Explain(
        FromKafka(event->err, doing, rd_kafka_message_errstr(event.get())), right);
  } else if (client_->diagnosis().LoginRefused()) {
    error = client_->diagnosis().Explain(FromKafka(RD_KAFKA_RESP_ERR__AUTHENTICATION, doing));
  }
  if (error && error->code != ErrorCode::kUnavailable) Report(*std::move(error));
  return !event || !IsMissingRight(event->err);
}

void KafkaLease::AwaitFirstAssignment() {
  const Deadline deadline(kFirstAssignmentMs);
  while (!was_assigned_ && !deadline.passed() && PollOnce()) {
  }
}

/// Whether the member must join again, because its assignment is empty. The wait doubles with each
/// attempt.
bool KafkaLease::WantsNewAssignment() {
  if (!was_assigned_ || assigned_again_ >= kAssignAgainMax) return false;
  if (std::chrono::steady_clock::now() - subscribed_at_ <
      kAssignAgainAfter * (1 << assigned_again_)) {
    return false;
  }
  ++assigned_again_;
  return true;
}

bool KafkaLease::MayBeDestroyed() const {
  if (was_assigned_ || rd_kafka_version() >= kEarlyLeaveMended) return true;
  char* const member = rd_kafka_memberid(client_->get());
  const bool joined = member != nullptr && *member != 0;
  rd_kafka_mem_free(client_->get(), member);
  return !joined;
}

/// Whether this member has got an assignment, and owns no partition now.
bool KafkaLease::OwnsNothing() const {
  if (!was_assigned_) return false;
  rd_kafka_topic_partition_list_t* owned = nullptr;
  if (rd_kafka_assignment(client_->get(), &owned) != RD_KAFKA_RESP_ERR_NO_ERROR) return false;
  return PartitionListHandle(owned)->cnt == 0;
}

/// Leaves the group.
void KafkaLease::Close() {
  const bool may_be_destroyed = MayBeDestroyed();
  // Closing a cooperative consumer that owns nothing sends no LeaveGroup
  // (rd_kafka_cgrp_revoke_all_rejoin in librdkafka's rdkafka_cgrp.c, 2.0.2 to 2.8.0). The broker
  // would then keep the member until its session times out, and every rebalance would wait for it.
  if (OwnsNothing()) rd_kafka_unsubscribe(client_->get());
  {
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
  if (may_be_destroyed) {
    client_.reset();
  } else {
    Client::Retire(std::move(client_));
  }
  answered_at_ = std::chrono::steady_clock::time_point::max();
  Lost();
}

void KafkaLease::Lost() {
  const std::lock_guard<std::mutex> lock(mutex_);
  lost_ = lost_ || assigned_;
  assigned_ = false;
}

void KafkaLease::Report(Error error) {
  const std::lock_guard<std::mutex> lock(mutex_);
  error_ = std::move(error);
}

}  // namespace

std::unique_ptr<Lease> NewKafkaLease(const KafkaOptions& options, KafkaLog log) {
  return std::make_unique<KafkaLease>(options, std::move(log));
}

}  // namespace neardup
