#include "kafka/topic_orders.h"

#include <memory>
#include <utility>

#include "kafka/client.h"
#include "kafka/topic_admin.h"

namespace neardup {

Result<void> OrderTopic(const KafkaOptions& options, const std::string& topic, int32_t partitions,
                        const std::map<std::string, std::string>& settings) {
  NEARDUP_ASSIGN(std::shared_ptr<Client> client, Client::New(options, ClientRole::kWatermark, {}));
  TopicAdmin admin(std::move(client), options);
  NEARDUP_ASSIGN(const bool created, admin.Create(topic, partitions, settings));
  if (!created) return Error{ErrorCode::kConfig, "topic " + topic + " exists already"};
  return admin.AwaitPartitions(topic, partitions);
}

Result<void> DeleteRecordsBefore(const KafkaOptions& options, const std::string& topic,
                                 int32_t partition, int64_t offset) {
  NEARDUP_ASSIGN(std::shared_ptr<Client> client, Client::New(options, ClientRole::kWatermark, {}));
  return TopicAdmin(std::move(client), options).DeleteRecords(topic, partition, offset);
}

}  // namespace neardup
