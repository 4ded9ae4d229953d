// The delta: what a run of decided records adds to a lane's state. The changelog consists of deltas
// in order, and the changelog is the truth.
//
// FORMAT, version 11. Little-endian. `varint` is unsigned LEB128; `zigzag` a zigzag-coded varint;
// `text` a varint length and that many bytes of UTF-8.
//
//   magic           4 bytes  "NDLT"
//   version         u16      11; 10 without `numbers`; 9 also without `endpoint`; 8 also without
//                            `beginning` to `begun_horizon_ms`; 7 also without `lanes`; 6 also
//                            without `groups`; 5 also without `dropped`, which is then 0; 4 also
//                            without `log_id` to `writer_before` and `pipeline`; 3 also without
//                            `learned`
//   lane            u16
//   epoch           u64      grows with every promotion of the lane
//   seq_first       u64      seq of the first decided record; seq_last + 1 when there is none
//   seq_last        u64
//   watermark_ms    i64
//   horizon_ms      i64      in force when the records were decided; committing the delta moves it
//                            to watermark - window - lateness, if that is later
//   window_ms       i64      in force when the records were decided, like the next two
//   entries_max     u64
//   distance_max    u8
//   entries_live    u64      how many of the newest entries, with the entries of this delta, are
//                            live at horizon_ms and entries_max; 2^64 - 1: unknown
//   settings_seq    u64      seq of the first record decided under this FingerprintSpec: 1, unless
//                            the lane was indexed again under new settings
//   fresh           u8       1: the state begins from nothing with this delta, whatever was before;
//                            else 0
//   learned         text     what the lane learned from its stream (LearnedText); since version 4
//   log_id          u64      `writer` of the first delta of this log; since version 5
//   writer          u64      drawn at random by each promotion; since version 5. 0, only since
//                            version 11: a filter without a lane wrote it
//   writer_before   u64      `writer` of the delta before this one; 0 if there is none, or if that
//                            delta is of an older version; since version 5
//   dropped         u64      how many duplicates of the lane went to no topic
//                            (DuplicateRoute::kDrop), up to seq_last; not 0 in version 6; since
//                            version 6
//   beginning       u8       1: the lane began with the entries of a history; 2: with entries of
//                            lanes of another number; 0: with nothing, never in version 9. Since
//                            version 9. Without: 0
//   unfinished      u8       1: a later delta of the same writer says that the entries of this
//                            beginning are complete; until then no lane may start. Else 0. Since
//                            version 9
//   begun_seq       u64      seq of the first record after this beginning; since version 9
//   begun_horizon_ms  i64    the horizon at this beginning; since version 9
//   endpoint        text     where other instances see whether the process that wrote the delta
//                            runs (Lease::endpoint); not empty in version 10; since version 10
//   spec            text     FingerprintSpec of the filter
//   topics          varint count, then text each; distinct, ascending
//   inputs          varint count, then each: varint topic index, varint partition,
//                   zigzag next_offset, i64 time_ms (largest event time seen, INT64_MIN if none)
//   pipeline        varint count, then each: varint topic index of an input topic, ascending;
//                   text each: the names or templates of the unique, duplicate and dead-letter
//                   topic. All empty: not known. Since version 5
//   lanes           varint   how many lanes the app has, 2 or more in version 8; since version 8.
//                            Without: 1
//   entries         varint count, then each: u64 simhash, u64 order, u64 exact, u64 numbers (since
//                   version 11, where an entry has some; without: 0), zigzag (time_ms - time_ms of
//                   the previous entry, 0 at first; modulo 2^64), varint index into inputs, varint
//                   offset (0 or more), u8 number of text keys (0 to 3), u32 each, two bytes 0
//   groups          varint count, at least 1 in version 7, then each group that changed, as it is
//                   after the commit that the delta belongs to: position original, varint
//                   entries_after (how many entries came after the original's entry, up to the end
//                   of this delta), i64 original_time_ms, varint copies (1 or more), position last,
//                   i64 last_time_ms, position newest, i64 newest_time_ms; a position is a varint
//                   index into inputs and a varint offset. Since version 7
//   checksum        u64      XXH3-64 of all earlier bytes
//
// A delta is complete in itself: it names every input of the lane, not only those that moved, so
// that the newest delta alone says where to resume, and which topics the lane reads and writes. An
// input topic of the pipeline may have no partition among the inputs: it was never read. A
// transaction may hold several deltas; they become visible together. seq is gapless: if seq_first
// is not 1 more than seq_last of the previous delta, the changelog has a hole. A fresh delta, and
// the deltas after it up to settings_seq, may hold entries of records that were decided earlier:
// the lane was indexed again.
//
// Two logs may hold deltas with the same epochs and seqs: the topic was deleted and created again,
// or restored from an older copy, and went on from there. Their deltas differ in the writer. So a
// delta continues what a reader knows only if it names the writer of the newest delta that the
// reader knows (FollowsDelta).
//
// The first delta of a lane that learned its settings holds them. So does the first delta of every
// 256th commit (LaneState::kCommitsPerLearned), and the first delta of an index that `neardup
// reindex` made; `learned` is empty in the others. A purge keeps one of them at the beginning of
// the changelog, so that a start finds the settings at once.
//
// Version 2 has no entries_live (it counts as unknown), settings_seq (1) and fresh (0), and is
// still read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "neardup/filter.h"
#include "neardup/result.h"
#include "stream/state/groups.h"
#include "stream/state/pipeline.h"
#include "stream/state/route.h"

