#include "kafka/rights.h"

#include <fmt/format.h>

#include <array>
#include <iterator>
#include <memory>
#include <utility>

#include "kafka/client.h"
#include "kafka/errors.h"

namespace neardup {
namespace {

/// What Kafka's tools and the library call a kind of resource.
struct KindNames {
  std::string_view option;
  rd_kafka_ResourceType_t type;
};
/// By ResourceKind. librdkafka before 2.4 cannot name transactional ids. It lists their rules
/// without a type when it is asked for the rules of all types.
constexpr KindNames kKinds[] = {{"topic", RD_KAFKA_RESOURCE_TOPIC},
                                {"group", RD_KAFKA_RESOURCE_GROUP},
                                {"transactional-id", RD_KAFKA_RESOURCE_ANY},
                                {"cluster", RD_KAFKA_RESOURCE_BROKER}};
constexpr int kTransactionalIdType = 5;

const KindNames& NamesOf(ResourceKind kind) { return kKinds[static_cast<size_t>(kind)]; }

std::string PropertyOf(const KafkaOptions& options, const char* name) {
  for (const auto* properties :
       {&options.properties, &options.consumer_properties, &options.producer_properties}) {
    if (const auto found = properties->find(name); found != properties->end()) {
      return found->second;
    }
  }
  return {};
}

}  // namespace

std::string Name(const Right& right) {
  if (right.kind == ResourceKind::kCluster)
    return fmt::format("{} on the cluster", right.operation);
  const bool id = right.kind == ResourceKind::kTransactionalId;
  return fmt::format("{} on {} {}", right.operation,
                     id ? "transactional id" : NamesOf(right.kind).option, right.name);
}

std::string PrincipalOf(const KafkaOptions& options) {
  std::string protocol = PropertyOf(options, "security.protocol");
  for (char& c : protocol) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (protocol.starts_with("sasl")) {
    const std::string user = PropertyOf(options, "sasl.username");
    return user.empty() ? "" : "User:" + user;
  }
  const bool certificate =
      protocol == "ssl" && (!PropertyOf(options, "ssl.certificate.location").empty() ||
                            !PropertyOf(options, "ssl.certificate.pem").empty() ||
                            !PropertyOf(options, "ssl.keystore.location").empty());
  return certificate ? "" : "User:ANONYMOUS";
}

std::string GrantArguments(const Right& right, std::string_view principal) {
  const std::string resource = right.kind == ResourceKind::kCluster
                                   ? "--cluster"
                                   : fmt::format("--{} {}", NamesOf(right.kind).option, right.name);
  return fmt::format("--add --allow-principal {} --operation {} {}",
                     principal.empty() ? "'User:<subject of the client certificate>'" : principal,
                     right.operation, resource);
}

namespace {

bool IsOfKind(rd_kafka_ResourceType_t type, ResourceKind kind) {
  if (kind != ResourceKind::kTransactionalId) return type == NamesOf(kind).type;
  return type == RD_KAFKA_RESOURCE_UNKNOWN || static_cast<int>(type) == kTransactionalIdType;
}

/// DESCRIBE_CONFIGS becomes DescribeConfigs.
std::string Spelt(const char* name) {
  std::string out;
  bool first = true;
  for (const char* c = name; *c != 0; ++c) {
    if (*c == '_') {
      first = true;
      continue;
    }
    const bool upper = *c >= 'A' && *c <= 'Z';
    out += upper && !first ? static_cast<char>(*c - 'A' + 'a') : *c;
    first = false;
  }
  return out;
}

}  // namespace

Result<std::optional<std::vector<Acl>>> ListAcls(const Client& client, ResourceKind kind,
                                                 const std::string& name, int timeout_ms) {
  using FilterHandle = Handle<rd_kafka_AclBindingFilter_t, rd_kafka_AclBinding_destroy>;
  const std::string doing = "listing the rules of the cluster";
  const char* const resource = kind == ResourceKind::kCluster ? "kafka-cluster" : name.c_str();
  std::array<char, 256> complaint{};
  const FilterHandle filter(rd_kafka_AclBindingFilter_new(
      NamesOf(kind).type, resource, RD_KAFKA_RESOURCE_PATTERN_MATCH, nullptr, nullptr,
      RD_KAFKA_ACL_OPERATION_ANY, RD_KAFKA_ACL_PERMISSION_TYPE_ANY, complaint.data(),
      complaint.size()));
  if (!filter) return Error{ErrorCode::kInternal, fmt::format("{}: {}", doing, complaint.data())};
  const AdminOptionsHandle limits(
      rd_kafka_AdminOptions_new(client.get(), RD_KAFKA_ADMIN_OP_DESCRIBEACLS));
  rd_kafka_AdminOptions_set_request_timeout(limits.get(), timeout_ms, complaint.data(),
                                            complaint.size());
  const QueueHandle queue(rd_kafka_queue_new(client.get()));
  rd_kafka_DescribeAcls(client.get(), filter.get(), limits.get(), queue.get());
  const EventHandle event(rd_kafka_queue_poll(queue.get(), timeout_ms));
  if (!event) return client.diagnosis().Explain(FromKafka(RD_KAFKA_RESP_ERR__TIMED_OUT, doing));
  const rd_kafka_resp_err_t code = rd_kafka_event_error(event.get());
  if (code == RD_KAFKA_RESP_ERR_SECURITY_DISABLED) return std::optional<std::vector<Acl>>();
  if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
    return client.diagnosis().Explain(FromKafka(code, doing), {"Describe", ResourceKind::kCluster});
  }
  size_t count = 0;
  const auto* rows =
      rd_kafka_DescribeAcls_result_acls(rd_kafka_event_DescribeAcls_result(event.get()), &count);
  std::vector<Acl> acls;
  for (size_t i = 0; i < count; ++i) {
    if (!IsOfKind(rd_kafka_AclBinding_restype(rows[i]), kind)) continue;
    acls.push_back(
        {.principal = rd_kafka_AclBinding_principal(rows[i]),
         .operation = Spelt(rd_kafka_AclOperation_name(rd_kafka_AclBinding_operation(rows[i]))),
         .allows =
             rd_kafka_AclBinding_permission_type(rows[i]) == RD_KAFKA_ACL_PERMISSION_TYPE_ALLOW});
  }
  return std::optional(std::move(acls));
}

