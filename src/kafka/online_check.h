// Checks a configuration against the brokers, before a service is started with it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kafka/kafka_options.h"
#include "neardup/result.h"

namespace neardup {

enum class CheckLevel : uint8_t { kOk, kWarning, kWrong };

struct OnlineCheck {
  CheckLevel level = CheckLevel::kOk;
  std::string subject;                  ///< such as "topic news.unique"
  std::string text;                     ///< one line: what was found, what was expected, what to do
  ErrorCode code = ErrorCode::kConfig;  ///< what a service would meet; only of kWrong
};

/// What the service does beyond the options.
struct OnlineNeeds {
  uint16_t lane = 0;
  bool purges_changelog = true;
  int64_t record_bytes_max = 0;
};

/// Looks at brokers, login, topics, their settings, and rights. It changes nothing on the brokers,
/// disturbs no running instance, and never takes the transactional id. It ends with the first check
/// if no broker answers or the login fails. Rights are tried with calls that the brokers refuse
/// after they have looked at the right; where there is no such call, the rules of the cluster are
/// read, which takes Describe on the cluster.
std::vector<OnlineCheck> CheckOnline(const KafkaOptions& options, const OnlineNeeds& needs);

}  // namespace neardup
