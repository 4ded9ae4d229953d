// Which librdkafka properties a user may set, and which of them are secrets. The configuration, its
// JSON Schema and its reference use these rules, and so does every client (kafka/properties.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace neardup {

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

}  // namespace neardup
