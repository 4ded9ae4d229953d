// The look-ups of an index: they read it and change nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "detect/index/block_layout.h"
#include "detect/index/block_table.h"
#include "detect/index/entry_store.h"
#include "detect/index/key_table.h"
#include "detect/index/line_heap.h"
#include "detect/index/match.h"
#include "neardup/fingerprint.h"
#include "neardup/options.h"
#include "neardup/record.h"

namespace neardup {

/// The parts of an index: Index writes them, look-ups read them.
struct IndexParts {
  MatchOptions match;
  BlockLayout layout;
  EntryStore entries;
  std::unique_ptr<LineHeap> heap;     ///< holds the postings of all tables
  std::vector<BlockTable> tables;     ///< one for each table of the layout
  std::optional<KeyTable> text_keys;  ///< if the match options use text keys
  /// The index is Position::input. An input beyond the end is not retired. Entries of a retired
  /// input never match.
  std::vector<bool> retired = {};

  LiveIds live() const {
    return {static_cast<uint32_t>(entries.begin_id()), static_cast<uint32_t>(entries.size())};
  }
  /// Returns the number of the live entry whose low 32 bits are `id`.
  uint64_t FullId(uint32_t id) const {
    return entries.begin_id() + (id - static_cast<uint32_t>(entries.begin_id()));
  }
  bool IsRetired(uint32_t input) const { return input < retired.size() && retired[input]; }
  /// The fingerprint that an entry stores. If only equal records match, nothing reads `order`, and
  /// all bits of `exact` take its place.
  Fingerprint Kept(const Fingerprint& fingerprint) const {
    if (!ExactOnly(match)) return fingerprint;
    return {fingerprint.simhash, fingerprint.exact, fingerprint.exact};
  }
};

/// One look-up.
struct IndexQuery {
  Fingerprint fingerprint;
  ProbedKeys text_keys;
  /// Number of distinct tokens.
  uint32_t features = 0;
  /// An entry at this position never matches.
  Position position;
  /// An entry matches only if its time is at most `window_ms` (0 or more) before or after this.
  int64_t time_ms = 0;
  int64_t window_ms = INT64_MAX;
  /// Entries before this number are ignored.
  uint64_t since_id = 0;
};

/// The result of one look-up.
struct Nearest {
  std::optional<EntryMatch> match;
  uint32_t candidates = 0;  ///< comparisons made

  bool operator==(const Nearest&) const = default;
};

/// Finds the best match of each query; found[i] belongs to queries[i]. Prefetches cache lines for
/// many queries at a time, so that a look-up costs less the more queries there are.
void FindNearest(const IndexParts& parts, std::span<const IndexQuery> queries,
                 std::span<Nearest> found);

/// Finds the best match of a query whose since_id is at least marks.begin_id(): it asks only for
/// entries that the marks cover.
Nearest FindNearestMarked(const IndexParts& parts, const NewestMarks& marks,
                          const IndexQuery& query);

/// Returns all matches but the suspect ones, the best first.
std::vector<EntryMatch> FindAll(const IndexParts& parts, const IndexQuery& query);

}  // namespace neardup
