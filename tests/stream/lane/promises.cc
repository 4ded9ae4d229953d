#include "stream/lane/promises.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "detect/index/match.h"
#include "neardup/filter.h"
#include "stream/state/delta.h"
#include "stream/state/lane_state.h"

namespace neardup {
namespace {

/// Distances up to this are always found.
constexpr int kFoundWithin = 3;

std::string NameOf(const InputPartition& input, int64_t offset) {
  return fmt::format("{}/{}/{}", input.topic, input.partition, offset);
}

std::string NameOf(const MemoryOutput& output) {
  return fmt::format("seq {}, {}", output.seq, NameOf(output.input, output.offset));
}

/// A record: its input partition, offset and event time.
using GroupPlace = std::tuple<InputPartition, int64_t, int64_t>;

/// What the outputs say of an original and its copies.
struct SeenGroup {
  uint64_t copies = 0;
  GroupPlace last{};
  int64_t last_time_ms = INT64_MIN;
  GroupPlace newest{};
};

nlohmann::ordered_json ToJson(const GroupPlace& place) {
  const auto& [input, offset, time_ms] = place;
  return {{"topic", input.topic}, {"partition", input.partition}, {"offset", offset}};
}

struct Remembered {
  Fingerprint fingerprint;
  int64_t time_ms = 0;
  InputPartition input;
  int64_t offset = 0;
};

/// The three promises on records, decided by brute force.
class Auditor {
 public:
  Auditor(const Evidence& evidence, std::span<const FingerprintedRecord> fingerprints)
      : evidence_(evidence),
        fingerprints_(fingerprints),
        decided_(evidence.written.size(), false) {}

  std::optional<std::string> Audit() {
    const std::vector<MemoryOutput>& outputs = evidence_.broker.outputs;
    size_t next = 0;
    for (const MemoryCommit& commit : evidence_.broker.commits) {
      committed_ = remembered_.size();
      horizon_ms_ = HorizonMs();
      const size_t first = next;
      for (; next < commit.outputs; ++next) {
        if (auto broken = AuditOutput(outputs[next], fingerprints_[next])) return broken;
      }
      newest_ = std::span(outputs).subspan(first, next - first);
      for (const MemoryOutput& output : newest_) dropped_ += output.route == Route::kNowhere;
      if (auto broken = AuditGroupsTopic(commit)) return broken;
      if (auto broken = AuditDeltas(commit)) return broken;
    }
    if (next != outputs.size()) return "Coverage: outputs are visible without a commit";
    return evidence_.finished ? AuditMissing() : std::nullopt;
  }

 private:
  std::optional<std::string> AuditOutput(const MemoryOutput& output,
                                         const FingerprintedRecord& record) {
    if (output.record_id == 0 || output.record_id > evidence_.written.size()) {
      return fmt::format("Coverage: {} is no input record", NameOf(output));
    }
    const WrittenRecord& written = evidence_.written[output.record_id - 1];
    if (decided_[output.record_id - 1]) {
      return fmt::format("Coverage: {} is in the outputs twice", NameOf(output));
    }
    decided_[output.record_id - 1] = true;
    if (written.input != output.input || written.record.offset != output.offset ||
        (!output.by_reference && written.record.value != output.value)) {
      return fmt::format("Coverage: {} was changed", NameOf(output));
    }
    const bool follows = evidence_.lossy ? output.seq > seq_ : output.seq == seq_ + 1;
    if (!follows) {
      return fmt::format("Coverage: {} follows seq {}", NameOf(output), seq_);
    }
    seq_ = output.seq;
    const auto place = std::pair(written.generation, output.offset);
    const auto [last, first] = last_.emplace(output.input, place);
    if (!first && last->second >= place) {
      return fmt::format("Coverage: {} comes after offset {}", NameOf(output), last->second.second);
    }
    last->second = place;
    return AuditVerdict(output, record);
  }

