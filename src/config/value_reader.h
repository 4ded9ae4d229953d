// Turns what stands in YAML into the value of a setting, or complains.
#pragma once

#include <optional>
#include <string>

#include "config/assignment.h"
#include "config/origin.h"
#include "config/settings_table.h"

namespace neardup {

/// What is printed instead of a secret.
inline constexpr char kSecretMask[] = "******";

/// What the setting takes, in words: "a whole number from 0 to 7".
std::string ExpectationText(const Setting& setting);

/// nullopt: at least one complaint was made. For one property of a map setting the value is a map
/// with that property alone.
std::optional<SettingValue> ReadValue(const Assignment& assignment, ConfigErrors& errors);

}  // namespace neardup
