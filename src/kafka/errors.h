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
template <class T, auto destroy>
using Handle = std::unique_ptr<T, HandleDeleter<destroy>>;

using ConfHandle = Handle<rd_kafka_conf_t, rd_kafka_conf_destroy>;
using TopicHandle = Handle<rd_kafka_topic_t, rd_kafka_topic_destroy>;
using QueueHandle = Handle<rd_kafka_queue_t, rd_kafka_queue_destroy>;
using EventHandle = Handle<rd_kafka_event_t, rd_kafka_event_destroy>;
using MessageHandle = Handle<rd_kafka_message_t, rd_kafka_message_destroy>;
using HeadersHandle = Handle<rd_kafka_headers_t, rd_kafka_headers_destroy>;
using ErrorHandle = Handle<rd_kafka_error_t, rd_kafka_error_destroy>;
using MetadataHandle = Handle<const rd_kafka_metadata_t, rd_kafka_metadata_destroy>;
using PartitionListHandle =
    Handle<rd_kafka_topic_partition_list_t, rd_kafka_topic_partition_list_destroy>;
using GroupMetadataHandle =
    Handle<rd_kafka_consumer_group_metadata_t, rd_kafka_consumer_group_metadata_destroy>;
using NewTopicHandle = Handle<rd_kafka_NewTopic_t, rd_kafka_NewTopic_destroy>;
using NewPartitionsHandle = Handle<rd_kafka_NewPartitions_t, rd_kafka_NewPartitions_destroy>;
using DeleteRecordsHandle = Handle<rd_kafka_DeleteRecords_t, rd_kafka_DeleteRecords_destroy>;
using ConfigResourceHandle = Handle<rd_kafka_ConfigResource_t, rd_kafka_ConfigResource_destroy>;
using DeleteTopicHandle = Handle<rd_kafka_DeleteTopic_t, rd_kafka_DeleteTopic_destroy>;
using DeleteGroupHandle = Handle<rd_kafka_DeleteGroup_t, rd_kafka_DeleteGroup_destroy>;
using AdminOptionsHandle = Handle<rd_kafka_AdminOptions_t, rd_kafka_AdminOptions_destroy>;
using MockClusterHandle = Handle<rd_kafka_mock_cluster_t, rd_kafka_mock_cluster_destroy>;

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
