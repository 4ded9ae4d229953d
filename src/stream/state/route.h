// Where a record goes once it is decided: to one of the three output topics of its input.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>

#include "detect/base/hash.h"
#include "neardup/verdict.h"
#include "stream/state/groups.h"

namespace neardup {

// The input partitions of a lane, and how far each one is decided.

/// A partition of an input topic; of a file, {path, 0}.
struct InputPartition {
  std::string topic;
  int32_t partition = 0;

  auto operator<=>(const InputPartition&) const = default;
};

/// How far an input partition is decided.
struct InputProgress {
  InputPartition partition;
  int64_t next_offset = 0;  ///< every record below is decided
  int64_t time_ms =
      INT64_MIN;  ///< largest event time seen, milliseconds since 1970; INT64_MIN if none

  bool operator==(const InputProgress&) const = default;
};

enum class RoutingMode : uint8_t {
  kRoute,    ///< to the topic of its verdict
  kObserve,  ///< to the unique topic, whatever the verdict; the header states the verdict
};

constexpr const char* Name(RoutingMode mode) {
  return mode == RoutingMode::kObserve ? "observe" : "route";
}

/// What happens to duplicates of one kind that are neither observed nor released.
enum class DuplicateRoute : uint8_t {
  kRoute,  ///< to the duplicate topic
  kDrop,   ///< to no topic; the changelog counts them
};

/// An output topic of an input topic, or none. The values are the values of the decisions whose
/// records go there by default.
enum class Route : uint8_t { kUnique = 0, kDuplicate = 1, kDeadLetter = 2, kNowhere = 3 };
/// Those with a topic.
inline constexpr Route kRoutes[] = {Route::kUnique, Route::kDuplicate, Route::kDeadLetter};
inline constexpr size_t kRouteCount = 3;

/// The topic of a verdict.
constexpr Route RouteOf(Decision decision) { return static_cast<Route>(decision); }

struct RoutingOptions {
  RoutingMode mode = RoutingMode::kRoute;
  DuplicateRoute exact = DuplicateRoute::kRoute;
  DuplicateRoute near = DuplicateRoute::kRoute;
  /// Of the exact duplicates, one of this many goes to the unique topic: it is released. 0: none.
  uint32_t release_exact_one_of = 0;
  uint32_t release_near_one_of = 0;
  Keep keep = Keep::kFirst;
  /// Group::copies and the times of groups are published, so that groups are kept for kFirst also.
  bool publish_groups = false;

  bool has_groups() const { return publish_groups || keep == Keep::kNewest; }
};

/// Whether a duplicate is released. Its position alone decides, so that each instance decides the
/// same, and again after an abort.
inline bool IsReleased(const RoutingOptions& options, const Verdict& verdict,
                       const InputPartition& input, int64_t offset) {
  if (verdict.decision != Decision::kDuplicate) return false;
  const uint32_t one_of = verdict.match.kind == MatchKind::kExact ? options.release_exact_one_of
                                                                  : options.release_near_one_of;
  if (one_of == 0) return false;
  const auto partition = static_cast<uint64_t>(static_cast<uint32_t>(input.partition));
  return Mix64(static_cast<uint64_t>(offset) ^ partition << 40) % one_of == 0;
}

/// `replaces`: the record takes the place of an earlier one of its group (JoinedGroup::replaces).
/// A dead letter by reference (RoutedRecord::by_reference) is one that the unique topic does not
/// take, so that it goes to its own topic under each mode.
inline Route RouteOf(const RoutingOptions& options, const Verdict& verdict,
                     const InputPartition& input, int64_t offset, bool by_reference,
                     bool replaces = false) {
  const bool observed = options.mode == RoutingMode::kObserve && !by_reference;
  if (observed || replaces || IsReleased(options, verdict, input, offset)) return Route::kUnique;
  if (verdict.decision == Decision::kDuplicate) {
    const bool exact = verdict.match.kind == MatchKind::kExact;
    if ((exact ? options.exact : options.near) == DuplicateRoute::kDrop) return Route::kNowhere;
  }
  return RouteOf(verdict.decision);
}

}  // namespace neardup
