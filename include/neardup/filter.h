// START HERE. The near-duplicate filter as a library: records go in, verdicts come out.
//
// A Fingerprinter turns a JSON payload into a fingerprint. A Filter compares the fingerprint with
// the fingerprints of the unique records it remembers, and says whether the record is unique, a
// duplicate, or a dead letter. Both are plain objects that open no file or connection and read no
// clock; event times come with the records. A filter starts short-lived threads of its own only to
// allocate memory before it is needed and to restore faster.
//
//   #include <cstdio>
//   #include <string>
//   #include <vector>
//
//   #include "neardup/filter.h"
//
//   int main() {
//     neardup::FilterOptions options;
//     options.record.fields = {{.path = "title"}, {.path = "text"}};
//     options.window.window_ms = 24 * 3600 * 1000;
//
//     auto created = neardup::Filter::New(options);
//     if (!created.ok()) {
//       std::fprintf(stderr, "%s\n", created.error().text.c_str());
//       return 1;
//     }
//     neardup::Filter& filter = **created;
//     neardup::Fingerprinter fingerprinter(options);
//
//     const std::vector<std::string> payloads = {R"({"title": "Rain", "text": "It will rain."})",
//                                                R"({"title": "RAIN", "text": "it will rain"})",
//                                                "no JSON"};
//     for (size_t i = 0; i < payloads.size(); ++i) {
//       const neardup::Position position{.input = 0, .offset = static_cast<int64_t>(i)};
//       const int64_t time_ms = 1'769'860'800'000;  // 2026-01-31 12:00 UTC
//       const neardup::Verdict verdict =
//           filter.Decide(fingerprinter.Compute({position, time_ms, payloads[i]}));
//       switch (verdict.decision) {
//         case neardup::Decision::kUnique:
//           std::printf("%zu unique\n", i);
//           break;
//         case neardup::Decision::kDuplicate:
//           std::printf("%zu repeats %lld (%s)\n", i,
//                       static_cast<long long>(verdict.match.original.offset),
//                       neardup::Name(verdict.match.kind));
//           break;
//         case neardup::Decision::kDeadLetter:
//           std::printf("%zu cannot be compared: %s\n", i, verdict.outcome.error.c_str());
//           break;
//       }
//     }
//     filter.Commit();
//   }
//
// prints
//
//   0 unique
//   1 repeats 0 (exact)
//   2 cannot be compared: not JSON at or after byte 0: ...
//
// To survive a restart, save uncommitted() and the largest event time of each input before each
// Commit, and horizon_ms() after it. Give all of it back with the Restore functions.
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

/// Turns payloads into fingerprints. Equal options give equal fingerprints on every machine.
/// Keeps scratch memory: use one instance per thread, in as many threads as you like.
class Fingerprinter {
 public:
  /// The options must be valid (see CheckOptions); invalid options fail an assertion.
  explicit Fingerprinter(const FilterOptions& options);
  ~Fingerprinter();
  Fingerprinter(Fingerprinter&&) noexcept;
  Fingerprinter& operator=(Fingerprinter&&) noexcept;

  /// Never fails: a record that cannot be fingerprinted comes back with a reason in its outcome.
  FingerprintedRecord Compute(const RecordView& record);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// Fails with kConfig if an option is out of range or contradicts another. The text names the first
/// one and what is allowed.
Result<void> CheckOptions(const FilterOptions& options);

/// Upper bound of Filter::bytes(), in bytes, while at most `uncommitted_max` entries are
/// uncommitted and no call of Restore gets more than `uncommitted_max` entries.
uint64_t FilterBytesMax(const FilterOptions& options, uint64_t uncommitted_max);

/// Decides records in the order in which they are given, and remembers the unique ones as entries.
///
/// Decisions are provisional until Commit; Rollback undoes all of them since the last Commit.
/// Entries expire only in Commit, so that a Rollback is exact. Provisional entries never expire.
///
/// Only one thread at a time may use a filter. As an exception, const members may run on any number
/// of threads while no other member runs.
class Filter {
 public:
  /// Fails with kConfig if CheckOptions refuses the options.
  static Result<std::unique_ptr<Filter>> New(const FilterOptions& options);
  ~Filter();
  Filter(const Filter&) = delete;
  Filter& operator=(const Filter&) = delete;

  // --- Time ---

  /// From now on, event times later than `now_ms` + WindowOptions::ahead_max_ms are set back to
  /// that limit (clamped). Until the first call no event time is clamped.
  void SetClock(int64_t now_ms);
  /// Says whether an input partition is idle. Set it when the partition was read to its end and has
  /// been silent for a while. An idle input does not hold the watermark back.
  void SetIdle(uint32_t input, bool idle);

  // --- Inputs ---

