// bench_index: the cost of a look-up, and of a look-up with insertion and expiry, at several sizes.
// Measures the same with plainer indexes, and the cost of the cache lines alone.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "bench/index_peers.h"
#include "bench/index_workload.h"
#include "bench/line_floor.h"
#include "bench/program.h"
#include "bench/snapshot_cost.h"
#include "bench/thread_clock.h"
#include "bench/timed_index.h"

namespace neardup {
namespace {

using Kind = IndexWorkload::Kind;
using Records = std::vector<IndexWorkload::Record>;

constexpr size_t kBatch = 4096;
constexpr int kSegments = 5;
constexpr uint64_t kMillion = 1'000'000;
constexpr uint64_t kFamilyEntries = 5 * kMillion;

struct Arguments {
  std::vector<uint64_t> entries = {kMillion, 10 * kMillion, 50 * kMillion};
  uint64_t whole_entries_max = 10 * kMillion;
  int tables = 0;  ///< 0: as the index chooses
  uint64_t seed = 1;
  std::string json;
};

MatchOptions BlocksAlone() { return {.text_keys = false}; }
MatchOptions Distance7() { return {.distance_max = 7, .text_keys = false, .neighbours = true}; }

/// Decides record by record: plainer indexes have no batches.
template <class Peer>
uint64_t DecideEach(Peer& peer, const Records& records) {
  uint64_t matches = 0;
  for (const auto& record : records) {
    if (peer.Find(record)) {
      ++matches;
    } else {
      peer.Insert(record);
    }
  }
  return matches;
}

template <class Peer>
void Fill(Peer& peer, IndexWorkload& workload, uint64_t entries) {
  for (uint64_t done = 0; done < entries; done += kBatch) {
    const Records& records = workload.Next(std::min<uint64_t>(kBatch, entries - done), false);
    for (const auto& record : records) peer.Insert(record);
  }
}

struct Timed {
  double ns = 0;           ///< per record, median of the segments
  double match_share = 0;  ///< share of the records that matched
};

/// Times `work`, which takes records and returns how many of them matched. The time to make the
/// records is not counted.
template <class NextRecords, class Work>
Timed Time(uint64_t operations, const NextRecords& next_records, const Work& work) {
  std::vector<double> segments;
  uint64_t matches = 0;
  uint64_t done = 0;
  for (int segment = 1; segment <= kSegments; ++segment) {
    double spent_ns = 0;
    const uint64_t begin = done;
    for (; done < operations * static_cast<uint64_t>(segment) / kSegments; done += kBatch) {
      const Records& records = next_records();
      const double start_ns = ThreadNs();
      matches += work(records);
      spent_ns += ThreadNs() - start_ns;
    }
    segments.push_back(spent_ns / static_cast<double>(done - begin));
  }
  std::sort(segments.begin(), segments.end());
  return {segments[kSegments / 2], static_cast<double>(matches) / static_cast<double>(done)};
}

template <class Peer>
Timed TimeDeciding(Peer& peer, IndexWorkload& workload, uint64_t operations) {
  return Time(
      operations, [&]() -> const Records& { return workload.Next(kBatch); },
      [&](const Records& records) { return DecideEach(peer, records); });
}
Timed TimeDeciding(TimedIndex& index, IndexWorkload& workload, uint64_t operations) {
  return Time(
      operations, [&]() -> const Records& { return workload.Next(kBatch); },
      [&](const Records& records) { return index.Decide(records); });
}
Timed TimeLookUps(TimedIndex& index, IndexWorkload& workload, uint64_t operations) {
  return Time(
      operations, [&]() -> const Records& { return workload.NextSought(kBatch); },
      [&](const Records& records) { return index.Find(records); });
}

/// Number of cache lines that a look-up with insertion touches, computed from the structure of the
/// index for uniform SimHashes. These are, for each table: the bucket, the tags outside of it
/// (which begin anywhere in a line), and the number of the new entry. Besides: the lines of text
/// keys, the entries that are compared, the new entry, and a share of the bucket that is swept.
double LinesTouched(const TimedIndex& timed, const MatchOptions& match, const BlockLayout& layout,
                    double new_share, double entries_read) {
  constexpr double kTagsInside = kFirstTags;
  constexpr double kTagsPerLine = 32;
  const double tags =
      static_cast<double>(timed.index().size()) / static_cast<double>(layout.buckets());
  const double further = tags > kTagsInside ? (tags - kTagsInside) / kTagsPerLine + 0.5 : 0;
  const double swept = new_share * 0.5 * 2;
  return static_cast<double>(layout.tables()) * (1 + further + new_share) +
         (match.text_keys ? 8 : 0) + entries_read + new_share / 2 + swept;
}

class Bench {
 public:
  explicit Bench(const Arguments& arguments) : arguments_(arguments) {}

