// Remembers entries of a comparison scheme, and finds the one nearest to a sketch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "index/match.h"
#include "neardup/entry.h"
#include "neardup/verdict.h"
#include "schemes/scheme.h"

namespace neardup {

/// The counterpart of Index for comparison schemes, written to be simple and not to be fast.
///
/// It holds entries in order of arrival and numbers them consecutively in 64 bits; the live ones
/// are [begin_id, end_id). The candidates of a look-up are the entries that share a key with the
/// record, or all entries with Scheme::scans_all. A candidate is a match if Scheme::Distance
/// accepts it, its position is not the record's, and its event time is inside the window. The
/// index uses only the sketch, the event time, the position and Fingerprint::exact of an Entry.
/// Only one thread may use it.
class SketchIndex {
 public:
  /// `scheme` must outlive the index. `begin_id` is the number of the first entry.
  explicit SketchIndex(const Scheme& scheme, uint64_t begin_id = 0);

  /// Returns the entry's number.
  uint64_t Insert(const Entry& entry);
  /// Forgets the newest entries: those from number `end_id` on. Their numbers are used again.
  void Rollback(uint64_t end_id);
  /// Forgets the oldest entries: those with numbers below `begin_id`.
  void Expire(uint64_t begin_id);

  /// Finds the best match of a record that is given as the entry it would become: the smallest
  /// distance, then the oldest entry. `window_ms`: 0 or more. Entries with numbers below `since_id`
  /// are left out.
  std::optional<EntryMatch> FindNearest(const Entry& sought, int64_t window_ms = INT64_MAX,
                                        uint64_t since_id = 0);

  /// Returns all matches, the best first.
  std::vector<EntryMatch> FindAll(const Entry& sought, int64_t window_ms,
                                  uint64_t since_id = 0) const;

  /// Describes a match of a live entry by position and event time.
  Match MatchOf(const EntryMatch& found) const {
    return {entry(found.id).origin,
            entry(found.id).time_ms,
            found.distance,
            found.kind,
            false,
            found.id};
  }

  int64_t time_ms(uint64_t id) const { return entry(id).time_ms; }
  Position origin(uint64_t id) const { return entry(id).origin; }
  uint64_t begin_id() const { return begin_id_; }
  uint64_t end_id() const { return begin_id_ + entries_.size(); }
  uint64_t size() const { return entries_.size(); }
  /// Memory held by entries, keys and the table of keys, without the overhead of the allocator.
  uint64_t bytes() const;
  /// Comparisons made by FindNearest so far.
  uint64_t candidates() const { return candidates_; }

 private:
  /// `content` holds the words and then the keys; no keys with Scheme::scans_all.
  struct Stored {
    std::vector<uint64_t> content;
    uint32_t word_count = 0;
    int64_t time_ms = 0;
    Position origin;
    uint64_t exact = 0;

    std::span<const uint64_t> words() const { return std::span(content).first(word_count); }
    std::span<const uint64_t> keys() const { return std::span(content).subspan(word_count); }
  };
  /// The entries that have a key, in ascending order. The first `dead` of them are forgotten.
  struct KeyEntries {
    std::vector<uint64_t> ids;
    size_t dead = 0;
  };

  const Stored& entry(uint64_t id) const { return entries_[id - begin_id_]; }
  void RemoveNewest(uint64_t key);
  void RemoveOldest(uint64_t key);
  /// Sets `met` to the numbers of all entries that share a key with `sought`, in ascending order.
  void Meet(const Sketch& sought, std::vector<uint64_t>& met) const;
  /// Whether position and window allow a match.
  static bool MayMatch(const Stored& stored, const Entry& sought, int64_t window_ms);
  /// Returns the match if the scheme accepts the distance.
  std::optional<EntryMatch> Compare(uint64_t id, const Entry& sought) const;

  const Scheme& scheme_;
  bool scans_all_;
  uint64_t begin_id_;
  std::deque<Stored> entries_;
  std::unordered_map<uint64_t, KeyEntries> entries_by_key_;
  uint64_t held_words_ = 0;  ///< 64-bit words allocated by entries_ and entries_by_key_
  uint64_t candidates_ = 0;
  std::vector<uint64_t> met_;  ///< scratch memory of FindNearest
};

}  // namespace neardup