  /// Sets whether an input partition is retired. No verdict names a record of a retired partition
  /// as the original. The entries of the partition count as entries until they are forgotten. At
  /// first no partition is retired.
  void SetRetired(uint32_t input, bool retired);

  // --- Decisions ---

  /// Decides one record, and remembers it if it is unique. A record never matches an entry at its
  /// own position.
  Verdict Decide(const FingerprintedRecord& record);

  /// Looks up many records at once, which is most of the work of deciding them. Several threads may
  /// each take part of a batch. Larger batches cost less per record, up to about 256 records.
  /// `found` must be as long as `records`.
  void LookUp(std::span<const FingerprintedRecord> records, std::span<LookedUp> found) const;
  /// Gives the same verdict as Decide(record), with less work. `found` must come from a LookUp of
  /// the same record in this filter. Entries added since then are looked up here. Everything is
  /// looked up again after a Rollback or Restore, or if SetClock has moved the record's event time.
  Verdict Decide(const FingerprintedRecord& record, const LookedUp& found);

  /// Loads into the processor's cache what Decide will read for the records that follow
  /// `records[next]` closely. Call it for each record of a batch before that record is decided.
  /// Changes nothing in the filter.
  void Prefetch(std::span<const FingerprintedRecord> records, size_t next) const;

  /// Returns all matches of the record but the suspect ones, the best first; the first is the one
  /// that Decide would name. Entries beyond GuaranteedDistance may be missing. Changes nothing.
  std::vector<Match> FindAll(const FingerprintedRecord& record) const;

  /// Call it when the decisions so far are being saved: the next Commit covers only them. Records
  /// decided in between stay provisional, and are late by the horizon that this Commit will bring.
  /// Without this call, a Commit covers all decisions before it.
  void BeginCommit();
  /// Makes decisions permanent, advances the horizon, and drops entries that are older than the
  /// horizon or beyond capacity. Invalidates the spans of uncommitted().
  void Commit();
  /// Undoes all decisions since the last Commit, also those that a BeginCommit covers.
  void Rollback();

  /// Entries that are not permanent yet, in the order of their decisions.
  std::span<const Entry> uncommitted() const;

  /// From now on, TakeForgotten returns the records that the filter has forgotten since the last
  /// call, in the order in which it remembered them. Take them after each Commit and each call of a
  /// Restore function, because they take memory until then.
  void KeepForgotten();
  std::vector<ForgottenRecord> TakeForgotten();

  // --- Recovery: rebuilds the state from a log of committed work. Nothing may be uncommitted. ---

  /// Adds entries in the order in which they were committed.
  void Restore(std::span<const Entry> entries);
  /// Restoring many entries is faster between BeginRestore and EndRestore. The filter must be empty
  /// before, and only the Restore functions may be called in between.
  void BeginRestore();
  void EndRestore();
  /// Sets the largest event time seen on an input; call it for each input.
  void RestoreTime(uint32_t input, int64_t time_ms);
  void RestoreHorizon(int64_t horizon_ms);

  // --- State. Times are milliseconds since 1970-01-01 UTC. ---

  /// The smallest of the inputs' largest event times, without idle inputs and a few wrong clocks
  /// (detect/filter/watermark.h). If all inputs are idle, the largest of these times. Never
  /// decreases from one Commit to the next, except in Rollback. INT64_MIN before the first record.
  int64_t watermark_ms() const;
  /// Entries older than this are dropped. Moves only in Commit and RestoreHorizon, and never back.
  int64_t horizon_ms() const;
  /// The time of an input in the watermark, committed or not; INT64_MIN if there is none.
  int64_t time_ms(uint32_t input) const;

  uint64_t entries() const;
  /// Entries are numbered in the order in which they are added. Those that are left have the
  /// numbers [begin_number, end_number); a Rollback gives back the numbers of dropped entries.
  uint64_t begin_number() const;
  uint64_t end_number() const;
  /// Entries dropped for capacity while they were still inside the window.
  uint64_t entries_evicted() const;
  /// Entries dropped because they were older than the horizon.
  uint64_t entries_expired() const;
  /// Memory held by the index and the uncommitted entries.
  uint64_t bytes() const;
  /// Comparisons made by all look-ups so far.
  uint64_t candidates() const;
  /// Text keys that were not stored, because their line in the index was full. A near duplicate
  /// that only such a key would have found counts as unique.
  uint64_t keys_refused() const;
  /// Event time of the oldest entry; INT64_MIN if there is none.
  int64_t oldest_time_ms() const;
  /// Returns how full the index is. It reads every bucket, which takes milliseconds, and some
  /// hundred milliseconds if WindowOptions::entries_max is tens of millions.
  IndexStatistics Statistics() const;

 private:
  struct State;
  explicit Filter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace neardup
