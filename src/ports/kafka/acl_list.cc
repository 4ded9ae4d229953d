#include "kafka/acl_list.h"

#include <fmt/format.h>

#include <array>
#include <memory>

#include "kafka/errors.h"

namespace neardup {
namespace {

// librdkafka before 2.4 cannot name transactional ids. It lists their rules without a type when it
// is asked for the rules of all types.
constexpr int kTransactionalIdType = 5;

rd_kafka_ResourceType_t TypeOf(ResourceKind kind) {
  switch (kind) {
    case ResourceKind::kTopic:
      return RD_KAFKA_RESOURCE_TOPIC;
    case ResourceKind::kGroup:
      return RD_KAFKA_RESOURCE_GROUP;
    case ResourceKind::kCluster:
      return RD_KAFKA_RESOURCE_BROKER;
    case ResourceKind::kTransactionalId:
      break;
  }
  return RD_KAFKA_RESOURCE_ANY;
}

bool IsOfKind(rd_kafka_ResourceType_t type, ResourceKind kind) {
  if (kind != ResourceKind::kTransactionalId) return type == TypeOf(kind);
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
  using FilterHandle =
      std::unique_ptr<rd_kafka_AclBindingFilter_t, HandleDeleter<rd_kafka_AclBinding_destroy>>;
  const std::string doing = "listing the rules of the cluster";
  const char* const resource = kind == ResourceKind::kCluster ? "kafka-cluster" : name.c_str();
  std::array<char, 256> complaint{};
  const FilterHandle filter(rd_kafka_AclBindingFilter_new(
      TypeOf(kind), resource, RD_KAFKA_RESOURCE_PATTERN_MATCH, nullptr, nullptr,
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

}  // namespace neardup
