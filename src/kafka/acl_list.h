// The rules (ACLs) of a cluster about one resource, and what they say about a principal.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kafka/client.h"
#include "kafka/rights.h"
#include "neardup/result.h"

namespace neardup {

struct Acl {
  std::string principal;
  std::string operation;  ///< as Right::operation; All for every one
  bool allows = false;    ///< otherwise it forbids
};

/// All rules about a resource, also those with a prefix or for every name. nullopt if the brokers
/// check no rights. To ask takes Describe on the cluster; librdkafka 2.0.2 shows a login without
/// that right no rules and no error.
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

}  // namespace neardup
