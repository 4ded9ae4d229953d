// What the errors of librdkafka mean to us.
#pragma once

#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>

#include <memory>
#include <string_view>

#include "neardup/result.h"

namespace neardup {

// Owners of librdkafka's objects. rd_kafka_destroy waits forever for a list or message that is not
// freed, so no plain pointer owns one.

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
using DeleteTopicHandle =
    std::unique_ptr<rd_kafka_DeleteTopic_t, HandleDeleter<rd_kafka_DeleteTopic_destroy>>;
using DeleteGroupHandle =
    std::unique_ptr<rd_kafka_DeleteGroup_t, HandleDeleter<rd_kafka_DeleteGroup_destroy>>;
using AdminOptionsHandle =
    std::unique_ptr<rd_kafka_AdminOptions_t, HandleDeleter<rd_kafka_AdminOptions_destroy>>;
using MockClusterHandle =
    std::unique_ptr<rd_kafka_mock_cluster_t, HandleDeleter<rd_kafka_mock_cluster_destroy>>;

/// True when the broker, or a proxy in front of it, refuses our login, or we refuse its
/// certificate.
bool IsRefusedLogin(rd_kafka_resp_err_t code);
/// True when the broker accepts our login but refuses the operation, because a right is missing.
bool IsMissingRight(rd_kafka_resp_err_t code);
/// One of the two.
bool IsRefusedAccess(rd_kafka_resp_err_t code);

/// An error of the library as "<doing>: <detail>". An empty `detail` stands for the library's text
/// of the code.
Error FromKafka(rd_kafka_resp_err_t code, std::string_view doing, std::string_view detail = "");
/// The same for an error object. The result also follows its flags (fatal, abortable, retriable).
Error FromKafka(const rd_kafka_error_t& error, std::string_view doing);

}  // namespace neardup
