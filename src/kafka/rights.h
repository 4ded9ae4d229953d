// Rights on the resources of a cluster, and how an administrator grants them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kafka/kafka_options.h"
#include "neardup/result.h"

namespace neardup {

class Client;

enum class ResourceKind : uint8_t { kTopic, kGroup, kTransactionalId, kCluster };

struct Right {
  std::string_view operation;  ///< a constant, as kafka-acls.sh spells it, such as DescribeConfigs
  ResourceKind kind = ResourceKind::kTopic;
  std::string name = {};  ///< empty for the cluster
};

/// For people, such as "Write on topic news.unique".
std::string Name(const Right& right);

/// The principal that brokers make of this login with their default rules, such as User:neardup.
/// Empty if it is the subject of a client certificate, which this library does not read.
std::string PrincipalOf(const KafkaOptions& options);

/// The arguments of kafka-acls.sh that grant the right. An empty principal stands for the subject
/// of the client certificate.
std::string GrantArguments(const Right& right, std::string_view principal);

// The rules (ACLs) of a cluster about one resource, and what they say about a principal.

struct Acl {
  std::string principal;
  std::string operation;  ///< as Right::operation, or All, which means every operation
  bool allows = false;    ///< otherwise it forbids
};

/// Returns the rules that apply to a resource: those for its name, for a prefix of its name, and
/// for all names. Returns nullopt if the brokers check no rights. The caller's login needs Describe
/// on the cluster. Without that right, librdkafka 2.0.2 returns no rules and no error.
Result<std::optional<std::vector<Acl>>> ListAcls(const Client& client, ResourceKind kind,
                                                 const std::string& name, int timeout_ms);

enum class AclAnswer : uint8_t {
  kAllowed,
  kForbidden,
  kNotNamed,  ///< there are rules, and none names the principal
  kNoRules,
};
AclAnswer Judge(const std::vector<Acl>& acls, std::string_view principal,
                std::string_view operation);

// Finds out by harmless calls what a login may do. No call changes anything on the brokers.

/// For each topic, an error of kAuth if the right is missing, and another one if that is unknown.
using Answers = std::map<std::string, Result<void>>;

/// Read on topics: reads from their ends on, up to the first answer.
Answers ProbeReading(const KafkaOptions& options, const std::vector<std::string>& topics);

/// Write on topics: sends each of them a record with acks=2. Brokers check the right first, and
/// then refuse this number of acknowledgements without writing the record (since Kafka 0.9).
Answers ProbeWriting(const KafkaOptions& options, const std::vector<std::string>& topics);

/// Read on a group: commits an offset for a partition of `topic` that cannot exist. Brokers check
/// the right first, and then refuse the partition.
Result<void> ProbeCommitting(const KafkaOptions& options, const std::string& group,
                             const std::string& topic);

}  // namespace neardup
