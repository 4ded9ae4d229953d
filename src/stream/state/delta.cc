#include "stream/state/delta.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <iterator>
#include <utility>

#include "detect/base/hash.h"
#include "stream/state/byte_stream.h"

namespace neardup {

Error BeginningIsUnfinished(const Beginning& beginning, int lanes, std::string_view changelog) {
  assert(beginning.unfinished);
  const std::string command =
      beginning.with == BeganWith::kHistory
          ? "neardup import --history FOLDER --execute"
          : fmt::format("neardup lanes migrate --lanes {} --execute", lanes);
  return Fatal(
      ErrorCode::kMismatch,
      fmt::format("changelog {} holds only a part of the entries that it was being given: "
                  "`{}` was interrupted. Nothing is lost. Run the same command again, with "
                  "the configuration that it had",
                  changelog, command));
}

namespace {

constexpr std::string_view kMagic = "NDLT";
constexpr uint16_t kVersion = 11;
constexpr uint16_t kVersionWithoutNumbers = 10;
constexpr uint16_t kVersionWithoutEndpoint = 9;
constexpr uint16_t kVersionWithoutBeginning = 8;
constexpr uint16_t kVersionWithoutLanes = 7;
constexpr uint16_t kVersionWithoutGroups = 6;
constexpr uint16_t kVersionWithoutDropped = 5;
constexpr uint16_t kVersionWithoutWriter = 4;
constexpr uint16_t kVersionWithoutLearned = 3;
constexpr uint16_t kOldestVersion = 2;
constexpr size_t kChecksumBytes = 8;
constexpr size_t kTopicBytesMin = 1;
constexpr size_t kInputBytesMin = 1 + 1 + 1 + 8;
/// Bytes that stay 0 at the end of an entry. Earlier versions stored there how many numbers another
/// method had added to the entry.
constexpr size_t kEntryZeros = 2;
constexpr size_t kEntryBytesMin = 8 + 8 + 8 + 1 + 1 + 1 + 1 + kEntryZeros;
constexpr size_t kGroupBytesMin = 3 * 2 + 3 * 8 + 2 * 1;

bool HaveNumbers(const std::vector<Entry>& entries) {
  return std::ranges::any_of(entries,
                             [](const Entry& entry) { return entry.fingerprint.numbers != 0; });
}

uint16_t VersionOf(const Delta& delta) {
  assert(delta.writer != 0 || (!delta.pipeline.known() && delta.pipeline.lanes == 1));
  assert(delta.writer != 0 || (delta.dropped == 0 && delta.groups.empty()));
  assert(delta.writer != 0 || (delta.beginning == Beginning() && delta.endpoint.empty()));
  if (HaveNumbers(delta.entries)) return kVersion;
  if (!delta.endpoint.empty()) return kVersionWithoutNumbers;
  if (delta.beginning != Beginning()) return kVersionWithoutEndpoint;
  if (delta.pipeline.lanes > 1) return kVersionWithoutBeginning;
  if (!delta.groups.empty()) return kVersionWithoutLanes;
  if (delta.writer != 0) return delta.dropped == 0 ? kVersionWithoutDropped : kVersionWithoutGroups;
  return delta.learned.empty() ? kVersionWithoutLearned : kVersionWithoutWriter;
}

std::vector<std::string_view> Topics(const Delta& delta) {
  std::vector<std::string_view> topics(delta.pipeline.inputs.begin(), delta.pipeline.inputs.end());
  for (const InputProgress& input : delta.inputs) topics.push_back(input.partition.topic);
  std::ranges::sort(topics);
  topics.erase(std::unique(topics.begin(), topics.end()), topics.end());
  return topics;
}

uint64_t IndexOf(std::string_view topic, const std::vector<std::string_view>& topics) {
  const auto found = std::ranges::lower_bound(topics, topic);
  return static_cast<uint64_t>(found - topics.begin());
}

void WriteHeader(const Delta& delta, ByteWriter& out) {
  const uint16_t version = VersionOf(delta);
  out.Raw(kMagic);
  out.U16(version);
  out.U16(delta.lane);
  out.U64(delta.epoch);
  out.U64(delta.seq_first);
  out.U64(delta.seq_last);
  out.I64(delta.watermark_ms);
  out.I64(delta.horizon_ms);
  out.I64(delta.window_ms);
  out.U64(delta.entries_max);
  assert(delta.distance_max >= 0 && delta.distance_max <= UINT8_MAX);
  out.U8(static_cast<uint8_t>(delta.distance_max));
  out.U64(delta.entries_live);
  out.U64(delta.settings_seq);
  out.U8(delta.fresh ? 1 : 0);
  if (version > kVersionWithoutLearned) out.Text(delta.learned);
  if (version > kVersionWithoutWriter) {
    out.U64(delta.log_id);
    out.U64(delta.writer);
    out.U64(delta.writer_before);
  }
  if (version > kVersionWithoutDropped) out.U64(delta.dropped);
  if (version > kVersionWithoutBeginning) {
    out.U8(static_cast<uint8_t>(delta.beginning.with));
    out.U8(delta.beginning.unfinished ? 1 : 0);
    out.U64(delta.beginning.seq);
    out.I64(delta.beginning.horizon_ms);
  }
  if (version > kVersionWithoutEndpoint) out.Text(delta.endpoint);
  out.Text(delta.spec);
}

void WritePipeline(const PipelineTopics& pipeline, uint16_t version,
                   const std::vector<std::string_view>& topics, ByteWriter& out) {
  out.Varint(pipeline.inputs.size());
  for (const std::string& input : pipeline.inputs) out.Varint(IndexOf(input, topics));
  out.Text(pipeline.unique);
  out.Text(pipeline.duplicate);
  out.Text(pipeline.dead_letter);
  if (version > kVersionWithoutLanes) out.Varint(pipeline.lanes);
}

void WriteInputs(const Delta& delta, ByteWriter& out) {
  const std::vector<std::string_view> topics = Topics(delta);
  out.Varint(topics.size());
  for (const std::string_view topic : topics) out.Text(topic);
  out.Varint(delta.inputs.size());
  for (const InputProgress& input : delta.inputs) {
    out.Varint(IndexOf(input.partition.topic, topics));
    assert(input.partition.partition >= 0);
    out.Varint(static_cast<uint64_t>(input.partition.partition));
    out.Zigzag(input.next_offset);
    out.I64(input.time_ms);
  }
  const uint16_t version = VersionOf(delta);
  if (version > kVersionWithoutWriter) WritePipeline(delta.pipeline, version, topics, out);
}

void WritePosition(const Position& position, [[maybe_unused]] const Delta& delta, ByteWriter& out) {
  assert(position.input < delta.inputs.size() && position.offset >= 0);
  out.Varint(position.input);
  out.Varint(static_cast<uint64_t>(position.offset));
}

void WriteEntries(const Delta& delta, ByteWriter& out) {
  const bool with_numbers = VersionOf(delta) > kVersionWithoutNumbers;
  out.Varint(delta.entries.size());
  uint64_t time_before_ms = 0;
  for (const Entry& entry : delta.entries) {
    out.U64(entry.fingerprint.simhash);
    out.U64(entry.fingerprint.order);
    out.U64(entry.fingerprint.exact);
    if (with_numbers) out.U64(entry.fingerprint.numbers);
    const auto time_ms = static_cast<uint64_t>(entry.time_ms);
    out.Zigzag(static_cast<int64_t>(time_ms - time_before_ms));
    WritePosition(entry.origin, delta, out);
    out.U8(static_cast<uint8_t>(entry.text_keys.keys().size()));
    for (const uint32_t key : entry.text_keys.keys()) out.U32(key);
    for (size_t i = 0; i < kEntryZeros; ++i) out.U8(0);
    time_before_ms = time_ms;
  }
}

void WriteGroups(const Delta& delta, ByteWriter& out) {
  if (VersionOf(delta) <= kVersionWithoutGroups) return;
  out.Varint(delta.groups.size());
  for (const ChangedGroup& group : delta.groups) {
    WritePosition(group.original, delta, out);
    out.Varint(group.entries_after);
    out.I64(group.original_time_ms);
    out.Varint(group.copies);
    WritePosition(group.last, delta, out);
    out.I64(group.last_time_ms);
    WritePosition(group.newest, delta, out);
    out.I64(group.newest_time_ms);
  }
}

bool ReadFlag(ByteReader& in, const char* name) {
  const uint8_t flag = in.U8(name);
  if (flag > 1) in.Fail(name, fmt::format("0 or 1, found {}", flag));
  return flag == 1;
}

/// What version 3 added.
void ReadLiveEntries(ByteReader& in, Delta& delta) {
  delta.entries_live = in.U64("entries_live");
  delta.settings_seq = in.U64("settings_seq");
  delta.fresh = ReadFlag(in, "fresh");
}

/// What version 9 added.
void ReadBeginning(ByteReader& in, uint16_t version, Delta& delta) {
  const uint8_t with = in.U8("beginning");
  const uint8_t least = version == kVersionWithoutEndpoint ? 1 : 0;
  if (with < least || with > static_cast<uint8_t>(BeganWith::kLanes)) {
    in.Fail("beginning", fmt::format("{}, found {}", least == 0 ? "0 to 2" : "1 or 2", with));
  }
  delta.beginning.with = static_cast<BeganWith>(with);
  delta.beginning.unfinished = ReadFlag(in, "unfinished");
  delta.beginning.seq = in.U64("begun_seq");
  delta.beginning.horizon_ms = in.I64("begun_horizon_ms");
}

/// Returns the version.
uint16_t ReadHeader(ByteReader& in, Delta& delta) {
  in.Raw(kMagic.size(), "magic");
  const uint16_t version = in.U16("version");
  if (version < kOldestVersion || version > kVersion) {
    in.Fail("version",
            fmt::format("{} to {}, found {}; another version of neardup wrote this delta: "
                        "use that version",
                        kOldestVersion, kVersion, version));
  }
  delta.lane = in.U16("lane");
  delta.epoch = in.U64("epoch");
  delta.seq_first = in.U64("seq_first");
  delta.seq_last = in.U64("seq_last");
  delta.watermark_ms = in.I64("watermark_ms");
  delta.horizon_ms = in.I64("horizon_ms");
  delta.window_ms = in.I64("window_ms");
  delta.entries_max = in.U64("entries_max");
  delta.distance_max = in.U8("distance_max");
  if (version >= 3) ReadLiveEntries(in, delta);
  if (version >= 4) delta.learned = in.Text("learned");
  if (version >= 5) {
    delta.log_id = in.U64("log_id");
    delta.writer = in.U64("writer");
    if (delta.writer == 0 && version <= kVersionWithoutNumbers) {
      in.Fail("writer", "a number that is not 0");
    }
    delta.writer_before = in.U64("writer_before");
  }
  if (version >= 6) {
    delta.dropped = in.U64("dropped");
    if (delta.dropped == 0 && version == kVersionWithoutGroups) {
      in.Fail("dropped", "a number that is not 0");
    }
  }
  if (version >= 9) ReadBeginning(in, version, delta);
  if (version >= 10) {
    delta.endpoint = in.Text("endpoint");
    if (delta.endpoint.empty() && version == kVersionWithoutNumbers) {
      in.Fail("endpoint", "a text that is not empty");
    }
  }
  delta.spec = in.Text("spec");
  return version;
}

void ReadPipeline(ByteReader& in, const std::vector<std::string_view>& topics,
                  PipelineTopics& pipeline) {
  const size_t inputs = in.Count(1, "number of input topics");
  if (inputs > topics.size()) in.Fail("input topics", "distinct topics of the earlier list");
  for (size_t i = 0; i < inputs && in.ok(); ++i) {
    const std::string_view topic = topics[in.VarintUpTo(topics.size() - 1, "input topic")];
    if (i > 0 && topic <= pipeline.inputs.back()) in.Fail("input topics", "ascending");
    pipeline.inputs.emplace_back(topic);
  }
  pipeline.unique = in.Text("unique topic");
  pipeline.duplicate = in.Text("duplicate topic");
  pipeline.dead_letter = in.Text("dead-letter topic");
  const bool none =
      pipeline.unique.empty() && pipeline.duplicate.empty() && pipeline.dead_letter.empty();
  if (inputs == 0 && !none) in.Fail("number of input topics", "at least 1");
}

void ReadInputs(ByteReader& in, uint16_t version, Delta& delta) {
  std::vector<std::string_view> topics(in.Count(kTopicBytesMin, "number of topics"));
  for (std::string_view& topic : topics) topic = in.Text("topic");
  delta.inputs.resize(in.Count(kInputBytesMin, "number of inputs"));
  if (topics.empty() && !delta.inputs.empty()) in.Fail("topics", "the topics of the inputs");
  if (!in.ok()) return;
  for (InputProgress& input : delta.inputs) {
    input.partition.topic = topics[in.VarintUpTo(topics.size() - 1, "topic of an input")];
    input.partition.partition = static_cast<int32_t>(in.VarintUpTo(INT32_MAX, "partition"));
    input.next_offset = in.Zigzag("next_offset");
    input.time_ms = in.I64("time_ms of an input");
  }
  if (version >= 5) ReadPipeline(in, topics, delta.pipeline);
  if (version <= kVersionWithoutLanes) return;
  const uint64_t lanes = in.VarintUpTo(UINT16_MAX, "lanes");
  const uint64_t least = version == kVersionWithoutBeginning ? 2 : 1;
  if (lanes < least) in.Fail("lanes", fmt::format("{} or more, found {}", least, lanes));
  delta.pipeline.lanes = static_cast<uint16_t>(lanes);
}

void ReadTextKeys(ByteReader& in, Entry& entry) {
  for (int keys = in.U8("number of text keys"); keys > 0; --keys) {
    const uint32_t key = in.U32("text key");
    if (key == 0 || entry.text_keys.full()) in.Fail("text keys", "at most 3, none of them 0");
    if (!in.ok()) return;
    entry.text_keys.Add(key);
  }
}

Position ReadPosition(ByteReader& in, const Delta& delta, const char* input_name,
                      const char* offset_name) {
  const uint64_t input = in.VarintUpTo(delta.inputs.size() - 1, input_name);
  const uint64_t offset = in.VarintUpTo(INT64_MAX, offset_name);
  return {static_cast<uint32_t>(input), static_cast<int64_t>(offset)};
}

void ReadEntries(ByteReader& in, uint16_t version, Delta& delta) {
  delta.entries.resize(in.Count(kEntryBytesMin, "number of entries"));
  if (delta.inputs.empty() && !delta.entries.empty()) in.Fail("entries", "none without inputs");
  if (!in.ok()) return;
  uint64_t time_ms = 0;
  for (Entry& entry : delta.entries) {
    entry.fingerprint.simhash = in.U64("simhash");
    entry.fingerprint.order = in.U64("order");
    entry.fingerprint.exact = in.U64("exact");
    if (version > kVersionWithoutNumbers) entry.fingerprint.numbers = in.U64("numbers");
    time_ms += static_cast<uint64_t>(in.Zigzag("time_ms of an entry"));
    entry.time_ms = static_cast<int64_t>(time_ms);
    entry.origin = ReadPosition(in, delta, "input of an entry", "offset of an entry");
    ReadTextKeys(in, entry);
    for (size_t i = 0; i < kEntryZeros; ++i) {
      if (in.U8("end of an entry") != 0) in.Fail("end of an entry", "two zeros");
    }
  }
  if (version > kVersionWithoutNumbers && !HaveNumbers(delta.entries)) {
    in.Fail("numbers", "an entry with numbers that are not 0");
  }
}

void ReadGroups(ByteReader& in, uint16_t version, Delta& delta) {
  delta.groups.resize(in.Count(kGroupBytesMin, "number of groups"));
  if (delta.groups.empty() && version == kVersionWithoutLanes) {
    in.Fail("number of groups", "at least 1");
  }
  if (delta.inputs.empty() && !delta.groups.empty()) in.Fail("groups", "none without inputs");
  if (!in.ok()) return;
  for (ChangedGroup& group : delta.groups) {
    group.original = ReadPosition(in, delta, "input of an original", "offset of an original");
    group.entries_after = in.Varint("entries_after");
    group.original_time_ms = in.I64("time_ms of an original");
    group.copies = in.Varint("number of copies");
    if (group.copies == 0) in.Fail("number of copies", "at least 1");
    group.last = ReadPosition(in, delta, "input of a last copy", "offset of a last copy");
    group.last_time_ms = in.I64("last_time_ms of a group");
    group.newest = ReadPosition(in, delta, "input of a newest record", "offset of a newest record");
    group.newest_time_ms = in.I64("newest_time_ms of a group");
  }
}

/// Since version 11 a delta without a writer, as an embedded filter has it, is complete, too.
void CheckWithoutWriter(ByteReader& in, const Delta& delta) {
  if (delta.writer != 0) return;
  const bool plain = !delta.pipeline.known() && delta.pipeline.lanes == 1 && delta.dropped == 0 &&
                     delta.groups.empty() && delta.beginning == Beginning() &&
                     delta.endpoint.empty();
  if (!plain) in.Fail("writer", "a number that is not 0");
}

/// The bytes before the checksum, if the checksum is right.
Result<std::string_view> CheckedBody(std::string_view bytes) {
  if (bytes.size() < kMagic.size() + kChecksumBytes || bytes.substr(0, kMagic.size()) != kMagic) {
    return Error{ErrorCode::kCorrupt,
                 fmt::format("byte 0 of {}, magic: expected \"NDLT\"; this is not a delta, or only "
                             "a part of one; docs/recovery.md says what to do",
                             bytes.size())};
  }
  const size_t body_bytes = bytes.size() - kChecksumBytes;
  ByteReader tail(bytes.substr(body_bytes));
  if (tail.U64("checksum") != Hash64(bytes.substr(0, body_bytes))) {
    return Error{ErrorCode::kCorrupt,
                 fmt::format("byte {} of {}, checksum: expected the XXH3-64 of all bytes before; "
                             "the delta is damaged; docs/recovery.md says what to do",
                             body_bytes, bytes.size())};
  }
  return bytes.substr(0, body_bytes);
}

size_t ContentBytes(const Delta& delta) {
  return delta.groups.size() * kEncodedGroupBytesMax + delta.entries.size() * kEncodedEntryBytesMax;
}

/// True if an input number means the same in both.
bool KeepsInputNumbers(const Delta& delta, const Delta& next) {
  return delta.inputs.size() <= next.inputs.size() &&
         std::equal(delta.inputs.begin(), delta.inputs.end(), next.inputs.begin(),
                    [](const InputProgress& a, const InputProgress& b) {
                      return a.partition == b.partition;
                    });
}

}  // namespace

std::string Encode(const Delta& delta) {
  ByteWriter out;
  WriteHeader(delta, out);
  WriteInputs(delta, out);
  WriteEntries(delta, out);
  WriteGroups(delta, out);
  out.U64(Hash64(out.bytes()));
  return out.Take();
}

Result<Delta> DecodeDelta(std::string_view bytes) {
  NEARDUP_ASSIGN(const std::string_view body, CheckedBody(bytes));
  ByteReader in(body);
  Delta delta;
  const uint16_t version = ReadHeader(in, delta);
  ReadInputs(in, version, delta);
  ReadEntries(in, version, delta);
  if (version > kVersionWithoutGroups && in.ok()) ReadGroups(in, version, delta);
  if (version > kVersionWithoutNumbers && in.ok()) CheckWithoutWriter(in, delta);
  if (in.remaining() > 0) in.Fail("checksum", "to follow the entries or groups immediately");
  if (!in.ok()) return in.error();
  return delta;
}

bool FollowsDelta(const Delta& next, uint64_t writer, uint64_t seq_last) {
  return !next.fresh && next.seq_first == seq_last + 1 &&
         (next.writer_before == writer || next.writer == writer);
}

Error DeltaDoesNotFollow(int64_t offset) {
  return {ErrorCode::kCorrupt,
          fmt::format("the delta at changelog offset {} does not follow what was read before: the "
                      "changelog was deleted and created again, or restored from a copy, or it has "
                      "a hole; reading it from its beginning",
                      offset)};
}

bool CanMerge(const Delta& delta, const Delta& next) {
  return FollowsDelta(next, delta.writer, delta.seq_last) && next.lane == delta.lane &&
         next.spec == delta.spec && KeepsInputNumbers(delta, next) &&
         ContentBytes(delta) + ContentBytes(next) <= kDeltaBytesTarget;
}

void Merge(Delta& delta, Delta&& next) {
  assert(CanMerge(delta, next));
  const uint64_t seq_first = delta.seq_first;
  const bool fresh = delta.fresh;
  const uint64_t writer_before = delta.writer_before;
  const uint64_t epoch = std::max(delta.epoch, next.epoch);
  // A restart forgets which inputs were idle, so the watermark may go back. Entries that an earlier
  // watermark has expired stay expired.
  const int64_t watermark_ms = std::max(delta.watermark_ms, next.watermark_ms);
  const int64_t horizon_ms = std::max(delta.horizon_ms, next.horizon_ms);
  std::string learned = std::move(delta.learned.empty() ? next.learned : delta.learned);
  std::vector<Entry> entries = std::move(delta.entries);
  entries.insert(entries.end(), std::make_move_iterator(next.entries.begin()),
                 std::make_move_iterator(next.entries.end()));
  std::vector<ChangedGroup> groups = std::move(delta.groups);
  for (ChangedGroup& group : groups) group.entries_after += next.entries.size();
  groups.insert(groups.end(), next.groups.begin(), next.groups.end());
  PipelineTopics pipeline = std::move(next.pipeline.known() ? next.pipeline : delta.pipeline);
  delta = std::move(next);
  delta.seq_first = seq_first;
  delta.fresh = fresh;
  delta.writer_before = writer_before;
  delta.epoch = epoch;
  delta.watermark_ms = watermark_ms;
  delta.horizon_ms = horizon_ms;
  delta.learned = std::move(learned);
  delta.pipeline = std::move(pipeline);
  delta.entries = std::move(entries);
  delta.groups = std::move(groups);
}

}  // namespace neardup
