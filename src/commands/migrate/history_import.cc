#include "commands/migrate/history_import.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>

#include "detect/base/file.h"
#include "detect/base/hash.h"
#include "detect/base/random.h"
#include "kafka/kafka_ports.h"
#include "kafka/topics.h"
#include "neardup/filter.h"
#include "service/topics/stopped_lane.h"
#include "service/topics/topic_reading.h"
#include "stream/state/byte_stream.h"
#include "stream/state/fresh_deltas.h"
#include "stream/state/lane_state.h"
#include "stream/state/snapshot.h"

namespace neardup {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

/// Of the files that neardup.spark writes.
constexpr int kFormat = 3;
constexpr const char* kPlan = "ordered";
constexpr uint16_t kPositionsFormat = 1;
/// The lane that segments name: a history has lanes of its own.
constexpr uint16_t kSegmentLane = 0;

Error Corrupt(const fs::path& path, std::string_view text) {
  return {ErrorCode::kCorrupt,
          fmt::format("{}: {}; run neardup.spark.deduplicate again, which makes damaged parts anew",
                      path.string(), text)};
}

Result<Json> ReadJson(const fs::path& path) {
  const Result<std::string> text = ReadFile(path);
  if (!text.ok() && text.error().code == ErrorCode::kNotFound) {
    return Error{ErrorCode::kNotFound,
                 fmt::format("{}: no such file; expected the work_dir of a finished run of "
                             "neardup.spark.deduplicate, on a local disk",
                             path.string())};
  }
  if (!text.ok()) return Error{text.error().code, path.string() + ": " + text.error().text};
  Json json = Json::parse(*text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded() || !json.is_object()) return Corrupt(path, "not a JSON object");
  return json;
}

std::optional<HistoryFile> FileOf(const Json& json) {
  HistoryFile file{json.at("name").get<std::string>(), 0};
  const std::string checksum = json.at("checksum").get<std::string>();
  const char* end = checksum.data() + checksum.size();
  const auto parsed = std::from_chars(checksum.data(), end, file.checksum, 16);
  if (parsed.ptr != end || checksum.size() != 16) return std::nullopt;
  // A name leads nowhere else.
  if (file.name.empty() || file.name[0] == '/' || file.name.find("..") != file.name.npos) {
    return std::nullopt;
  }
  return file;
}

/// Where the unique records of a part are in Kafka.
class Positions {
 public:
  static Result<Positions> Parse(std::string_view bytes) {
    ByteReader in(bytes);
    if (in.Raw(4, "magic") != "NDPS") in.Fail("magic", "NDPS");
    const uint16_t version = in.U16("version");
    if (version != kPositionsFormat) in.Fail("version", fmt::format("1, found {}", version));
    Positions positions;
    const uint32_t topics = in.U32("number of topics");
    for (uint32_t i = 0; i < topics && in.ok(); ++i) {
      positions.topics_.emplace_back(in.Raw(in.U32("bytes of a topic"), "topic"));
    }
    const uint64_t rows = in.U64("number of records");
    constexpr size_t kRowBytes = 8 + 4 + 4 + 8;
    if (rows != in.remaining() / kRowBytes || in.remaining() % kRowBytes != 0) {
      in.Fail("number of records", "as many as the columns hold");
    }
    if (!in.ok()) return in.error();
    positions.rows_.resize(rows);
    for (Row& row : positions.rows_) row.number = in.I64("number");
    for (Row& row : positions.rows_) {
      row.topic = in.U32("topic");
      if (row.topic >= topics) in.Fail("topic", "one of the topics");
    }
    for (Row& row : positions.rows_) row.partition = static_cast<int32_t>(in.U32("partition"));
    for (Row& row : positions.rows_) row.offset = in.I64("offset");
    if (!in.ok()) return in.error();
    return positions;
  }

  /// Gives the entry, whose origin is its number in the lane, its position. False: it is not here.
  bool Place(Entry& entry, InputPartition& partition) const {
    const auto row =
        std::lower_bound(rows_.begin(), rows_.end(), entry.origin.offset,
                         [](const Row& each, int64_t number) { return each.number < number; });
    if (row == rows_.end() || row->number != entry.origin.offset) return false;
    partition = {topics_[row->topic], row->partition};
    entry.origin = {0, row->offset};
    return true;
  }