  std::optional<std::string> AuditVerdict(const MemoryOutput& output,
                                          const FingerprintedRecord& record) {
    const bool dead = output.verdict.decision == Decision::kDeadLetter;
    if (dead != (record.outcome.reason != Reason::kNone)) {
      return fmt::format("Soundness: {} is {}", NameOf(output), Name(output.verdict.decision));
    }
    if (dead || record.outcome.passed) return {};
    Remembered entry{.fingerprint = record.fingerprint,
                     .time_ms = record.outcome.time_ms,
                     .input = output.input,
                     .offset = output.offset};
    if (output.verdict.decision == Decision::kDuplicate) {
      if (auto broken = AuditDuplicate(output, entry, record.features)) return broken;
      if (auto broken = AuditGroup(output, entry)) return broken;
    } else {
      if (auto broken = AuditUnique(output, entry, record.features)) return broken;
      remembered_.push_back(entry);
    }
    Observe(entry);
    return {};
  }

  /// nullopt: no duplicates.
  std::optional<int> Distance(const Remembered& earlier, const Remembered& later,
                              uint32_t features) const {
    if (!WithinWindow(earlier.time_ms, later.time_ms, evidence_.options.filter.window.window_ms)) {
      return {};
    }
    const Fingerprint& a = earlier.fingerprint;
    const Fingerprint& b = later.fingerprint;
    const int distance = std::popcount(a.simhash ^ b.simhash);
    if (a.exact == b.exact) return distance;
    return Accepts(evidence_.options.filter.match, NearnessOf(b, a, 0, features))
               ? std::optional(distance)
               : std::nullopt;
  }

  bool MustBeRemembered(size_t number) const {
    const uint64_t newer = number < committed_ ? committed_ - number - 1 : 0;
    return !evidence_.lossy && remembered_[number].time_ms >= horizon_ms_ &&
           newer < evidence_.options.filter.window.entries_max;
  }

  /// Whether the index must compare the two, even if they share no text key.
  static bool MustBeFound(const Remembered& earlier, const Remembered& later, int distance) {
    return earlier.fingerprint.exact == later.fingerprint.exact || distance <= kFoundWithin;
  }

  /// Exact before near, then the smaller sum of both distances, then the older one.
  using Rank = std::tuple<MatchKind, int, size_t>;
  Rank RankOf(size_t number, const Remembered& later) const {
    const Fingerprint& a = remembered_[number].fingerprint;
    const Fingerprint& b = later.fingerprint;
    const MatchKind kind = a.exact == b.exact ? MatchKind::kExact : MatchKind::kNear;
    return {kind, std::popcount(a.simhash ^ b.simhash) + std::popcount(a.order ^ b.order), number};
  }

  bool SamePlace(const Remembered& a, const Remembered& b) const {
    return a.input == b.input && a.offset == b.offset;
  }

  std::optional<std::string> AuditDuplicate(const MemoryOutput& output, const Remembered& entry,
                                            uint32_t features) const {
    const Match& match = output.verdict.match;
    std::optional<Rank> named;  // the best, if a recreated topic has the position twice
    std::optional<Rank> best;   // of those that must be found
    for (size_t number = 0; number < remembered_.size(); ++number) {
      const Remembered& earlier = remembered_[number];
      const std::optional<int> distance = Distance(earlier, entry, features);
      if (!distance) continue;
      const Rank rank = RankOf(number, entry);
      const bool is_named =
          earlier.input == output.original_input && earlier.offset == match.original.offset;
      if (is_named && *distance == match.distance && std::get<0>(rank) == match.kind &&
          (!named || rank < *named)) {
        named = rank;
      }
      if (MustBeFound(earlier, entry, *distance) && MustBeRemembered(number) &&
          !SamePlace(earlier, entry) && (!best || rank < *best)) {
        best = rank;
      }
    }
    const bool itself =
        output.original_input == output.input && match.original.offset == output.offset;
    if (!named || itself) {
      return fmt::format("Soundness: {} names {} at distance {}, which is no such earlier unique",
                         NameOf(output), NameOf(output.original_input, match.original.offset),
                         match.distance);
    }
    if (!best || *named <= *best) return {};
    const Remembered& better = remembered_[std::get<2>(*best)];
    return fmt::format("Completeness: {} names {} at distance {}, and {} is nearer", NameOf(output),
                       NameOf(output.original_input, match.original.offset), match.distance,
                       NameOf(better.input, better.offset));
  }

