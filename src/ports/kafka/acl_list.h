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

}  // namespace neardup