 private:
  struct Row {
    int64_t number = 0;
    uint32_t topic = 0;
    int32_t partition = 0;
    int64_t offset = 0;
  };
  std::vector<std::string> topics_;
  std::vector<Row> rows_;  ///< by number
};

/// Adds the offsets from `begin` up to `end`.
void Hold(int64_t begin, int64_t end, HeldOffsets& held) {
  auto next = held.upper_bound(begin);
  if (next != held.begin() && std::prev(next)->second >= begin) {
    --next;
    begin = next->first;
  }
  while (next != held.end() && next->first <= end) {
    end = std::max(end, next->second);
    next = held.erase(next);
  }
  held.emplace(begin, end);
}

bool IsHeld(const HeldOffsets& held, int64_t offset) {
  const auto next = held.upper_bound(offset);
  return next != held.begin() && offset < std::prev(next)->second;
}

}  // namespace

Result<History> History::Open(const fs::path& folder) {
  History history(folder);
  NEARDUP_ASSIGN(const Json run, ReadJson(folder / "run.json"));
  const Json version = run.value("neardup_spark", Json());
  if (version != kFormat) {
    return Error{ErrorCode::kMismatch,
                 fmt::format("{}: expected format version {}, found {}; decide the history again "
                             "with a neardup of this version",
                             (folder / "run.json").string(), kFormat, version.dump())};
  }
  if (const Json plan = run.value("plan", Json()); plan != kPlan) {
    return Error{
        ErrorCode::kMismatch,
        fmt::format("{}: expected the plan {}, which keeps the entries of the window, found "
                    "{}; decide the history again with plan=\"{}\"",
                    (folder / "run.json").string(), kPlan, plan.dump(), kPlan)};
  }
  const Json lanes = run.value("lanes", Json());
  if (!lanes.is_number_integer() || lanes < 1 || lanes > kLanesMax) {
    return Corrupt(folder / "run.json", "lanes: expected a number from 1 to 64");
  }
  history.lanes_.resize(lanes.get<size_t>());
  NEARDUP_TRY(history.ReadMarkers());
  return history;
}

Result<void> History::ReadMarkers() {
  const fs::path path = folder_ / "decided" / "done.json";
  NEARDUP_ASSIGN(const Json done, ReadJson(path));
  try {
    for (const Json& part : done.at("parts")) {
      if (!part.contains("positions")) {
        return Error{ErrorCode::kMismatch,
                     fmt::format("{}: this history does not say where its records are in Kafka; "
                                 "decide it with topic, partition and offset in `key`",
                                 path.string())};
      }
      const std::optional<HistoryFile> segment = FileOf(part.at("segment"));
      const std::optional<HistoryFile> positions = FileOf(part.at("positions"));
      const size_t number = part.at("lane").get<size_t>();
      if (!segment || !positions || number >= lanes_.size()) {
        return Corrupt(path, "a part without a name, a checksum or a lane");
      }
      HistoryLane& lane = lanes_[number];
      lane.parts.push_back({*segment, *positions,
                            part.at("begin").get<int64_t>() + part.at("rows").get<int64_t>(),
                            part.at("entries").get<uint64_t>()});
      lane.live = part.at("live").get<uint64_t>();
      for (const Json& place : part.at("positions").at("held")) {
        const InputPartition partition = {place.at(0).get<std::string>(),
                                          place.at(1).get<int32_t>()};
        for (const Json& range : place.at(2)) {
          Hold(range.at(0).get<int64_t>(), range.at(1).get<int64_t>(), lane.held[partition]);
        }
      }
    }
  } catch (const Json::exception& error) {
    return Corrupt(path, error.what());
  }
  return {};
}

Result<std::string> History::ReadFile(const HistoryFile& file) const {
  const fs::path path = folder_ / file.name;
  Result<std::string> bytes = neardup::ReadFile(path);
  if (!bytes.ok()) return Error{bytes.error().code, path.string() + ": " + bytes.error().text};
  const uint64_t found = Hash64(*bytes);
  if (found != file.checksum) {
    return Corrupt(path,
                   fmt::format("expected checksum {:016x}, found {:016x}", file.checksum, found));
  }
  return bytes;
}

