// The page for people: what this instance does now, and the settings in force.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "service/metrics/health.h"
#include "service/metrics/status.h"

namespace neardup {

/// HTML of `status` (Status::Text), so that page and /status say the same. It holds no payload and
/// no key of a record. Texts that come from brokers or records are escaped. `minutes`: the oldest
/// first.
std::string LivePage(std::string_view status, std::span<const VerdictMinute> minutes,
                     const HealthAnswer& ready);

/// The headers of its answer, each with its line end. The browser runs nothing, loads nothing else,
/// and loads the page again every 5 s if it `refreshes`.
std::string_view LivePageHeaders(bool refreshes);

}  // namespace neardup
