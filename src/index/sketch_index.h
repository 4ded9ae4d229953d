// The entries of a scheme, and which of them is nearest to a sketch.
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

/// Entries in order of arrival under 64-bit running numbers; the live ones are
/// [begin_id, end_id). An entry is a match when Scheme::Distance takes it, and it is met. Met is
/// every entry that shares a key with what is looked for, or just every entry with
/// Scheme::scans_all. The same contract as Index, for any scheme; made to be plain. One owner
/// thread.
class SketchIndex {
 public:
  /// `scheme` must outlive the index. `begin_id` is the number of the first entry.
  explicit SketchIndex(const Scheme& scheme, uint64_t begin_id = 0);

  /// Returns the entry's number.
  uint64_t Insert(const Entry& entry);
  /// Forgets the newest entries, those from `end_id` on; their numbers are given again.
  void Rollback(uint64_t end_id);
  /// Forgets the oldest entries, those below `begin_id`.
  void Expire(uint64_t begin_id);

  /// The best match of another position than `sought.origin`, whose time is at most `window_ms` (0
  /// or more) before or after: the smallest distance, then the oldest.
  std::optional<EntryMatch> FindNearest(const Entry& sought, int64_t window_ms = INT64_MAX);

  /// All of them, the best first.
  std::vector<EntryMatch> FindAll(const Entry& sought, int64_t window_ms) const;

  /// The match that an EntryMatch of a live entry names.
  Match MatchOf(const EntryMatch& found) const {
    return {entry(found.id).origin, entry(found.id).time_ms, found.distance, found.kind};
  }

  int64_t time_ms(uint64_t id) const { return entry(id).time_ms; }
  uint64_t begin_id() const { return begin_id_; }
  uint64_t end_id() const { return begin_id_ + entries_.size(); }
  uint64_t size() const { return entries_.size(); }
  /// Memory held: entries, keys and the table of keys, without what the allocator adds.
  uint64_t bytes() const;
  /// Entries compared by all look-ups so far.
  uint64_t candidates() const { return candidates_; }

 private:
  /// `words` and then, where entries are met by them, the keys.
  struct Stored {
    std::vector<uint64_t> content;
    uint32_t word_count = 0;
    int64_t time_ms = 0;
    Position origin;
    uint64_t exact = 0;

    std::span<const uint64_t> words() const { return std::span(content).first(word_count); }
    std::span<const uint64_t> keys() const { return std::span(content).subspan(word_count); }
  };
  /// The entries that have a key, ascending, behind `dead` forgotten ones.
  struct Posting {
    std::vector<uint64_t> ids;
    size_t dead = 0;
  };

  const Stored& entry(uint64_t id) const { return entries_[id - begin_id_]; }
  void RemoveNewest(uint64_t key);
  void RemoveOldest(uint64_t key);
  /// Replaces `met` by the numbers of all entries to be compared, ascending.
  void Meet(const Sketch& sought, std::vector<uint64_t>& met) const;
  /// By position and window.
  static bool MayMatch(const Stored& stored, const Entry& sought, int64_t window_ms);
  /// By distance.
  std::optional<EntryMatch> Compare(uint64_t id, const Entry& sought) const;

  const Scheme& scheme_;
  bool scans_all_;
  uint64_t begin_id_;
  std::deque<Stored> entries_;
  std::unordered_map<uint64_t, Posting> postings_;
  uint64_t held_words_ = 0;  ///< of all entries and postings
  uint64_t candidates_ = 0;
  std::vector<uint64_t> met_;  ///< of one look-up
};

}  // namespace neardup