/// An error of the bytes names the file; one of `visit` goes out unchanged.
Result<void> History::ReadSegment(const HistoryFile& file,
                                  const std::function<Result<void>(Delta&&)>& visit) const {
  NEARDUP_ASSIGN(const std::string bytes, ReadFile(file));
  bool is_of_visit = false;
  const Result<void> read = ReadSegmentBytes(bytes, kSegmentLane, [&](Delta&& delta) {
    Result<void> visited = visit(std::move(delta));
    is_of_visit = !visited.ok();
    return visited;
  });
  if (!read.ok() && !is_of_visit) return Corrupt(folder_ / file.name, read.error().text);
  return read;
}

Result<std::optional<Delta>> History::Newest(int32_t number) const {
  std::optional<Delta> newest;
  const std::vector<HistoryPart>& parts = lane(number).parts;
  if (parts.empty()) return newest;
  NEARDUP_TRY(ReadSegment(parts.back().segment, [&newest](Delta&& delta) -> Result<void> {
    newest = std::move(delta);
    newest->entries.clear();
    return {};
  }));
  return newest;
}

Result<void> History::Read(int32_t number,
                           const std::function<Result<void>(HistoryEntry&&)>& visit) const {
  const HistoryLane& lane = lanes_[static_cast<size_t>(number)];
  // The segments before the first one hold only what is forgotten.
  size_t first = lane.parts.size();
  uint64_t held = 0;
  while (first > 0 && held < lane.live) held += lane.parts[--first].entries;
  uint64_t forgotten = held - std::min(held, lane.live);
  Positions positions;
  std::optional<size_t> place;  // the part that they are of
  // Entries come in the order of their numbers.
  const auto find_positions = [&](int64_t record) -> Result<void> {
    size_t part = place.value_or(0);
    while (part + 1 < lane.parts.size() && record >= lane.parts[part].end) ++part;
    if (place == part) return {};
    place = part;
    const HistoryFile& file = lane.parts[part].positions;
    NEARDUP_ASSIGN(const std::string bytes, ReadFile(file));
    Result<Positions> read = Positions::Parse(bytes);
    if (!read.ok()) return Corrupt(folder_ / file.name, read.error().text);
    positions = std::move(*read);
    return {};
  };
  const auto visit_live = [&](Delta&& delta) -> Result<void> {
    for (Entry& entry : delta.entries) {
      if (forgotten > 0) {
        --forgotten;
        continue;
      }
      HistoryEntry placed{{}, std::move(entry)};
      const int64_t record = placed.entry.origin.offset;
      NEARDUP_TRY(find_positions(record));
      if (!positions.Place(placed.entry, placed.partition)) {
        return Corrupt(folder_, fmt::format("lane {}: record {} has an entry, and no position",
                                            number, record));
      }
      NEARDUP_TRY(visit(std::move(placed)));
    }
    return {};
  };
  for (const HistoryPart& part : std::span(lane.parts).subspan(first)) {
    NEARDUP_TRY(ReadSegment(part.segment, visit_live));
  }
  return {};
}

namespace {

Error Mismatch(std::string text) { return Fatal(ErrorCode::kMismatch, std::move(text)); }
Error Refused(std::string text) { return Fatal(ErrorCode::kConfig, std::move(text)); }

class Import {
 public:
  Import(const Settings& settings, const ImportOptions& options, History history,
         const KafkaLog& log)
      : settings_(settings), options_(options), history_(std::move(history)), log_(log) {}

  Result<HistoryImport> Run(bool execute) {
    NEARDUP_TRY(CheckLanes());
    for (int32_t lane = 0; lane < history_.lanes(); ++lane) {
      NEARDUP_TRY(CheckSpec(lane));
      NEARDUP_TRY(PlanInputs(lane));
    }
    for (int32_t lane = 0; lane < history_.lanes(); ++lane) {
      NEARDUP_TRY(CheckNoInstance(OfLane(settings_, lane), log_));
    }
    if (execute) NEARDUP_TRY(TakeLanes());
    NEARDUP_TRY(CheckNeverRan());
    if (execute) NEARDUP_TRY(Announce());
    for (int32_t lane = 0; lane < history_.lanes(); ++lane) NEARDUP_TRY(Write(lane));
    if (execute) NEARDUP_TRY(EndAll());
    return std::move(report_);
  }