namespace neardup {

// How a lane began: from nothing, or with entries of records that it has not decided itself.

/// Where the entries come from that a lane had before its first decision.
enum class BeganWith : uint8_t {
  kNothing,  ///< there were none
  kHistory,  ///< records that were decided elsewhere (`neardup import`)
  kLanes,    ///< the same app with another number of lanes (`neardup lanes migrate`)
};

struct Beginning {
  BeganWith with = BeganWith::kNothing;
  /// More of the entries follow, so that no lane may start here.
  bool unfinished = false;
  uint64_t seq = 1;  ///< of the first record that the lane decides afterwards
  /// Older entries were forgotten before.
  int64_t horizon_ms = INT64_MIN;

  bool operator==(const Beginning&) const = default;
};

/// A fatal kMismatch: the beginning is unfinished. Says how to repeat it. `lanes`: how many lanes
/// the app has afterwards. `changelog`: its name.
Error BeginningIsUnfinished(const Beginning& beginning, int lanes, std::string_view changelog);

/// A delta is closed when its entries pass this size. So it stays below the 1 MB that a broker
/// takes by default, even if it names thousands of input partitions.
inline constexpr size_t kDeltaBytesTarget = size_t{192} << 10;

/// Delta::entries_live of a delta that does not say it.
inline constexpr uint64_t kEntriesUnknown = UINT64_MAX;

/// A group that the decided records changed.
struct ChangedGroup : Group {
  uint64_t entries_after = 0;

  bool operator==(const ChangedGroup&) const = default;
};

/// The fields are described with the format above.
struct Delta {
  uint16_t lane = 0;
  uint64_t epoch = 0;
  uint64_t seq_first = 1;
  uint64_t seq_last = 0;
  int64_t watermark_ms = INT64_MIN;
  int64_t horizon_ms = INT64_MIN;
  int64_t window_ms = 0;
  uint64_t entries_max = 0;
  int distance_max = 0;
  uint64_t entries_live = kEntriesUnknown;
  uint64_t settings_seq = 1;
  bool fresh = false;
  std::string learned{};
  uint64_t log_id = 0;
  uint64_t writer = 0;  ///< 0: a delta of version 4 or older, or of a filter without a lane
  uint64_t writer_before = 0;
  uint64_t dropped = 0;
  /// Other than the default only in a delta with a writer.
  Beginning beginning{};
  /// Not empty only in a delta with a writer.
  std::string endpoint{};
  std::string spec;
  std::vector<InputProgress> inputs;
  /// Not known in deltas of versions before 5. Known only in a delta with a writer.
  PipelineTopics pipeline{};
  /// Position::input is an index into `inputs`.
  std::vector<Entry> entries;
  /// Their positions name inputs as the positions of the entries do.
  std::vector<ChangedGroup> groups{};

  bool operator==(const Delta&) const = default;
};

std::string Encode(const Delta& delta);
/// At least what an entry takes in an encoded delta: simhash, order, exact, numbers, the longest
/// varints of time, input and offset, three text keys, and two zeros.
inline constexpr size_t kEncodedEntryBytesMax = 4 * 8 + 10 + 5 + 9 + 1 + 3 * 4 + 2;
/// At least what a group takes in an encoded delta: its three positions with at most 5 and 7 bytes,
/// three times, and two numbers.
inline constexpr size_t kEncodedGroupBytesMax = 3 * (5 + 7) + 3 * 8 + 2 * 10;
/// kCorrupt names the byte offset and what was expected. Never reads outside `bytes`.
Result<Delta> DecodeDelta(std::string_view bytes);

/// True if `next` is not fresh and continues a log whose newest delta has this writer and seq_last.
/// Also true if `next` is a delta of this writer that decided nothing and is read again.
bool FollowsDelta(const Delta& next, uint64_t writer, uint64_t seq_last);
/// kCorrupt: the delta at this offset of the changelog does not follow what its reader has read.
Error DeltaDoesNotFollow(int64_t offset);

/// True if `next` may be merged into `delta`: it follows it and is not fresh, has the same lane and
/// FingerprintSpec, names the same inputs in the same places (and perhaps more after them), and
/// both together are small enough for one delta.
bool CanMerge(const Delta& delta, const Delta& next);

/// Appends `next` to `delta`: applying the result leaves a lane as applying both in order does.
/// CanMerge must hold.
void Merge(Delta& delta, Delta&& next);

}  // namespace neardup
