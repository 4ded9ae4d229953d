// The look-ups of an index: they read it and change nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "index/block_layout.h"
#include "index/block_table.h"
#include "index/entry_store.h"
#include "index/key_table.h"
#include "index/live_ids.h"
#include "index/match.h"
#include "index/newest_marks.h"
#include "neardup/fingerprint.h"
#include "neardup/options.h"
#include "neardup/record.h"

namespace neardup {

// What an index is made of: written by Index, read by its searches.

struct IndexParts {
  MatchOptions match;
  BlockLayout layout;
  EntryStore entries;
  std::vector<BlockTable> tables;     ///< of the layout
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