 private:
  Result<void> CheckLanes() const {
    if (settings_.learning.on) {
      return Refused(
          "match.mode is auto; expected the settings that the history was decided with, which "
          "are in the configuration that neardup.spark.deduplicate was given");
    }
    if (history_.lanes() == settings_.kafka.lanes) return {};
    return Mismatch(fmt::format(
        "the history has {} lane(s), and lanes.count is {}; set "
        "lanes.count: {}, or decide the history again with lanes={}",
        history_.lanes(), settings_.kafka.lanes, history_.lanes(), settings_.kafka.lanes));
  }

  // ---- where the lanes go on

  Result<void> PlanInputs(int32_t lane) {
    const Settings settings = OfLane(settings_, lane);
    NEARDUP_ASSIGN(const std::vector<InputPartition> partitions,
                   ListPartitions(settings.kafka, log_));
    NEARDUP_ASSIGN(const std::vector<OffsetBounds> bounds,
                   ListOffsetBounds(settings.kafka, partitions, log_));
    const auto& history = history_.lane(lane).held;
    for (const auto& [partition, held] : history) {
      if (std::find(partitions.begin(), partitions.end(), partition) != partitions.end()) continue;
      return Mismatch(
          fmt::format("the history holds records of {}, which is no input partition "
                      "of lane {}; expected a history of the topics {} and no others",
                      TextOf(partition), lane, fmt::join(settings.kafka.topics, ", ")));
    }
    ImportedLane& imported = report_.lanes.emplace_back();
    for (size_t i = 0; i < partitions.size(); ++i) {
      const auto held = history.find(partitions[i]);
      NEARDUP_ASSIGN(const ImportedInput input,
                     held == history.end() ? InputWithoutHistory(partitions[i], bounds[i])
                                           : InputAfter(partitions[i], held->second, bounds[i]));
      imported.inputs.push_back(input);
    }
    return {};
  }

  Result<ImportedInput> InputWithoutHistory(const InputPartition& partition,
                                            const OffsetBounds& bounds) const {
    if (!options_.start) {
      return Refused(
          fmt::format("the history holds no record of {}; say where this partition "
                      "begins: --start earliest (offset {}) or latest (offset {})",
                      TextOf(partition), bounds.begin, bounds.end));
    }
    const int64_t next = *options_.start == StartAt::kEarliest ? bounds.begin : bounds.end;
    return ImportedInput{partition, next, 0, false};
  }

  Result<ImportedInput> InputAfter(const InputPartition& partition, const HeldOffsets& held,
                                   const OffsetBounds& bounds) const {
    const int64_t next = held.rbegin()->second;
    if (next > bounds.end) {
      return Mismatch(
          fmt::format("the history of {} goes to offset {}, and the topic ends at "
                      "offset {}; expected the topic that the history was read from",
                      TextOf(partition), next - 1, bounds.end));
    }
    const int64_t lost = std::max<int64_t>(0, bounds.begin - next);
    if (lost > 0 && !options_.accept_gap) {
      return Refused(
          fmt::format("the history of {} ends before offset {}, and the topic begins at "
                      "offset {}, so that {} offsets would be lost; take a newer "
                      "history, or go on without these records: --accept-gap",
                      TextOf(partition), next, bounds.begin, lost));
    }
    const ReadRange first_gap = FirstGap(partition, held, bounds.begin);
    if (!options_.accept_gap) {
      NEARDUP_TRY(CheckGaps(first_gap, held));
      return ImportedInput{partition, next, 0, true};
    }
    int64_t gaps = std::max<int64_t>(0, next - first_gap.begin);
    for (auto range = held.upper_bound(first_gap.begin); range != held.end(); ++range) {
      gaps -= range->second - range->first;
    }
    return ImportedInput{partition, next + lost, lost + gaps, true};
  }

  /// From the first offset that the topic may hold and the history does not, to the history's end.
  static ReadRange FirstGap(const InputPartition& partition, const HeldOffsets& held,
                            int64_t topic_begin) {
    int64_t first = topic_begin;
    for (const auto& [begin, end] : held) {
      if (begin <= first) first = std::max(first, end);
    }
    return {partition, first, held.rbegin()->second};
  }

