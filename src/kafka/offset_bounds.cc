#include "kafka/offset_bounds.h"

#include <memory>
#include <string>

#include "kafka/client.h"
#include "kafka/client_error.h"

namespace neardup {

Result<std::vector<OffsetBounds>> QueryOffsetBounds(const KafkaOptions& options,
                                                    std::span<const InputPartition> partitions,
                                                    const KafkaLog& log) {
  NEARDUP_ASSIGN(const std::shared_ptr<Client> client,
                 Client::New(options, ClientRole::kWatermark, log));
  std::vector<OffsetBounds> rows;
  for (const InputPartition& partition : partitions) {
    OffsetBounds bounds;
    const rd_kafka_resp_err_t code = rd_kafka_query_watermark_offsets(
        client->get(), partition.topic.c_str(), partition.partition, &bounds.begin, &bounds.end,
        options.answer_timeout_ms);
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
      return client->Explain(FromKafka(code, "asking for the offsets of " + partition.topic + "/" +
                                                 std::to_string(partition.partition)));
    }
    rows.push_back(bounds);
  }
  return rows;
}

}  // namespace neardup