  Result<void> Run() {
    std::printf("%s\nseed %llu; processor times, medians of %d segments\n", MachineLine().c_str(),
                static_cast<unsigned long long>(arguments_.seed), kSegments);
    for (const uint64_t entries : arguments_.entries) {
      size_ = "_" + std::to_string(entries / kMillion) + "m";
      if (!HasRoom(entries)) continue;
      Structure("", entries, {}, Kind::kUniform);
      Structure("blocks_", entries, BlocksAlone(), Kind::kUniform);
      Structure("clustered_", entries, {}, Kind::kClustered);
      Restore(entries);
      if (entries > arguments_.whole_entries_max) continue;
      Neighbours(entries);
      Calls(entries);
      Threads(entries);
      NEARDUP_TRY(Snapshot(entries));
    }
    Family();
    if (arguments_.json.empty()) return {};
    return WriteJson(measurements_, arguments_.json);
  }

 private:
  void Add(const std::string& name, double value, const char* unit) {
    std::printf("%-40s %14.3f %s\n", (name + size_).c_str(), value, unit);
    std::fflush(stdout);
    measurements_.push_back({name + size_, value, unit});
  }
  bool HasRoom(uint64_t entries) const {
    const auto free_bytes = static_cast<uint64_t>(sysconf(_SC_AVPHYS_PAGES)) *
                            static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
    const uint64_t wanted_bytes = Index::BytesMax({.match = {}, .entries_max = entries}, entries);
    if (wanted_bytes <= free_bytes) return true;
    std::printf("skipped: %llu entries may take %llu MB, but only %llu MB are free\n",
                static_cast<unsigned long long>(entries),
                static_cast<unsigned long long>(wanted_bytes >> 20),
                static_cast<unsigned long long>(free_bytes >> 20));
    return false;
  }
  BlockLayout LayoutFor(const MatchOptions& match, uint64_t entries) const {
    if (arguments_.tables == 4) return BlockLayout::FourBlocks();
    if (arguments_.tables == 6) return BlockLayout::SixTables(BlockLayout::BucketBitsFor(entries));
    return BlockLayout::For(match, entries);
  }
  IndexWorkload Workload(Kind kind, uint64_t entries) const {
    return IndexWorkload(kind, entries * 9 / 10, arguments_.seed);
  }