  /// The group of an original is followed by what the headers say. A lane that keeps the first
  /// record says nothing.
  std::optional<std::string> AuditGroup(const MemoryOutput& output, const Remembered& entry) {
    if (evidence_.lossy) return {};
    const Match& match = output.verdict.match;
    const GroupPlace original{output.original_input, match.original.offset, match.time_ms};
    SeenGroup& group = groups_.try_emplace(original, SeenGroup{.newest = original}).first->second;
    ++group.copies;
    group.last = {output.input, output.offset, entry.time_ms};
    group.last_time_ms = std::max({group.last_time_ms, match.time_ms, entry.time_ms});
    changed_.insert(original);
    const auto& [newest_input, newest_offset, newest_ms] = group.newest;
    const std::optional<ParsedPosition>& stated = output.replaces ? output.replaces : output.newest;
    if (evidence_.keep == Keep::kNewest && !stated) {
      return fmt::format("Groups: {} does not say what is newest", NameOf(output));
    }
    if (!stated) return {};
    if (evidence_.keep == Keep::kFirst) {
      return fmt::format("Groups: {} has a newest record, and the first is kept", NameOf(output));
    }
    if (stated->partition != newest_input || stated->offset != newest_offset) {
      return fmt::format("Groups: {} says that {} is the newest of its group, and it is {}",
                         NameOf(output), NameOf(stated->partition, stated->offset),
                         NameOf(newest_input, newest_offset));
    }
    if (output.replaces.has_value() != (entry.time_ms >= newest_ms)) {
      return fmt::format("Groups: {} of time {} {} a record of time {}", NameOf(output),
                         entry.time_ms, output.replaces ? "replaces" : "does not replace",
                         newest_ms);
    }
    if (!output.replaces) return {};
    group.newest = group.last;
    if (output.route == Route::kUnique) return {};
    return fmt::format("Groups: {} replaces a record, and is not on the unique topic",
                       NameOf(output));
  }

  /// The groups topic has one record for each group that the commit changed.
  std::optional<std::string> AuditGroupsTopic(const MemoryCommit& commit) {
    std::map<std::string, std::string> expected;
    if (evidence_.options.routing.publish_groups && !evidence_.lossy) {
      for (const GroupPlace& original : changed_) {
        const SeenGroup& group = groups_.at(original);
        const nlohmann::ordered_json json = {{"original", ToJson(original)},
                                             {"copies", group.copies},
                                             {"first_time_ms", std::get<2>(original)},
                                             {"last_time_ms", group.last_time_ms},
                                             {"last", ToJson(group.last)},
                                             {"newest", ToJson(group.newest)}};
        expected[NameOf(std::get<0>(original), std::get<1>(original))] = json.dump();
      }
    }
    changed_.clear();
    if (evidence_.lossy || commit.groups == expected) return {};
    return fmt::format("Groups: a commit wrote {} records to the groups topic, expected {}: {}",
                       commit.groups.size(), expected.size(), Differing(commit.groups, expected));
  }

  static std::string Differing(const std::map<std::string, std::string>& found,
                               const std::map<std::string, std::string>& expected) {
    for (const auto& [key, value] : expected) {
      const auto at = found.find(key);
      if (at == found.end()) return fmt::format("{} is missing", value);
      if (at->second != value) return fmt::format("{}, expected {}", at->second, value);
    }
    return "more than expected";
  }

  std::optional<std::string> AuditUnique(const MemoryOutput& output, const Remembered& entry,
                                         uint32_t features) const {
    for (size_t number = 0; number < remembered_.size(); ++number) {
      const Remembered& earlier = remembered_[number];
      const std::optional<int> distance = Distance(earlier, entry, features);
      if (!distance || SamePlace(earlier, entry) || !MustBeRemembered(number)) continue;
      if (!MustBeFound(earlier, entry, *distance)) continue;
      return fmt::format("Completeness: {} is unique, and {} is at distance {}", NameOf(output),
                         NameOf(earlier.input, earlier.offset), *distance);
    }
    return {};
  }

  // ---- what may be forgotten

