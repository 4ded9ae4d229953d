// When two records are near enough to be duplicates.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "index/block_cover.h"
#include "index/block_table.h"
#include "index/entry_store.h"
#include "index/key_table.h"
#include "neardup/fingerprint.h"
#include "neardup/options.h"
#include "neardup/verdict.h"

namespace neardup {

/// How far apart two records are.
struct Nearness {
  int distance = 0;        ///< of the simhashes
  int order_distance = 0;  ///< of the order sketches
  int shared_keys = 0;     ///< text keys they have in common
  uint32_t features = 0;   ///< distinct tokens of the later record
};

/// What shared text keys add to a distance, each and at most.
inline constexpr int kBitsPerKey = 2;
inline constexpr int kWideningKeysMax = 2;

/// The largest distance that Accepts can take.
constexpr int DistanceMax(const MatchOptions& match) {
  if (match.distance_max == 0) return 0;
  return match.distance_max + (match.widen ? kBitsPerKey * kWideningKeysMax : 0);
}

/// Of records whose selected fields differ. A shared text key is evidence of its own, so with
/// `widen` it buys 2 bits, two or more buy 4, up to simhash distances of 14 and 16.
constexpr bool Accepts(const MatchOptions& match, const Nearness& nearness) {
  if (match.distance_max == 0) return false;
  const int keys = match.widen ? std::min(nearness.shared_keys, kWideningKeysMax) : 0;
  const int widening = kBitsPerKey * keys;
  int distance_max = match.distance_max;
  if (match.features_per_bit != 0) {
    const uint32_t backed = std::min(nearness.features / match.features_per_bit, uint32_t{64});
    distance_max = std::min(distance_max, static_cast<int>(backed));
  }
  return nearness.distance <= distance_max + widening &&
         nearness.distance + nearness.order_distance <= match.distance_sum_max + widening;
}

// What an index is made of: written by Index, read by its searches.

struct IndexParts {
  MatchOptions match;
  Cover cover;
  EntryStore entries;
  std::vector<BlockTable> tables;     ///< of the cover
  std::optional<KeyTable> text_keys;  ///< where they are used

  LiveIds live() const {
    return {static_cast<uint32_t>(entries.begin_id()), static_cast<uint32_t>(entries.size())};
  }
  uint64_t FullId(uint32_t id) const {
    return entries.begin_id() + (id - static_cast<uint32_t>(entries.begin_id()));
  }
  /// Where only equal records match, `exact` in all its bits is kept in the place of the order
  /// sketch, which nothing asks for then.
  Fingerprint Kept(const Fingerprint& fingerprint) const {
    if (!ExactOnly(match)) return fingerprint;
    return {fingerprint.simhash, fingerprint.exact, fingerprint.exact};
  }
};

// Look-ups: they read an index and change nothing.

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

struct EntryMatch {
  uint64_t id = 0;
  int distance = 0;        ///< of the simhashes
  int order_distance = 0;  ///< of the order sketches
  MatchKind kind = MatchKind::kExact;

  bool operator==(const EntryMatch&) const = default;
};

/// Exact before near, then the smaller sum of both distances, then the older: no two entries are
/// equally good.
bool Better(const EntryMatch& a, const EntryMatch& b);

/// The best match, and what it took.
struct Nearest {
  std::optional<EntryMatch> match;
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
std::vector<EntryMatch> FindAll(const IndexParts& parts, const IndexQuery& query);

/// Fetches what a look-up and an insertion will read into the processor's cache.
void PrefetchFor(const IndexParts& parts, const Fingerprint& fingerprint,
                 const ProbedKeys& text_keys);

}  // namespace neardup