  void Structure(const std::string& prefix, uint64_t entries, const MatchOptions& match,
                 Kind kind) {
    IndexWorkload workload = Workload(kind, entries);
    const BlockLayout layout = LayoutFor(match, entries);
    TimedIndex timed(match, entries, layout);
    Fill(timed, workload, entries);
    Add(prefix + "lookup_ns", TimeLookUps(timed, workload, kMillion).ns, "ns");
    const uint64_t candidates_before = timed.candidates();
    const uint64_t read_before = timed.entries_read();
    const uint64_t end_before = timed.index().end_id();
    const uint64_t operations = std::max(2 * kMillion, entries / 5);
    const Timed mixed = TimeDeciding(timed, workload, operations);
    const double candidates = static_cast<double>(timed.candidates() - candidates_before) /
                              static_cast<double>(operations);
    const double new_share =
        static_cast<double>(timed.index().end_id() - end_before) / static_cast<double>(operations);
    Add(prefix + "mixed_ns", mixed.ns, "ns");
    Add(prefix + "match_share", mixed.match_share, "1");
    Add(prefix + "candidates", candidates, "entries/record");
    Add(prefix + "bytes_per_entry",
        static_cast<double>(timed.index().bytes()) / static_cast<double>(timed.index().size()),
        "bytes");
    Add(prefix + "bytes_per_entry_max",
        static_cast<double>(
            Index::BytesMax({.match = match, .entries_max = entries, .layout = layout}, entries)) /
            static_cast<double>(entries),
        "bytes");
    const LineCost line = RandomLines(timed.index().bytes());
    Add(prefix + "random_line_ns", line.load_ns, "ns");
    Add(prefix + "random_line_fetched_ns", line.fetched_ns, "ns");
    if (kind == Kind::kUniform) {
      const double read =
          static_cast<double>(timed.entries_read() - read_before) / static_cast<double>(operations);
      const double lines = LinesTouched(timed, match, layout, new_share, read);
      Add(prefix + "lines", lines, "lines/record");
      Add(prefix + "mixed_ratio_to_floor", mixed.ns / (lines * line.load_ns), "1");
    }
    if (entries > arguments_.whole_entries_max || kind != Kind::kUniform) return;
    Peer<NaiveIndex>("naive", prefix, entries, match, mixed.ns);
    if (!match.text_keys) Peer<FlatIndex>("flat", prefix, entries, match, mixed.ns);
  }

  template <class Plain>
  void Peer(const std::string& name, const std::string& prefix, uint64_t entries,
            const MatchOptions& match, double ours_ns) {
    IndexWorkload workload = Workload(Kind::kUniform, entries);
    Plain peer(match, entries);
    Fill(peer, workload, entries);
    const Timed mixed = TimeDeciding(peer, workload, kMillion / 2);
    Add(prefix + name + "_mixed_ns", mixed.ns, "ns");
    Add(prefix + "mixed_ratio_to_" + name, mixed.ns / ours_ns, "1");
  }

  void Neighbours(uint64_t entries) {
    IndexWorkload workload = Workload(Kind::kUniform, entries);
    TimedIndex timed(Distance7(), entries);
    Fill(timed, workload, entries);
    Add("distance7_ns", TimeLookUps(timed, workload, kMillion / 2).ns, "ns");
  }

  /// Times each record by itself, while the index grows until it is full.
  void Calls(uint64_t entries) {
    IndexWorkload workload = Workload(Kind::kUniform, entries);
    TimedIndex timed({}, entries);
    std::vector<double> calls_us;
    for (uint64_t done = 0; done < entries * 5 / 4 + 2 * kMillion; done += kBatch) {
      for (const auto& record : workload.Next(kBatch)) {
        const double start_ns = ThreadNs();
        timed.DecideAlone(record);
        calls_us.push_back((ThreadNs() - start_ns) / 1000);
      }
    }
    std::sort(calls_us.begin(), calls_us.end());
    const auto count = static_cast<double>(calls_us.size());
    const auto longest_of = [&](double share) {
      return calls_us[static_cast<size_t>(share * (count - 1))];
    };
    Add("call_p50_us", longest_of(0.5), "us");
    Add("call_p999_us", longest_of(0.999), "us");
    for (const int us : {100, 1000, 5000}) {
      const auto over = std::upper_bound(calls_us.begin(), calls_us.end(), us);
      Add("calls_over_" + std::to_string(us) + "us", static_cast<double>(calls_us.end() - over),
          "calls");
    }
    Add("call_max_us", calls_us.back(), "us");
  }

