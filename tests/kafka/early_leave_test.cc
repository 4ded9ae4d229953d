// A member that leaves the lease's group between its JoinGroup and its SyncGroup, on a mock cluster
// that holds the answer to SyncGroup back.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "kafka/kafka_cluster.h"
#include "kafka/kafka_ports.h"
#include "kafka/mock_cluster.h"

namespace neardup {
namespace {

constexpr int kSyncAnswerMs = 20'000;
/// The mock cluster answers the first JoinGroup of a group after 3 s.
constexpr std::chrono::seconds kJoined(5);

// librdkafka before 2.3.0 ends the process when such a member is destroyed (its issue 4312).
TEST(EarlyLeave, AMemberMayLeaveBeforeItsFirstAssignment) {
  MockCluster cluster(1);
  const KafkaOptions options = FreshOptions(cluster.bootstrap());
  cluster.CreateTopic(LeaseTopic(options));
  rd_kafka_mock_broker_push_request_error_rtts(cluster.get(), 1, MockCluster::kSyncGroup, 1,
                                               RD_KAFKA_RESP_ERR_NO_ERROR, kSyncAnswerMs);
  const std::unique_ptr<Lease> lease = NewKafkaLease(options, {});
  lease->Join();
  std::this_thread::sleep_for(kJoined);
  EXPECT_FALSE(*lease->Held());
  lease->Release();
  EXPECT_FALSE(*lease->Held());
}

}  // namespace
}  // namespace neardup
