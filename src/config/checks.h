// librdkafka properties that a user may not set, and those that are secrets.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "config/assignment.h"
#include "config/config.h"

namespace neardup {

struct RefusedProperty {
  std::string_view name;
  /// Why, and what to use instead.
  std::string_view reason;
};

/// Properties that would break the order of decisions or exactly-once delivery, or that another
/// setting holds already.
const std::vector<RefusedProperty>& RefusedProperties();

/// Most requests in flight with which an idempotent producer keeps the order.
inline constexpr int64_t kRequestsInFlightMax = 5;
/// The property of that bound and its alias.
inline constexpr std::string_view kRequestsInFlightNames[] = {
    "max.in.flight.requests.per.connection", "max.in.flight"};

/// The reason why this property cannot have this value; nullopt if it can. Whether librdkafka knows
/// the name and takes the value is for librdkafka to say.
std::optional<std::string> RefusalOf(std::string_view name, std::string_view value);

/// Passwords, keys and tokens: the value is never printed.
bool IsSecretProperty(std::string_view name);

// Rules that bind several settings together.

/// `unread`: paths whose value could not be read; rules about them are left out.
void CheckTogether(const LoadedConfig& config, const std::set<std::string>& unread,
                   ConfigErrors& errors);

/// What is allowed and probably not meant.
std::vector<std::string> Warnings(const LoadedConfig& config);

}  // namespace neardup
