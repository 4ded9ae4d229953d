// The librdkafka properties of each client, made from KafkaOptions.
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
  kWatermark,    ///< asks for topics, their settings and the ends of their logs
  kWriter,       ///< writes in transactions
  kPlainWriter,  ///< idempotent, writes outside of transactions
  kLease,        ///< joins the lease group
};

constexpr bool IsWriter(ClientRole role) {
  return role == ClientRole::kWriter || role == ClientRole::kPlainWriter;
}

/// The properties that correctness depends on. No user can set them: each has a row in
/// RefusedProperties.
Properties OwnedProperties(const KafkaOptions& options, ClientRole role, uint16_t lane);

/// Merges our defaults, the user's properties and OwnedProperties. A property that RefusalOf
/// refuses is a kConfig error that names it.
Result<Properties> ClientProperties(const KafkaOptions& options, ClientRole role,
                                    uint16_t lane = 0);

/// A kConfig error names the property and quotes the library's complaint.
Result<ConfHandle> NewConf(const Properties& properties);

}  // namespace neardup
