// Rights on the resources of a cluster, and how an administrator grants them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "kafka/kafka_options.h"

namespace neardup {

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

}  // namespace neardup
