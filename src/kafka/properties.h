// From KafkaOptions to the properties of each client.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "kafka/handle.h"
#include "kafka/kafka_options.h"
#include "neardup/result.h"

namespace neardup {

using Properties = std::map<std::string, std::string>;

enum class ClientRole : uint8_t {
  kSource,       ///< reads the inputs
  kChangelog,    ///< reads committed deltas
  kWatermark,    ///< asks for topics, settings and ends of logs
  kWriter,       ///< writes in transactions
  kPlainWriter,  ///< writes outside of transactions, idempotent
  kLease,        ///< member of the lease group
};

constexpr bool IsWriter(ClientRole role) {
  return role == ClientRole::kWriter || role == ClientRole::kPlainWriter;
}

/// Our defaults, then the user's properties, then those that correctness rests on. A user's value
/// for one of the last is a kConfig error that names it.
Result<Properties> ClientProperties(const KafkaOptions& options, ClientRole role,
                                    uint16_t lane = 0);

/// A kConfig error names the property and holds the library's complaint.
Result<ConfHandle> NewConf(const Properties& properties);

/// The same with "*****" for values that are secrets.
Properties Masked(Properties properties);

}  // namespace neardup
