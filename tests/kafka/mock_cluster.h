// librdkafka's mock cluster, for tests that break connections, stop brokers or choose answers.
// EmbeddedBroker is the same cluster for programs that only need a broker.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "kafka/errors.h"

namespace neardup {

class MockCluster {
 public:
  // Keys of requests in Kafka's protocol.
  static constexpr int16_t kProduce = 0;
  static constexpr int16_t kOffsetFetch = 9;
  static constexpr int16_t kSyncGroup = 14;
  static constexpr int16_t kEndTxn = 26;
  static constexpr int16_t kTxnOffsetCommit = 28;
  /// As an answer: the connection breaks, and there is none.
  static constexpr auto kCut = RD_KAFKA_RESP_ERR__TRANSPORT;

  explicit MockCluster(int brokers) {
    rd_kafka_conf_t* conf = rd_kafka_conf_new();
    rd_kafka_conf_set_log_cb(conf, [](const rd_kafka_t*, int, const char*, const char*) {});
    client_.reset(rd_kafka_new(RD_KAFKA_PRODUCER, conf, nullptr, 0));
    cluster_.reset(rd_kafka_mock_cluster_new(client_.get(), brokers));
  }

  rd_kafka_mock_cluster_t* get() const { return cluster_.get(); }
  /// For KafkaOptions::brokers.
  std::string bootstrap() const { return rd_kafka_mock_cluster_bootstraps(get()); }
  /// With one partition.
  void CreateTopic(const std::string& topic) {
    rd_kafka_mock_topic_create(get(), topic.c_str(), 1, 1);
  }
  /// The answer to the next request of this kind.
  void Answer(int16_t api_key, rd_kafka_resp_err_t error) {
    rd_kafka_mock_push_request_errors_array(get(), api_key, 1, &error);
  }

 private:
  std::unique_ptr<rd_kafka_t, HandleDeleter<rd_kafka_destroy>> client_;
  MockClusterHandle cluster_;
};

}  // namespace neardup