AclAnswer Judge(const std::vector<Acl>& acls, std::string_view principal,
                std::string_view operation) {
  if (acls.empty()) return AclAnswer::kNoRules;
  bool allowed = false;
  for (const Acl& acl : acls) {
    if (acl.principal != principal && acl.principal != "User:*") continue;
    if (acl.operation != operation && acl.operation != "All") continue;
    if (!acl.allows) return AclAnswer::kForbidden;
    allowed = true;
  }
  return allowed ? AclAnswer::kAllowed : AclAnswer::kNotNamed;
}

namespace {

constexpr int kProbePollMs = 100;
// A number of acknowledgements that no broker accepts.
constexpr const char* kRefusedAcks = "2";
constexpr int32_t kNoSuchPartition = INT32_MAX;

Error NoAnswer(const Client& client, const std::string& doing) {
  return client.diagnosis().Explain(FromKafka(RD_KAFKA_RESP_ERR__TIMED_OUT, doing));
}

Answers AllFail(const std::vector<std::string>& topics, const Error& error) {
  Answers answers;
  for (const std::string& topic : topics) answers.emplace(topic, error);
  return answers;
}

/// The topics without an answer get an error.
void FillIn(const Client& client, const std::vector<std::string>& topics, const char* doing,
            Answers& answers) {
  for (const std::string& topic : topics) {
    if (answers.contains(topic)) continue;
    answers.emplace(topic, NoAnswer(client, fmt::format("{} {}", doing, topic)));
  }
}

}  // namespace

Answers ProbeReading(const KafkaOptions& options, const std::vector<std::string>& topics) {
  if (topics.empty()) return {};
  const Result<std::shared_ptr<Client>> made =
      Client::New(options, ClientRole::kWatermark, {}, {}, 0, {{"fetch.wait.max.ms", "10"}});
  if (!made.ok()) return AllFail(topics, made.error());
  Client& client = **made;
  const PartitionListHandle list(
      rd_kafka_topic_partition_list_new(static_cast<int>(topics.size())));
  for (const std::string& topic : topics) {
    rd_kafka_topic_partition_list_add(list.get(), topic.c_str(), 0)->offset = RD_KAFKA_OFFSET_END;
  }
  rd_kafka_assign(client.get(), list.get());
  const Deadline deadline(options.answer_timeout_ms);
  Answers answers;
  while (answers.size() < topics.size() && !deadline.passed()) {
    const MessageHandle event(rd_kafka_consumer_poll(client.get(), kProbePollMs));
    if (!event || event->rkt == nullptr) continue;
    const std::string topic = rd_kafka_topic_name(event->rkt);
    if (event->err == RD_KAFKA_RESP_ERR_NO_ERROR ||
        event->err == RD_KAFKA_RESP_ERR__PARTITION_EOF) {
      answers.insert_or_assign(topic, Result<void>());
    } else if (IsMissingRight(event->err)) {
      answers.insert_or_assign(topic, FromKafka(event->err, fmt::format("reading {}", topic)));
    }
  }
  FillIn(client, topics, "reading", answers);
  return answers;
}