  void Observe(const Remembered& entry) {
    int64_t& largest = largest_.try_emplace(entry.input, INT64_MIN).first->second;
    largest = std::max(largest, entry.time_ms);
    int64_t smallest_of_all = INT64_MAX;
    int64_t largest_of_all = INT64_MIN;
    for (const auto& [input, time_ms] : largest_) {
      smallest_of_all = std::min(smallest_of_all, time_ms);
      largest_of_all = std::max(largest_of_all, time_ms);
    }
    // A lane that lost its changelog does not know the times of an input before that input's next
    // record, as at a first start.
    const bool all_hold = evidence_.all_inputs_busy && !evidence_.lossy;
    watermark_ms_ = std::max(watermark_ms_, all_hold ? smallest_of_all : largest_of_all);
  }

  /// The latest horizon that the records decided so far allow.
  int64_t HorizonMs() const {
    const WindowOptions& window = evidence_.options.filter.window;
    return watermark_ms_ == INT64_MIN ? INT64_MIN
                                      : watermark_ms_ - window.window_ms - window.lateness_ms;
  }

  std::optional<std::string> AuditDeltas(const MemoryCommit& commit) const {
    for (const std::string& bytes : commit.deltas) {
      const Result<Delta> delta = DecodeDelta(bytes);
      if (!delta.ok()) return fmt::format("Durability: {}", delta.error().text);
      if (auto broken = AuditRoutes(delta->pipeline.mode())) return broken;
      const bool newest = &bytes == &commit.deltas.back();
      if (!evidence_.lossy && (newest ? delta->dropped != dropped_ : delta->dropped > dropped_)) {
        return fmt::format("Coverage: the delta of seq {} counts {} dropped duplicates of {}",
                           delta->seq_last, delta->dropped, dropped_);
      }
      if (delta->watermark_ms > watermark_ms_ || delta->horizon_ms > horizon_ms_) {
        return fmt::format(
            "Completeness: the delta of seq {} has watermark {} and horizon {}; at most {} and {} "
            "are allowed",
            delta->seq_last, delta->watermark_ms, delta->horizon_ms, watermark_ms_, horizon_ms_);
      }
    }
    return {};
  }

  /// Of the newest commit. Only dead letters by reference go to their own topic under each mode.
  std::optional<std::string> AuditRoutes(RoutingMode mode) const {
    for (const MemoryOutput& output : newest_) {
      const Decision decision = output.verdict.decision;
      const bool passes = mode == RoutingMode::kObserve && !output.by_reference;
      const Route expected = decision == Decision::kUnique || passes ? Route::kUnique
                             : decision == Decision::kDuplicate      ? Route::kDuplicate
                                                                     : Route::kDeadLetter;
      if (output.route == expected) continue;
      if (expected == Route::kDuplicate && output.route == Route::kUnique &&
          (output.replaces || MayBeReleased(output))) {
        continue;
      }
      if (expected == Route::kDuplicate && output.route == Route::kNowhere &&
          MayBeDropped(output)) {
        continue;
      }
      return fmt::format("Route: {} is {} and went to topic {}, and the deltas say {}",
                         NameOf(output), Name(decision), static_cast<int>(output.route),
                         Name(mode));
    }
    return {};
  }

  bool MayBeDropped(const MemoryOutput& output) const {
    const RoutingOptions& routing = evidence_.options.routing;
    const bool exact = output.verdict.match.kind == MatchKind::kExact;
    return (exact ? routing.exact : routing.near) == DuplicateRoute::kDrop;
  }

  bool MayBeReleased(const MemoryOutput& output) const {
    const RoutingOptions& routing = evidence_.options.routing;
    const bool exact = output.verdict.match.kind == MatchKind::kExact;
    return (exact ? routing.release_exact_one_of : routing.release_near_one_of) > 0;
  }

  std::optional<std::string> AuditMissing() const {
    for (size_t i = 0; i < decided_.size(); ++i) {
      const WrittenRecord& written = evidence_.written[i];
      if (decided_[i] || written.may_be_missing) continue;
      return fmt::format("Coverage: {} is in no output",
                         NameOf(written.input, written.record.offset));
    }
    return {};
  }

