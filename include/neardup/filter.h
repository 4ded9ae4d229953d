// START HERE. The embeddable near-duplicate filter: records in, verdicts out. No Kafka, no clock,
// no files, no threads inside.
//
//   auto filter = neardup::Filter::New(options);             // check filter.ok()
//   neardup::Fingerprinter fingerprinter(options);
//   auto record = fingerprinter.Compute({position, time_ms, payload});
//   neardup::Verdict verdict = (*filter)->Decide(record);
//   (*filter)->Commit();                                     // now it is remembered for good
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "neardup/entry.h"
#include "neardup/fingerprint.h"
#include "neardup/options.h"
#include "neardup/record.h"
#include "neardup/result.h"
#include "neardup/verdict.h"

namespace neardup {

/// Payload -> fingerprint. Keeps scratch memory: one instance per thread, any number of threads.
/// Equal options give equal fingerprints on every machine.
class Fingerprinter {
 public:
  /// The options must be valid (Filter::New and CheckOptions say so); invalid ones assert.
  explicit Fingerprinter(const FilterOptions& options);
  ~Fingerprinter();
  Fingerprinter(Fingerprinter&&) noexcept;
  Fingerprinter& operator=(Fingerprinter&&) noexcept;

  /// Never fails: what cannot be fingerprinted comes back with a reason.
  FingerprintedRecord Compute(const RecordView& record);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// Names the first option that is out of range or contradictory, and the range.
Result<void> CheckOptions(const FilterOptions& options);

/// Most that Filter::bytes() can come to while at most `uncommitted_max` entries are uncommitted,
/// or given to one Restore. nullopt for another scheme than the filter's own: its entries are as
/// large as their records make them.
std::optional<uint64_t> FilterBytesMax(const FilterOptions& options, uint64_t uncommitted_max);

/// Decides records in the order they are given, remembering the unique ones.
/// Entries are provisional until Commit; Rollback forgets every decision since the last Commit.
/// Expiry happens only in Commit, so a Rollback is exact. One thread at a time; const members may
/// run on any number of threads while no other member does.
class Filter {
 public:
  static Result<std::unique_ptr<Filter>> New(const FilterOptions& options);
  ~Filter();
  Filter(const Filter&) = delete;
  Filter& operator=(const Filter&) = delete;

  /// Event times further ahead of `now_ms` than ahead_max_ms are clamped from now on. Without a
  /// call nothing is clamped.
  void SetClock(int64_t now_ms);
  /// An idle input partition (read to its end, silent for a while) does not hold the watermark.
  void SetIdle(uint32_t input, bool idle);

  /// Fetches what deciding the record will touch into the processor's cache, and changes nothing.
  /// Of a batch, call it for the record some 8 places ahead of the one that is decided.
  void Prefetch(const FingerprintedRecord& record) const;
  /// Looks the record up, and remembers it if it is unique. An entry at the record's own position
  /// never matches.
  Verdict Decide(const FingerprintedRecord& record);

  /// The larger part of deciding, ahead and for many: the threads of a pool may each take a part of
  /// a batch. Costs less for each record the more there are; 256 are enough.
  void LookUp(std::span<const FingerprintedRecord> records, std::span<LookedUp> found) const;
  /// The same verdict as without `found`, which must come from a LookUp of the same record in this
  /// filter. It saves work as long as it is recent: what was decided and committed since is looked
  /// up here; after a Rollback or Restore, or where the clamp has moved this record, all is.
  Verdict Decide(const FingerprintedRecord& record, const LookedUp& found);

  /// All remembered records that this one repeats, best first (as Decide ranks them); what Decide
  /// would not be certain to meet may be missing, as there. Changes nothing.
  std::vector<Match> FindAll(const FingerprintedRecord& record) const;

  /// Makes all decisions since the last Commit permanent, moves the horizon, drops what is older or
  /// beyond capacity. The spans of uncommitted() are invalid afterwards.
  void Commit();
  void Rollback();

  /// Entries added since the last Commit, in order of decision.
  std::span<const Entry> uncommitted() const;

  /// Rebuilds state from a log of committed work: entries in their order, then for each input the
  /// largest event time seen. Nothing may be uncommitted.
  void Restore(std::span<const Entry> entries);
  /// Many are restored faster between these two, into a filter that remembers nothing yet; only the
  /// Restore... may be called in between.
  void BeginRestore();
  void EndRestore();
  void RestoreTime(uint32_t input, int64_t time_ms);
  void RestoreHorizon(int64_t horizon_ms);

  /// Smallest of the inputs' largest event times; INT64_MIN before the first record.
  int64_t watermark_ms() const;
  /// Entries older than this may be forgotten; moves only in Commit, never back.
  int64_t horizon_ms() const;
  /// Largest event time seen on an input, committed or not; INT64_MIN if none.
  int64_t time_ms(uint32_t input) const;

  uint64_t entries() const;
  uint64_t entries_evicted() const;  ///< dropped by capacity while still inside the window
  uint64_t entries_expired() const;  ///< dropped by time
  uint64_t bytes() const;            ///< memory of the index now
  uint64_t candidates() const;       ///< comparisons of all look-ups so far
  int64_t oldest_time_ms() const;    ///< event time of the oldest entry; INT64_MIN if none
  /// Reads every bucket, which takes milliseconds, and some hundred of them where
  /// WindowOptions::entries_max is tens of millions. nullopt with another scheme than the filter's
  /// own.
  std::optional<IndexStatistics> Statistics() const;

 private:
  struct State;
  explicit Filter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace neardup