Answers ProbeWriting(const KafkaOptions& options, const std::vector<std::string>& topics) {
  if (topics.empty()) return {};
  Answers answers;
  ClientHooks hooks;
  hooks.delivery_failed = [&answers](const rd_kafka_message_t& message) {
    const std::string topic = rd_kafka_topic_name(message.rkt);
    const std::string doing = fmt::format("writing to {}", topic);
    if (message.err == RD_KAFKA_RESP_ERR_INVALID_REQUIRED_ACKS) {
      answers.emplace(topic, Result<void>());
    } else if (message.err == RD_KAFKA_RESP_ERR_NO_ERROR) {
      answers.emplace(topic,
                      Error{ErrorCode::kInternal,
                            fmt::format("{}: the broker wrote an empty record, although it was "
                                        "sent with acks={}, which Kafka refuses",
                                        doing, kRefusedAcks)});
    } else {
      answers.emplace(topic, FromKafka(message.err, doing));
    }
  };
  const Properties extra = {{"enable.idempotence", "false"},
                            {"acks", kRefusedAcks},
                            {"message.send.max.retries", "0"},
                            {"message.timeout.ms", std::to_string(options.answer_timeout_ms)},
                            {"linger.ms", "0"},
                            {"delivery.report.only.error", "false"}};
  const Result<std::shared_ptr<Client>> made =
      Client::New(options, ClientRole::kPlainWriter, {}, std::move(hooks), 0, extra);
  if (!made.ok()) return AllFail(topics, made.error());
  Client& client = **made;
  for (const std::string& topic : topics) {
    rd_kafka_vu_t record[2] = {};
    record[0].vtype = RD_KAFKA_VTYPE_TOPIC;
    record[0].u.cstr = topic.c_str();
    record[1].vtype = RD_KAFKA_VTYPE_PARTITION;
    record[1].u.i32 = 0;
    const ErrorHandle refused(rd_kafka_produceva(client.get(), record, std::size(record)));
    if (refused) {
      answers.emplace(topic, FromKafka(*refused, fmt::format("writing to {}", topic)));
    }
  }
  rd_kafka_flush(client.get(), options.answer_timeout_ms);
  FillIn(client, topics, "writing to", answers);
  return answers;
}

Result<void> ProbeCommitting(const KafkaOptions& options, const std::string& group,
                             const std::string& topic) {
  using OrderHandle =
      Handle<rd_kafka_AlterConsumerGroupOffsets_t, rd_kafka_AlterConsumerGroupOffsets_destroy>;
  const std::string doing = fmt::format("asking for the rights on group {}", group);
  NEARDUP_ASSIGN(const std::shared_ptr<Client> client,
                 Client::New(options, ClientRole::kWatermark, {}));
  const PartitionListHandle list(rd_kafka_topic_partition_list_new(1));
  rd_kafka_topic_partition_list_add(list.get(), topic.c_str(), kNoSuchPartition)->offset = 0;
  const OrderHandle order(rd_kafka_AlterConsumerGroupOffsets_new(group.c_str(), list.get()));
  const QueueHandle queue(rd_kafka_queue_new(client->get()));
  const AdminOptionsHandle limits(
      rd_kafka_AdminOptions_new(client->get(), RD_KAFKA_ADMIN_OP_ALTERCONSUMERGROUPOFFSETS));
  std::array<char, 256> complaint{};
  rd_kafka_AdminOptions_set_request_timeout(limits.get(), options.answer_timeout_ms,
                                            complaint.data(), complaint.size());
  std::array<rd_kafka_AlterConsumerGroupOffsets_t*, 1> orders = {order.get()};
  rd_kafka_AlterConsumerGroupOffsets(client->get(), orders.data(), orders.size(), limits.get(),
                                     queue.get());
  const EventHandle event(rd_kafka_queue_poll(queue.get(), options.answer_timeout_ms));
  if (!event) return NoAnswer(*client, doing);
  rd_kafka_resp_err_t code = rd_kafka_event_error(event.get());
  size_t count = 0;
  if (code == RD_KAFKA_RESP_ERR_NO_ERROR) {
    const rd_kafka_group_result_t** results = rd_kafka_AlterConsumerGroupOffsets_result_groups(
        rd_kafka_event_AlterConsumerGroupOffsets_result(event.get()), &count);
    if (count == 1) {
      const rd_kafka_error_t* refused = rd_kafka_group_result_error(results[0]);
      const rd_kafka_topic_partition_list_t* rows = rd_kafka_group_result_partitions(results[0]);
      if (refused != nullptr) {
        code = rd_kafka_error_code(refused);
      } else if (rows != nullptr && rows->cnt == 1) {
        code = rows->elems[0].err;
      }
    }
  }
  switch (code) {
    // Of the partition or the topic: the group itself was allowed.
    case RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART:
    case RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED:
      return {};
    default:
      return FromKafka(code, doing, code == RD_KAFKA_RESP_ERR_NO_ERROR ? "no result" : "");
  }
}

}  // namespace neardup
