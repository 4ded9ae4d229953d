#include "kafka/consumer_group.h"

#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <thread>

#include "kafka/client.h"
#include "kafka/errors.h"

namespace neardup {
namespace {

constexpr std::chrono::milliseconds kCoordinatorRetry(100);

using GroupListHandle = Handle<const rd_kafka_group_list, rd_kafka_group_list_destroy>;

}  // namespace

Result<std::vector<GroupOffset>> GroupOffsets(const KafkaOptions& options, const std::string& group,
                                              std::span<const InputPartition> partitions,
                                              const KafkaLog& log) {
  KafkaOptions of_group = options;
  of_group.app = group;  // names the group of a reader
  NEARDUP_ASSIGN(const std::shared_ptr<Client> reader,
                 Client::New(of_group, ClientRole::kSource, log));
  const PartitionListHandle list = ListOf(partitions);
  const Deadline deadline(options.answer_timeout_ms);
  while (true) {
    const rd_kafka_resp_err_t code =
        rd_kafka_committed(reader->get(), list.get(), options.answer_timeout_ms);
    if (code == RD_KAFKA_RESP_ERR_NO_ERROR) break;
    const MessageHandle event(rd_kafka_consumer_poll(reader->get(), 0));  // may hold the reason
    const Error error = reader->diagnosis().Explain(
        FromKafka(code, fmt::format("reading the offsets of group {}", group)),
        {"Read", ResourceKind::kGroup, group});
    // A coordinator rejects requests for a short time after it starts or moves to another broker.
    if (error.code != ErrorCode::kUnavailable || deadline.passed()) return error;
    std::this_thread::sleep_for(kCoordinatorRetry);
  }
  std::vector<GroupOffset> rows;
  for (int i = 0; i < list->cnt; ++i) {
    const rd_kafka_topic_partition_t& row = list->elems[i];
    GroupOffset found;
    if (row.offset >= 0) found.offset = row.offset;
    if (row.metadata != nullptr) {
      found.note.assign(static_cast<const char*>(row.metadata), row.metadata_size);
    }
    rows.push_back(std::move(found));
  }
  return rows;
}

Result<int> GroupMembers(const KafkaOptions& options, const std::string& group,
                         const KafkaLog& log) {
  NEARDUP_ASSIGN(const std::shared_ptr<Client> client,
                 Client::New(options, ClientRole::kWatermark, log));
  const Deadline deadline(options.answer_timeout_ms);
  while (true) {
    const rd_kafka_group_list* answer = nullptr;
    rd_kafka_resp_err_t code =
        rd_kafka_list_groups(client->get(), group.c_str(), &answer, options.answer_timeout_ms);
    const GroupListHandle list(answer);
    if (code == RD_KAFKA_RESP_ERR_NO_ERROR && list && list->group_cnt > 0) {
      code = list->groups[0].err;
    }
    if (code == RD_KAFKA_RESP_ERR_NO_ERROR) {
      return list && list->group_cnt > 0 ? list->groups[0].member_cnt : 0;
    }
    const Error error = client->diagnosis().Explain(
        FromKafka(code, fmt::format("asking for the members of group {}", group)));
    if (error.code != ErrorCode::kUnavailable || deadline.passed()) return error;
    std::this_thread::sleep_for(kCoordinatorRetry);
  }
}

}  // namespace neardup
