// Owners of librdkafka's objects. A list or message that is not freed makes rd_kafka_destroy wait
// for ever, so none is held by a plain pointer.
#pragma once

#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>

namespace neardup {

template <auto destroy>
struct HandleDeleter {
  template <class T>
  void operator()(T* object) const {
    destroy(object);
  }
};

inline void DestroyMetadata(const rd_kafka_metadata_t* metadata) {
  rd_kafka_metadata_destroy(metadata);
}

using ConfHandle = std::unique_ptr<rd_kafka_conf_t, HandleDeleter<rd_kafka_conf_destroy>>;
using TopicHandle = std::unique_ptr<rd_kafka_topic_t, HandleDeleter<rd_kafka_topic_destroy>>;
using QueueHandle = std::unique_ptr<rd_kafka_queue_t, HandleDeleter<rd_kafka_queue_destroy>>;
using EventHandle = std::unique_ptr<rd_kafka_event_t, HandleDeleter<rd_kafka_event_destroy>>;
using MessageHandle = std::unique_ptr<rd_kafka_message_t, HandleDeleter<rd_kafka_message_destroy>>;
using HeadersHandle = std::unique_ptr<rd_kafka_headers_t, HandleDeleter<rd_kafka_headers_destroy>>;
using ErrorHandle = std::unique_ptr<rd_kafka_error_t, HandleDeleter<rd_kafka_error_destroy>>;
using MetadataHandle = std::unique_ptr<const rd_kafka_metadata_t, HandleDeleter<DestroyMetadata>>;
using PartitionListHandle = std::unique_ptr<rd_kafka_topic_partition_list_t,
                                            HandleDeleter<rd_kafka_topic_partition_list_destroy>>;
using GroupMetadataHandle =
    std::unique_ptr<rd_kafka_consumer_group_metadata_t,
                    HandleDeleter<rd_kafka_consumer_group_metadata_destroy>>;
using NewTopicHandle =
    std::unique_ptr<rd_kafka_NewTopic_t, HandleDeleter<rd_kafka_NewTopic_destroy>>;
using NewPartitionsHandle =
    std::unique_ptr<rd_kafka_NewPartitions_t, HandleDeleter<rd_kafka_NewPartitions_destroy>>;
using DeleteRecordsHandle =
    std::unique_ptr<rd_kafka_DeleteRecords_t, HandleDeleter<rd_kafka_DeleteRecords_destroy>>;
using ConfigResourceHandle =
    std::unique_ptr<rd_kafka_ConfigResource_t, HandleDeleter<rd_kafka_ConfigResource_destroy>>;
using AdminOptionsHandle =
    std::unique_ptr<rd_kafka_AdminOptions_t, HandleDeleter<rd_kafka_AdminOptions_destroy>>;
using MockClusterHandle =
    std::unique_ptr<rd_kafka_mock_cluster_t, HandleDeleter<rd_kafka_mock_cluster_destroy>>;

// A point in time that a wait must not pass.

class Deadline {
 public:
  explicit Deadline(int timeout_ms)
      : end_(std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout_ms)) {}

  std::chrono::steady_clock::time_point end() const { return end_; }
  bool passed() const { return std::chrono::steady_clock::now() >= end_; }
  /// What is left, `most_ms` at most, 0 when passed.
  int left_ms(int most_ms) const {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(end_ - std::chrono::steady_clock::now());
    return static_cast<int>(std::clamp<int64_t>(left.count(), 0, most_ms));
  }

 private:
  std::chrono::steady_clock::time_point end_;
};

// Lets one thread sleep until any of the library's queues has something for it.

class WakeUp {
 public:
  /// From any thread; short, and never calls the library.
  void Signal() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      signalled_ = true;
    }
    changed_.notify_one();
  }
  /// Forgets earlier signals. To be called before the queues are looked at.
  void Reset() {
    const std::lock_guard<std::mutex> lock(mutex_);
    signalled_ = false;
  }
  /// Returns at a signal since Reset, or at the deadline.
  void Wait(const Deadline& deadline) {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait_until(lock, deadline.end(), [this] { return signalled_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool signalled_ = false;
};

}  // namespace neardup
