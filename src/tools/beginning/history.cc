#include "beginning/history.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "base/file_content.h"
#include "base/hash.h"
#include "kafka/kafka_options.h"
#include "state/byte_stream.h"
#include "state/snapshot.h"

namespace neardup {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

/// Of the files that neardup.spark writes.
constexpr int kFormat = 2;
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
      in.Fail("number of records", "that of the columns");
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
      for (const Json& end : part.at("positions").at("ends")) {
        int64_t& next = lane.next_offsets[{end.at(0).get<std::string>(), end.at(1).get<int32_t>()}];
        next = std::max(next, end.at(2).get<int64_t>());
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

}  // namespace neardup