  void Restore(uint64_t entries) {
    IndexWorkload workload = Workload(Kind::kUniform, entries);
    Index index({.match = {}, .entries_max = entries});
    using Clock = std::chrono::steady_clock;  // ThreadNs would miss the other threads
    Clock::duration spent{};
    index.BeginLoad();
    std::vector<Entry> log;
    for (uint64_t done = 0; done < entries; done += log.size()) {
      log.clear();
      for (const auto& record : workload.Next(kBatch, false)) {
        const auto number = static_cast<int64_t>(done + log.size());
        Entry entry{record.fingerprint, number, {0, number}, {}};
        while (!entry.text_keys.full()) {
          entry.text_keys.Add(record.text_keys.keys()[entry.text_keys.keys().size()]);
        }
        log.push_back(entry);
      }
      const auto start = Clock::now();
      index.Insert(log);
      spent += Clock::now() - start;
    }
    const auto start = Clock::now();
    index.EndLoad();
    spent += Clock::now() - start;
    const double spent_s = std::chrono::duration<double>(spent).count();
    Add("restore_entries_per_s", static_cast<double>(index.size()) / spent_s, "entries/s");
  }

  Result<void> Snapshot(uint64_t entries) {
    NEARDUP_ASSIGN(const std::vector<Measurement> found,
                   MeasureSnapshot(entries, std::filesystem::temp_directory_path()));
    for (const Measurement& one : found) Add(one.name, one.value, one.unit.c_str());
    return {};
  }

  /// Throughput of two threads relative to one, by processor time: what two free cores would give,
  /// even while other programs run.
  void Threads(uint64_t entries) {
    IndexWorkload workload = Workload(Kind::kUniform, entries);
    TimedIndex timed({}, entries);
    Fill(timed, workload, entries);
    std::array<std::vector<IndexQuery>, 2> queries;
    for (auto& half : queries) half = TimedIndex::QueriesOf(workload.NextSought(200'000));
    const auto look_ups_per_ns = [&](size_t half) {
      std::vector<Nearest> found(queries[half].size());
      const double start_ns = ThreadNs();
      for (int round = 0; round < 5; ++round) timed.index().FindNearest(queries[half], found);
      return 5 * static_cast<double>(found.size()) / (ThreadNs() - start_ns);
    };
    const double one = look_ups_per_ns(0);
    double other_of_two = 0;
    std::thread other([&] { other_of_two = look_ups_per_ns(1); });
    const double one_of_two = look_ups_per_ns(0);
    other.join();
    Add("two_threads_ratio", (one_of_two + other_of_two) / one, "1");
  }

  void Family() {
    size_ = "_5m";
    std::array<double, 2> ns{};
    for (const Kind kind : {Kind::kUniform, Kind::kFamily}) {
      IndexWorkload workload = Workload(kind, kFamilyEntries);
      TimedIndex timed({}, kFamilyEntries);
      Fill(timed, workload, kFamilyEntries);
      ns[kind == Kind::kFamily ? 1 : 0] = TimeDeciding(timed, workload, kMillion / 2).ns;
    }
    Add("family_mixed_ns", ns[1], "ns");
    Add("family_ratio_to_usual", ns[1] / ns[0], "1");
  }

  Arguments arguments_;
  std::string size_;
  std::vector<Measurement> measurements_;
};

Result<void> Main(CLI::App& app, int argc, char** argv) {
  Arguments arguments;
  app.description(
      "The cost of the index at several sizes, beside plainer indexes and cache misses alone");
  app.add_option("--entries", arguments.entries, "sizes in entries, such as 1000000,50000000")
      ->delimiter(',')
      ->check(CLI::Range(kMillion, 1000 * kMillion));
  app.add_option(
      "--whole-entries-max", arguments.whole_entries_max,
      "at larger sizes, skip the plainer indexes, which need up to 4 times the memory, and "
      "the measurements of neighbours, single calls, threads and snapshots");
  app.add_option("--tables", arguments.tables,
                 "number of tables in the mixed figures, 4 or 6; by default the index chooses")
      ->check(CLI::IsMember({4, 6}));
  app.add_option("--seed", arguments.seed, "seed of the synthetic records");
  app.add_option("--json", arguments.json, "also write the figures to this file");
  app.parse(argc, argv);
  return Bench(arguments).Run();
}

}  // namespace
}  // namespace neardup

int main(int argc, char** argv) {
  return neardup::RunProgram("bench_index", neardup::Main, argc, argv);
}