  const Evidence& evidence_;
  std::span<const FingerprintedRecord> fingerprints_;  ///< by output
  std::vector<bool> decided_;
  std::map<InputPartition, std::pair<int, int64_t>> last_;
  std::span<const MemoryOutput> newest_;  ///< of the newest commit
  std::map<GroupPlace, SeenGroup> groups_;
  std::set<GroupPlace> changed_;  ///< by the newest commit
  std::vector<Remembered> remembered_;
  size_t committed_ = 0;  ///< how many of them are of earlier transactions
  std::map<InputPartition, int64_t> largest_;
  int64_t watermark_ms_ = INT64_MIN;
  int64_t horizon_ms_ = INT64_MIN;
  uint64_t seq_ = 0;
  uint64_t dropped_ = 0;
};

/// What differs between what was written and what the deltas give; empty if nothing.
std::string Difference(const Verdict& wanted, const InputPartition& original,
                       const MemoryOutput& output) {
  const Verdict& found = output.verdict;
  if (wanted.decision != found.decision) {
    return fmt::format("{}, expected {}", Name(found.decision), Name(wanted.decision));
  }
  if (wanted.late != found.late) return found.late ? "late" : "not late";
  if (wanted.outcome.reason != found.outcome.reason) return Name(found.outcome.reason);
  if (wanted.decision != Decision::kDuplicate) return {};
  if (wanted.match.distance == found.match.distance &&
      wanted.match.original.offset == found.match.original.offset &&
      original == output.original_input) {
    return {};
  }
  return fmt::format("names {}, expected {}",
                     NameOf(output.original_input, found.match.original.offset),
                     NameOf(original, wanted.match.original.offset));
}

/// The fingerprint of the input record of each output.
std::vector<FingerprintedRecord> FingerprintsOf(const Evidence& evidence) {
  Fingerprinter fingerprinter(evidence.options.filter);
  std::vector<FingerprintedRecord> fingerprints;
  for (const MemoryOutput& output : evidence.broker.outputs) {
    const bool known = output.record_id > 0 && output.record_id <= evidence.written.size();
    const MemoryRecord record =
        known ? evidence.written[output.record_id - 1].record : MemoryRecord{};
    fingerprints.push_back(
        fingerprinter.Compute({{0, output.offset}, record.timestamp_ms, record.value}));
  }
  return fingerprints;
}

std::optional<std::string> FindWrongReplay(const Evidence& evidence,
                                           std::vector<FingerprintedRecord> fingerprints) {
  auto made = LaneState::New(evidence.options.filter, evidence.options.lane);
  if (!made.ok()) return made.error().text;
  const std::unique_ptr<LaneState> model = std::move(made).value();
  size_t next = 0;
  for (const MemoryCommit& commit : evidence.broker.commits) {
    for (; next < commit.outputs; ++next) {
      const MemoryOutput& output = evidence.broker.outputs[next];
      const auto input = model->AddInput(output.input, output.offset);
      if (!input.ok()) return input.error().text;
      const Position position{*input, output.offset};
      fingerprints[next].position = position;
      Verdict verdict = model->filter().Decide(fingerprints[next]);
      if (output.by_reference) verdict = output.verdict;
      model->Advance(position);
      const InputPartition original = verdict.decision == Decision::kDuplicate
                                          ? model->inputs()[verdict.match.original.input].partition
                                          : InputPartition{};
      const std::string difference = Difference(verdict, original, output);
      if (!difference.empty()) {
        return fmt::format("Durability: {} is {}", NameOf(output), difference);
      }
    }
    model->Rollback();
    for (const std::string& bytes : commit.deltas) {
      const Result<Delta> delta = DecodeDelta(bytes);
      if (!delta.ok()) return fmt::format("Durability: {}", delta.error().text);
      const Result<void> applied = model->Apply(*delta);
      if (!applied.ok()) return fmt::format("Durability: {}", applied.error().text);
    }
  }
  return {};
}

}  // namespace

std::optional<std::string> FindBrokenPromise(const Evidence& evidence) {
  std::vector<FingerprintedRecord> fingerprints = FingerprintsOf(evidence);
  if (auto broken = Auditor(evidence, fingerprints).Audit()) return broken;
  return evidence.lossy ? std::nullopt : FindWrongReplay(evidence, std::move(fingerprints));
}

}  // namespace neardup
