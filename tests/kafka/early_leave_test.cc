// A member that leaves the lease's group between its JoinGroup and its SyncGroup, on a mock cluster
// that holds the answer to SyncGroup back.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "kafka/handle.h"
#include "kafka/kafka_cluster.h"
#include "kafka/kafka_ports.h"

namespace neardup {
namespace {

constexpr int16_t kSyncGroup = 14;
constexpr int kSyncAnswerMs = 20'000;
/// The mock cluster answers the first JoinGroup of a group after 3 s.
constexpr std::chrono::seconds kJoined(5);

// librdkafka before 2.3.0 ends the process when such a member is destroyed (its issue 4312).
TEST(EarlyLeave, AMemberMayLeaveBeforeItsFirstAssignment) {
  rd_kafka_conf_t* conf = rd_kafka_conf_new();
  rd_kafka_conf_set_log_cb(conf, [](const rd_kafka_t*, int, const char*, const char*) {});
  const std::unique_ptr<rd_kafka_t, HandleDeleter<rd_kafka_destroy>> client(
      rd_kafka_new(RD_KAFKA_PRODUCER, conf, nullptr, 0));
  const MockClusterHandle cluster(rd_kafka_mock_cluster_new(client.get(), 1));
  const KafkaOptions options = FreshOptions(rd_kafka_mock_cluster_bootstraps(cluster.get()));
  rd_kafka_mock_topic_create(cluster.get(), LeaseTopic(options).c_str(), 1, 1);
  rd_kafka_mock_broker_push_request_error_rtts(cluster.get(), 1, kSyncGroup, 1,
                                               RD_KAFKA_RESP_ERR_NO_ERROR, kSyncAnswerMs);
  const std::unique_ptr<Lease> lease = NewKafkaLease(options, 0, {});
  lease->Join();
  std::this_thread::sleep_for(kJoined);
  EXPECT_FALSE(*lease->Held());
  lease->Release();
  EXPECT_FALSE(*lease->Held());
}

}  // namespace
}  // namespace neardup
