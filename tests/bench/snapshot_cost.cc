#include "bench/snapshot_cost.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>

#include "stream/state/lane_state.h"
#include "stream/state/snapshot_restore.h"
#include "stream/state/snapshot_writer.h"

namespace neardup {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr size_t kEntriesPerDelta = 4000;
constexpr uint64_t kSeed = 1;
const InputPartition kInput{"bench", 0};

double SecondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

FilterOptions Options(uint64_t entries) {
  FilterOptions options;
  options.window.entries_max = std::max<uint64_t>(entries, 1000);
  return options;
}

/// Makes uniform fingerprints, as unrelated records have. An entry has 3 text keys, and a
/// record looks up 8.
class Codes {
 public:
  explicit Codes(uint64_t seed) : random_(seed) {}

  FingerprintedRecord Record(int64_t offset) {
    FingerprintedRecord record;
    record.position = {0, offset};
    record.outcome.time_ms = offset / 1000;
    record.fingerprint = {random_(), random_(), random_(), random_()};
    record.features = 40;
    while (!record.text_keys.full()) record.text_keys.Add(static_cast<uint32_t>(random_()) | 1U);
    return record;
  }
  Entry NewEntry(int64_t offset) {
    Entry entry;
    entry.fingerprint = {random_(), random_(), random_(), random_()};
    entry.time_ms = offset / 1000;
    entry.origin = {0, offset};
    while (!entry.text_keys.full()) entry.text_keys.Add(static_cast<uint32_t>(random_()) | 1U);
    return entry;
  }

 private:
  std::mt19937_64 random_;
};

/// Makes the deltas of a lane that finds every record unique.
class Deltas {
 public:
  explicit Deltas(const FilterOptions& options) : spec_(FingerprintSpec(options)) {}

  Delta Next(size_t entries) {
    Delta delta;
    delta.epoch = 1;
    delta.seq_first = seq_ + 1;
    delta.spec = spec_;
    for (size_t i = 0; i < entries; ++i) {
      delta.entries.push_back(codes_.NewEntry(static_cast<int64_t>(seq_++)));
    }
    delta.seq_last = seq_;
    delta.watermark_ms = static_cast<int64_t>(seq_) / 1000;
    delta.inputs = {{kInput, static_cast<int64_t>(seq_), delta.watermark_ms}};
    return delta;
  }
  uint64_t seq() const { return seq_; }

 private:
  std::string spec_;
  Codes codes_{kSeed};
  uint64_t seq_ = 0;
};

Result<void> AppendTo(SnapshotWriter& writer, Deltas& deltas, uint64_t entries) {
  for (uint64_t left = entries; left > 0;) {
    const size_t some = std::min<uint64_t>(left, kEntriesPerDelta);
    const auto offset = static_cast<int64_t>(deltas.seq());
    NEARDUP_TRY(writer.Append(deltas.Next(some), {offset, 0}));
    left -= some;
  }
  return writer.Publish(0);
}

/// Decides unrelated records, at least `records_min` and then until `stop()`. Returns the longest
/// single decision in ms.
template <class Stop>
double LongestDecision(LaneState& state, Codes& codes, int64_t& offset, size_t records_min,
                       const Stop& stop) {
  double longest_s = 0;
  for (size_t i = 0; i < records_min || !stop(); ++i) {
    const FingerprintedRecord record = codes.Record(offset++);
    const auto begin = Clock::now();
    state.filter().Decide(record);
    if (i % kEntriesPerDelta == 0) state.filter().Commit();
    longest_s = std::max(longest_s, SecondsSince(begin));
  }
  return longest_s * 1e3;
}

Result<std::vector<Measurement>> MeasureIn(const fs::path& folder, uint64_t entries) {
  const FilterOptions options = Options(entries);
  std::vector<Measurement> found;
  const auto tell = [&](const std::string& name, double value, const char* unit) {
    found.push_back({name, value, unit});
  };

  Deltas deltas(options);
  NEARDUP_ASSIGN(const std::unique_ptr<SnapshotWriter> writer,
                 SnapshotWriter::New(folder, 0, FingerprintSpec(options), std::nullopt));
  auto begin = Clock::now();
  NEARDUP_TRY(AppendTo(*writer, deltas, entries));
  tell("snapshot_write_s", SecondsSince(begin), "s");
  tell("snapshot_bytes_per_entry",
       static_cast<double>(writer->published()->bytes()) / static_cast<double>(entries), "bytes");

  begin = Clock::now();
  NEARDUP_ASSIGN(std::optional<RestoredSnapshot> restored, RestoreSnapshot(folder, options, 0, {}));
  const double seconds = SecondsSince(begin);
  if (!restored || restored->state->filter().entries() != entries) {
    return Error{ErrorCode::kInternal,
                 "the snapshot restored another number of entries than was written"};
  }
  tell("snapshot_restore_s", seconds, "s");
  tell("snapshot_restore_entries_per_s", static_cast<double>(entries) / seconds, "1/s");

  Codes codes(kSeed + 1);
  auto offset = static_cast<int64_t>(entries);
  LaneState& state = *restored->state;
  const size_t records = entries / 20;
  LongestDecision(state, codes, offset, records, [] { return true; });
  tell("decide_longest_ms_alone",
       LongestDecision(state, codes, offset, records, [] { return true; }), "ms");
  std::atomic<bool> written = false;
  Result<void> outcome;
  std::thread writing([&] {
    outcome = AppendTo(*writer, deltas, entries / 100);
    written = true;
  });
  const double pause_ms =
      LongestDecision(state, codes, offset, records, [&] { return written.load(); });
  writing.join();
  if (!outcome.ok()) return outcome.error();
  tell("snapshot_pause_ms", pause_ms, "ms");
  return found;
}

}  // namespace

Result<std::vector<Measurement>> MeasureSnapshot(uint64_t entries, const fs::path& parent) {
  const fs::path folder = parent / ("neardup-bench-snapshot-" + std::to_string(getpid()));
  fs::create_directories(folder);
  Result<std::vector<Measurement>> found = MeasureIn(folder, entries);
  fs::remove_all(folder);
  return found;
}

}  // namespace neardup
