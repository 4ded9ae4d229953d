// The librdkafka properties of each client, made from KafkaOptions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kafka/errors.h"
#include "kafka/kafka_options.h"
#include "neardup/result.h"

namespace neardup {

// Which librdkafka properties a user may set, and which of them are secrets. The configuration, its
// JSON Schema and its reference use these rules, and so does every client (kafka/properties.h).

struct RefusedProperty {
  std::string_view name;
  /// Why, and which setting to use instead.
  std::string_view reason;
};

/// Properties that would break the order of decisions or exactly-once delivery, that another
/// setting holds, or that only code can set.
const std::vector<RefusedProperty>& RefusedProperties();

/// Most requests in flight with which an idempotent producer keeps the order of records.
inline constexpr int64_t kRequestsInFlightMax = 5;
/// The property that sets this number, and its alias.
inline constexpr std::string_view kRequestsInFlightNames[] = {
    "max.in.flight.requests.per.connection", "max.in.flight"};

/// Why this property cannot have this value; nullopt if it can. librdkafka itself checks whether it
/// knows the name and takes the value.
std::optional<std::string> RefusalOf(std::string_view name, std::string_view value);

/// Whether the value is a password, key or token, which is never printed.
bool IsSecretProperty(std::string_view name);

// How much is read ahead of the lane, and where it waits.
//
// Records wait in two places: in the library, in the memory of the broker's answer that brought
// them, and in our own memory. A record in the library keeps its whole answer, with the records of
// all other partitions in it. One partition that waits for its turn while others go on would thus
// keep all that the others have read. So the library holds the records of at most one answer for
// each partition, and everything else is copied.

/// One reader's part of the memory for records that are read ahead.
struct PrefetchShare {
  /// A reader takes records from the library while it holds fewer bytes than this.
  size_t held_bytes_max = 0;
  /// Size of a broker's answer. A batch of records that is larger comes as a whole.
  size_t answer_bytes_max = 0;

  bool operator==(const PrefetchShare&) const = default;
};

/// Half of the bytes are for records that the readers hold. An eighth is for the answers, in the
/// library and on their way. The rest is for what the library adds to a record, and for what
/// compressed answers grow to.
PrefetchShare ShareOf(int64_t prefetch_bytes_max, size_t partitions);

/// With this share; no part falls below what one answer takes.
size_t PrefetchBytesMax(int64_t prefetch_bytes_max, size_t partitions);

/// The librdkafka properties that make a client keep to the share.
std::map<std::string, std::string> FetchProperties(const PrefetchShare& share);

/// Of the clients that read the changelog: few large records, and no other partition in an answer.
std::map<std::string, std::string> ChangelogFetchProperties();
inline constexpr size_t kChangelogQueueBytes = size_t{8} << 20;
inline constexpr size_t kChangelogAnswerBytes = size_t{4} << 20;

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
