#include "kafka/rights.h"

#include <fmt/format.h>

namespace neardup {
namespace {

std::string_view KindName(ResourceKind kind) {
  switch (kind) {
    case ResourceKind::kTopic:
      return "topic";
    case ResourceKind::kGroup:
      return "group";
    case ResourceKind::kTransactionalId:
      return "transactional-id";
    case ResourceKind::kCluster:
      return "cluster";
  }
  return "";
}

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
  return fmt::format("{} on {} {}", right.operation, id ? "transactional id" : KindName(right.kind),
                     right.name);
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
                                   : fmt::format("--{} {}", KindName(right.kind), right.name);
  return fmt::format("--add --allow-principal {} --operation {} {}",
                     principal.empty() ? "'User:<subject of the client certificate>'" : principal,
                     right.operation, resource);
}

}  // namespace neardup