  /// The service starts at the end of the history, so a record that the history lacks gets no
  /// verdict. Transactions also leave offsets without a record, so only the topic shows whether a
  /// record is missing.
  Result<void> CheckGaps(const ReadRange& range, const HeldOffsets& held) const {
    if (range.begin >= range.end) return {};
    NEARDUP_ASSIGN(const std::unique_ptr<Source> source, NewKafkaSource(settings_.kafka, log_));
    return ReadRanges(*source, {&range, 1}, [&](const Message& message) -> Result<void> {
      const int64_t offset = message.position.offset;
      if (offset >= range.end || IsHeld(held, offset)) return {};
      return Refused(fmt::format(
          "the history of {} goes to offset {}, and lacks the record at offset {}, which "
          "would get no verdict; decide a history that holds all records up to one "
          "offset of each partition, or go on without these records: --accept-gap",
          TextOf(range.partition), range.end - 1, offset));
    });
  }

  // ---- whether a lane has begun

  Result<void> TakeLanes() {
    for (int32_t lane = 0; lane < history_.lanes(); ++lane) {
      const Settings settings = OfLane(settings_, lane);
      NEARDUP_ASSIGN(const std::vector<InputPartition> inputs,
                     ListPartitions(settings.kafka, log_));
      NEARDUP_TRY(EnsureTopics(settings.kafka, inputs, log_));
      NEARDUP_ASSIGN(std::unique_ptr<StoppedLane> taken, StoppedLane::TakeOwn(settings, log_));
      taken_.push_back(std::move(taken));
    }
    return {};
  }

  Result<void> CheckNeverRan() {
    size_t ended = 0;
    for (int32_t lane = 0; lane < history_.lanes(); ++lane) {
      const Settings settings = OfLane(settings_, lane);
      std::optional<Delta>& newest = newest_.emplace_back();
      NEARDUP_ASSIGN(const bool has_begun, HasChangelog(settings.kafka, lane, log_));
      if (has_begun) {
        NEARDUP_ASSIGN(newest, ReadNewestDelta(settings, log_));
      }
      const bool unfinished =
          newest && newest->beginning.with == BeganWith::kHistory && newest->beginning.unfinished;
      if (newest && !unfinished) ++ended;
      if (!newest) NEARDUP_TRY(CheckGroup(settings, lane));
    }
    if (ended == 0) return {};
    report_.written_before =
        ended < newest_.size() &&
        std::all_of(newest_.begin(), newest_.end(), [](const std::optional<Delta>& newest) {
          return newest && newest->beginning.with == BeganWith::kHistory;
        });
    if (report_.written_before) return {};
    return Mismatch(
        fmt::format("app {} has begun already: its changelog {} holds records. Expected "
                    "an app that has never run; take a new `app`, with output topics "
                    "of its own, or forget this one with `neardup reset --all`",
                    settings_.kafka.app, ChangelogTopic(settings_.kafka)));
  }

  Result<void> CheckGroup(const Settings& settings, int32_t lane) {
    std::vector<InputPartition> inputs;
    for (const ImportedInput& input : report_.lanes[static_cast<size_t>(lane)].inputs) {
      inputs.push_back(input.partition);
    }
    const std::unique_ptr<Transaction> group =
        NewKafkaTransaction(settings.kafka, settings.lane.lane, {}, log_);
    NEARDUP_ASSIGN(const std::vector<int64_t> offsets, group->CommittedOffsets(inputs));
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (offsets[i] < 0) continue;
      return Mismatch(
          fmt::format("the consumer group {} has the offset {} for {}, so that app {} "
                      "has run before; expected an app that has never run",
                      settings.kafka.app, offsets[i], TextOf(inputs[i]), settings.kafka.app));
    }
    return {};
  }

  // ---- the entries

  /// From now on no lane starts before the import is complete, even if it is killed before the
  /// first entries are committed.
  Result<void> Announce() {
    if (report_.written_before) return {};
    for (int32_t lane = 0; lane < history_.lanes(); ++lane) {
      const auto number = static_cast<size_t>(lane);
      std::optional<Delta>& newest = newest_[number];
      if (newest) continue;  // an import before this one has announced itself
      NEARDUP_ASSIGN(const std::optional<Delta> last, history_.Newest(lane));
      FreshDeltaCutter cutter(EmptyDelta(lane, last), 0, [&](Delta&& delta) -> Result<void> {
        newest = std::move(delta);
        return taken_[number]->Add(*newest);
      });
      NEARDUP_TRY(cutter.Close());
      NEARDUP_TRY(taken_[number]->Finish({}));
    }
    return {};
  }

