// Where a record goes once it is decided: to one of the three output topics of its input.
#pragma once

#include <cstddef>
#include <cstdint>

#include "neardup/verdict.h"

namespace neardup {

enum class RoutingMode : uint8_t {
  kRoute,    ///< to the topic of its verdict
  kObserve,  ///< to the unique topic, whatever the verdict; the header states the verdict
};

constexpr const char* Name(RoutingMode mode) {
  return mode == RoutingMode::kObserve ? "observe" : "route";
}

/// An output topic of an input topic. The values are those of the decisions whose records go there
/// by default.
enum class Route : uint8_t { kUnique = 0, kDuplicate = 1, kDeadLetter = 2 };
inline constexpr Route kRoutes[] = {Route::kUnique, Route::kDuplicate, Route::kDeadLetter};
inline constexpr size_t kRouteCount = 3;

/// The topic of a verdict.
constexpr Route RouteOf(Decision decision) { return static_cast<Route>(decision); }

/// A dead letter by reference (RoutedRecord::by_reference) is one that the unique topic does not
/// take, so that it goes to its own topic under each mode.
constexpr Route RouteOf(RoutingMode mode, Decision decision, bool by_reference) {
  if (mode == RoutingMode::kObserve && !by_reference) return Route::kUnique;
  return RouteOf(decision);
}

}  // namespace neardup
