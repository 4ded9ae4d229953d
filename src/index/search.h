// Look-ups: they read an index and change nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "index/index_parts.h"
#include "index/newest_marks.h"
#include "neardup/fingerprint.h"
#include "neardup/verdict.h"

namespace neardup {

/// What is looked for, and the rules an entry has to pass besides its distance.
struct IndexQuery {
  Fingerprint fingerprint;
  ProbedKeys text_keys;
  /// Distinct tokens.
  uint32_t features = 0;
  /// An entry at this position never matches.
  Position position;
  /// An entry matches only if its time is at most `window_ms` (0 or more) before or after this.
  int64_t time_ms = 0;
  int64_t window_ms = INT64_MAX;
  /// Entries before this number are left out.
  uint64_t since_id = 0;
};

struct Match {
  uint64_t id = 0;
  int distance = 0;        ///< of the simhashes
  int order_distance = 0;  ///< of the order sketches
  MatchKind kind = MatchKind::kExact;

  bool operator==(const Match&) const = default;
};

/// Exact before near, then the smaller sum of both distances, then the older: no two entries are
/// equally good.
bool Better(const Match& a, const Match& b);

/// The best match, and what it took.
struct Nearest {
  std::optional<Match> match;
  uint32_t candidates = 0;  ///< comparisons

  bool operator==(const Nearest&) const = default;
};

/// The best match of each query, in their order. Cache lines are fetched for many queries at a
/// time, so that a look-up costs the more the fewer they are.
void FindNearest(const IndexParts& parts, std::span<const IndexQuery> queries,
                 std::span<Nearest> found);

/// The best match of a query that asks for marked entries only, which were inserted just now.
Nearest FindNearestMarked(const IndexParts& parts, const NewestMarks& marks,
                          const IndexQuery& query);

/// All matches, the best one first.
std::vector<Match> FindAll(const IndexParts& parts, const IndexQuery& query);

/// Fetches what a look-up and an insertion will read into the processor's cache.
void PrefetchFor(const IndexParts& parts, const Fingerprint& fingerprint,
                 const ProbedKeys& text_keys);

}  // namespace neardup