  Result<void> Write(int32_t lane) {
    if (report_.written_before) return {};
    const auto number = static_cast<size_t>(lane);
    NEARDUP_ASSIGN(const std::optional<Delta> last, history_.Newest(lane));
    Delta empty = EmptyDelta(lane, last);
    std::map<InputPartition, uint32_t> inputs;
    for (uint32_t i = 0; i < empty.inputs.size(); ++i) inputs[empty.inputs[i].partition] = i;
    const std::optional<Delta>& newest = newest_[number];
    ended_.push_back(empty);
    FreshDeltaCutter cutter(std::move(empty), newest ? newest->writer : 0,
                            [&](Delta&& delta) -> Result<void> {
                              if (taken_.empty()) return {};
                              return taken_[number]->Add(delta);
                            });
    NEARDUP_TRY(history_.Read(lane, [&](HistoryEntry&& placed) -> Result<void> {
      const auto input = inputs.find(placed.partition);
      if (input == inputs.end()) {
        return Error{ErrorCode::kCorrupt, fmt::format("the history holds an entry of {}, and no "
                                                      "record",
                                                      TextOf(placed.partition))};
      }
      placed.entry.origin.input = input->second;
      return cutter.Add(std::move(placed.entry));
    }));
    NEARDUP_TRY(cutter.Close());
    report_.lanes[number].entries = ended_.back().entries_live = cutter.entries();
    return taken_.empty() ? Result<void>() : taken_[number]->Finish({});
  }

  /// What all deltas of the lane say. `last`: the end of its history.
  Delta EmptyDelta(int32_t lane, const std::optional<Delta>& last) const {
    const FilterOptions& filter = settings_.lane.filter;
    const std::optional<Delta>& newest = newest_[static_cast<size_t>(lane)];
    Delta empty;
    empty.lane = static_cast<uint16_t>(lane);
    empty.epoch = newest ? newest->epoch + 1 : 1;
    empty.window_ms = filter.window.window_ms;
    empty.entries_max = filter.window.entries_max;
    empty.distance_max = filter.match.distance_max;
    empty.spec = FingerprintSpec(filter);
    empty.writer = DrawId();
    empty.log_id = newest ? newest->log_id : empty.writer;
    empty.pipeline = settings_.lane.pipeline.topics;
    if (last) {
      empty.watermark_ms = last->watermark_ms;
      empty.horizon_ms = HorizonAfter(*last, filter.window);
    }
    empty.beginning = {BeganWith::kHistory, true, 1, empty.horizon_ms};
    for (const ImportedInput& input : report_.lanes[static_cast<size_t>(lane)].inputs) {
      empty.inputs.push_back({input.partition, input.next_offset, INT64_MIN});
    }
    return empty;
  }

  Result<void> CheckSpec(int32_t lane) {
    NEARDUP_ASSIGN(const std::optional<Delta> last, history_.Newest(lane));
    const std::string spec = FingerprintSpec(settings_.lane.filter);
    if (!last || last->spec == spec) return {};
    return Mismatch(
        fmt::format("the history was decided with other settings: {} (here `changelog` "
                    "means the history); use the configuration that it was decided "
                    "with, or decide it again",
                    SpecDifference(spec, last->spec)));
  }

  /// Lets the lanes start. All of them hold their entries.
  Result<void> EndAll() {
    return EndBeginnings(taken_, [this](size_t lane) -> const Delta& {
      return report_.written_before ? *newest_[lane] : ended_[lane];
    });
  }

  const Settings& settings_;
  const ImportOptions& options_;
  History history_;
  const KafkaLog& log_;
  std::vector<std::unique_ptr<StoppedLane>> taken_;  ///< by lane; empty: nothing is changed
  std::vector<std::optional<Delta>> newest_;         ///< by lane
  std::vector<Delta> ended_;  ///< by lane: what the lane is as its written deltas leave it
  HistoryImport report_;
};

}  // namespace

Result<HistoryImport> ImportHistory(const Settings& settings, const ImportOptions& options,
                                    bool execute, const KafkaLog& log) {
  NEARDUP_ASSIGN(History history, History::Open(options.folder));
  return Import(settings, options, std::move(history), log).Run(execute);
}

}  // namespace neardup
