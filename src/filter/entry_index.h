// The entries that are remembered, whatever tells duplicates: the seam between the filter's window
// and the indexes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "fingerprint/scheme.h"
#include "neardup/filter.h"

namespace neardup {

/// The entry a record repeats.
struct FoundEntry {
  Position origin;
  int distance = 0;
  MatchKind kind = MatchKind::kExact;
};

/// Entries in order of arrival under 64-bit running numbers; the live ones are
/// [begin_id, end_id).
class EntryIndex {
 public:
  virtual ~EntryIndex() = default;

  /// Fetches what a look-up of the record will read into the processor's cache, where that pays.
  virtual void Prefetch(const FingerprintedRecord&) const {}
  /// The best match of another position than the record's, whose time is at most `window_ms` before
  /// or after `time_ms`.
  virtual std::optional<FoundEntry> FindNearest(const FingerprintedRecord& record, int64_t time_ms,
                                                int64_t window_ms) = 0;
  /// What is remembered of a record when it is inserted now.
  virtual Entry MakeEntry(const FingerprintedRecord& record, int64_t time_ms) const = 0;
  virtual void Insert(const Entry& entry) = 0;
  /// Forgets the newest entries, given as they were inserted; their numbers are given again.
  virtual void Rollback(std::span<const Entry> newest) = 0;
  /// Forgets the oldest entries, those below `begin_id`.
  virtual void Expire(uint64_t begin_id) = 0;

  virtual int64_t time_ms(uint64_t id) const = 0;
  virtual uint64_t begin_id() const = 0;
  virtual uint64_t end_id() const = 0;
  virtual uint64_t bytes() const = 0;
  virtual uint64_t candidates() const = 0;
};

/// By simhash and text keys: the filter's own scheme.
std::unique_ptr<EntryIndex> NewFingerprintEntries(const FilterOptions& options);
/// By the sketches of another scheme.
std::unique_ptr<EntryIndex> NewSketchEntries(std::shared_ptr<const Scheme> scheme);

}  // namespace neardup
