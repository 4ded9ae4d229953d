#include "stream/lane/simulated_world.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "stream/state/delta.h"
#include "stream/state/lane_state.h"

namespace neardup {
namespace {

constexpr int64_t kBaseMs = 1'700'000'000'000;
constexpr size_t kPreloaded = 985;
constexpr size_t kWrittenMax = 400;
const InputPartition kOld{"old", 0};
const std::string kRecreated = "b";

/// What a lane decided before the schedule begins.
struct Past {
  std::vector<MemoryRecord> records;
  std::vector<MemoryOutput> outputs;
  std::vector<std::string> deltas;
};

Past MakePast(FilterOptions options) {
  options.window = {};
  Past past;
  Fingerprinter fingerprinter(options);
  const std::unique_ptr<LaneState> state = LaneState::New(options, 0).value();
  const uint32_t input = *state->AddInput(kOld, 0);
  SeededRandom random(1);
  for (uint64_t i = 0; i < kPreloaded; ++i) {
    std::string text;
    for (int word = 0; word < 8; ++word) text += fmt::format("p{} ", random.Below(1'000'000));
    const auto offset = static_cast<int64_t>(i);
    MemoryRecord record{.offset = offset,
                        .timestamp_ms = kBaseMs - 30'000 + offset * 30,
                        .value = fmt::format(R"({{"text":"{}"}})", text),
                        .id = i + 1};
    const Position position{input, offset};
    MemoryOutput output;
    output.verdict = state->filter().Decide(
        fingerprinter.Compute({position, record.timestamp_ms, record.value}));
    output.seq = state->Advance(position);
    output.input = kOld;
    output.offset = offset;
    output.value = record.value;
    output.record_id = record.id;
    past.outputs.push_back(std::move(output));
    past.records.push_back(std::move(record));
  }
  for (const Delta& delta : state->Uncommitted()) past.deltas.push_back(Encode(delta));
  return past;
}

}  // namespace

SimulatedWorld::SimulatedWorld(const Schedule& schedule_in, const Trace& trace_in)
    : schedule(schedule_in), trace(trace_in), random(schedule_in.seed * 2 + 1) {
  broker.marks_changelog = random.Chance(800);
  broker.marks_late = random.Chance(500);
  broker.sends_deltas_late = random.Chance(300);
  broker.copies_ends = random.Chance(300);
  members.resize(schedule.instances);
  event_ms_ = kBaseMs;
  broker.inputs[{"a", 0}];
  broker.inputs[{"a", 1}];
  broker.inputs[{kRecreated, 0}];
  if (schedule.preloaded) Preload();
  for (size_t i = 0; i < schedule.records; ++i) Append(PickInput(), 1);
}

void SimulatedWorld::Preload() {
  thread_local const Past past = MakePast(schedule.options.filter);
  for (const MemoryRecord& record : past.records) {
    written.push_back({.input = kOld, .record = record});
  }
  broker.outputs = past.outputs;
  for (const std::string& delta : past.deltas) broker.changelog.emplace_back(delta);
  broker.commits.push_back({past.outputs.size(), past.deltas});
  broker.unknown_topics.insert(kOld.topic);
}

// ---- inputs

void SimulatedWorld::Append(const InputPartition& input, size_t records) {
  for (size_t i = 0; i < records; ++i) {
    std::string text;
    const uint64_t family = random.Below(8);
    for (uint64_t word = 0; word < 8; ++word) {
      text += fmt::format("w{} ", family * 100 + word + (random.Below(25) == 0 ? 50 : 0));
    }
    WrittenRecord row{.input = input, .generation = generations_[input.topic], .record = {}};
    row.record.value = fmt::format(R"({{"text":"{}"}})", text);
    if (random.Below(40) == 0) row.record.value = "{broken";
    if (random.Below(80) == 0) row.record.value.reset();
    event_ms_ += static_cast<int64_t>(random.Below(600));
    row.record.timestamp_ms = event_ms_ - static_cast<int64_t>(random.Below(2000));
    if (random.Below(50) == 0)
      row.record.timestamp_ms -= static_cast<int64_t>(random.Below(60'000));
    row.record.offset = broker.End(input) + (random.Below(6) == 0 ? 2 : 0);
    row.record.id = written.size() + 1;
    broker.inputs[input].push_back(row.record);
    broker.control_records[input] = random.Below(8) == 0 ? 1 : 0;
    written.push_back(std::move(row));
  }
}

InputPartition SimulatedWorld::PickInput() {
  std::vector<InputPartition> inputs;
  for (const auto& [input, records] : broker.inputs) {
    if (!offset_before_deletion_ || input.topic != kRecreated) inputs.push_back(input);
  }
  return random.Pick(inputs);
}

void SimulatedWorld::NoteDecided() {
  decided_.resize(written.size(), false);
  for (; noted_outputs_ < broker.outputs.size(); ++noted_outputs_) {
    const uint64_t id = broker.outputs[noted_outputs_].record_id;
    if (id > 0 && id <= decided_.size()) decided_[id - 1] = true;
  }
}

std::optional<std::string> SimulatedWorld::FindUndecided() {
  NoteDecided();
  while (first_undecided_ < written.size() &&
         (decided_[first_undecided_] || written[first_undecided_].may_be_missing)) {
    ++first_undecided_;
  }
  if (first_undecided_ == written.size()) return {};
  const WrittenRecord& row = written[first_undecided_];
  return fmt::format("{}/{}/{}", row.input.topic, row.input.partition, row.record.offset);
}

void SimulatedWorld::MarkMissing(const InputPartition& input, int64_t below) {
  NoteDecided();
  for (size_t i = 0; i < written.size(); ++i) {
    WrittenRecord& row = written[i];
    if (row.input != input || row.record.offset >= below || decided_[i]) continue;
    if (row.generation != generations_[input.topic]) continue;
    row.may_be_missing = true;
  }
}

void SimulatedWorld::Grow() {
  if (written.size() > kWrittenMax + kPreloaded) return;
  if (random.Below(12) == 0) {
    broker.inputs[{"a", 2}];
    Tell("new partition a/2");
  }
  const InputPartition input = PickInput();
  const size_t records = 1 + random.Below(6);
  Append(input, records);
  Tell(fmt::format("{} records more in {}/{}", records, input.topic, input.partition));
}

void SimulatedWorld::WriteTransaction() {
  const InputPartition input = PickInput();
  const auto open = broker.open_from.find(input);
  if (open != broker.open_from.end()) {
    EndWriteTransaction(input, random.Chance(500));
    return;
  }
  broker.open_from[input] = broker.End(input);
  Append(input, 1 + random.Below(4));
  Tell(fmt::format("transaction open in {}/{}", input.topic, input.partition));
}

void SimulatedWorld::EndWriteTransaction(InputPartition input, bool commit) {
  const int64_t from = broker.open_from[input];
  broker.open_from.erase(input);
  Tell(fmt::format("transaction {} in {}/{}", commit ? "committed" : "aborted", input.topic,
                   input.partition));
  if (commit) return;
  std::vector<MemoryRecord>& records = broker.inputs[input];
  const int64_t end = broker.End(input);
  while (!records.empty() && records.back().offset >= from) {
    written[records.back().id - 1].may_be_missing = true;
    records.pop_back();
  }
  broker.control_records[input] = end - (records.empty() ? 0 : records.back().offset + 1);
}

void SimulatedWorld::DeleteDecided() {
  const InputPartition input = PickInput();
  const auto group = broker.group_offsets.find(input);
  if (group == broker.group_offsets.end()) return;
  int64_t& below = broker.deleted_below[input];
  below = std::max(below, group->second);
  Tell(fmt::format("{}/{} begins at {}", input.topic, input.partition, below));
}

void SimulatedWorld::DeleteUndecided() {
  const InputPartition input = PickInput();
  int64_t& below = broker.deleted_below[input];
  const int64_t end = broker.StableEnd(input);
  if (below >= end) return;
  below += 1 + static_cast<int64_t>(random.Below(static_cast<uint64_t>(end - below)));
  MarkMissing(input, below);
  input_lost = true;  // offsets without a record count, too: the lane cannot know
  Tell(fmt::format("retention: {}/{} begins at {}", input.topic, input.partition, below));
}

/// The lane must have read more than the new log will hold; otherwise it cannot know that this is
/// another log. It must not lose its changelog as well: the group has forgotten how far the topic
/// was read, and nothing tells which seq numbers are used (docs/limits.md).
void SimulatedWorld::DeleteTopic() {
  const InputPartition input{kRecreated, 0};
  const auto group = broker.group_offsets.find(input);
  if (changelog_lost || offset_before_deletion_ || group == broker.group_offsets.end() ||
      group->second < 3)
    return;
  offset_before_deletion_ = group->second;
  broker.DeleteTopic(kRecreated);
  MarkMissing(input, INT64_MAX);
  input_lost = true;
  Tell("topic b is deleted");
}

void SimulatedWorld::RecreateTopic() {
  if (!broker.missing_topics.contains(kRecreated)) return;
  const InputPartition input{kRecreated, 0};
  const int64_t records_max = *offset_before_deletion_ - 2;
  broker.missing_topics.clear();
  broker.inputs[input].clear();
  broker.control_records[input] = 0;
  broker.deleted_below[input] = 0;
  broker.open_from.erase(input);
  ++generations_[kRecreated];
  for (int i = 0; i < 3 && broker.End(input) < records_max - 3; ++i) Append(input, 1);
  broker.control_records[input] = 0;
  Tell("topic b is created again");
}

// ---- the lease

void SimulatedWorld::Leave(size_t member) {
  members[member] = {};
  if (holder_ == member) holder_.reset();
}

void SimulatedWorld::GrantLease() {
  if (holder_) return;
  std::vector<size_t> candidates;
  for (size_t i = 0; i < members.size(); ++i) {
    if (members[i].candidate) candidates.push_back(i);
  }
  if (candidates.empty()) return;
  holder_ = random.Pick(candidates);
  Member& member = members[*holder_];
  // One that has not heard of an earlier loss hears of it before it goes on.
  member.lost = member.lost || member.held;
  member.held = true;
  Tell(fmt::format("lane {} gets the lease", *holder_));
}

/// The former holder may hear of it much later: until then only the fence protects the lane.
void SimulatedWorld::MoveLease() {
  for (Member& member : members) {
    if (!random.Chance(500)) continue;
    member.lost = member.lost || member.held;
    member.held = false;
  }
  holder_.reset();
  GrantLease();
}

// ---- what is lost

void SimulatedWorld::LoseChangelog() {
  const int64_t begin = broker.changelog_begin;
  const int64_t end = broker.ChangelogEnd();
  if (changelog_lost || offset_before_deletion_ || end - begin < 2) return;
  changelog_lost = true;
  if (random.Chance(500)) {
    broker.changelog_begin =
        begin + 1 + static_cast<int64_t>(random.Below(static_cast<uint64_t>(end - begin)));
    Tell(fmt::format("the changelog now begins at {}", broker.changelog_begin));
    return;
  }
  const int64_t lost = 1 + static_cast<int64_t>(random.Below(6));
  broker.LoseChangelogFrom(std::max(begin, end - lost));
  Tell(fmt::format("the changelog now ends at {}", broker.ChangelogEnd()));
}

void SimulatedWorld::Reset() {
  broker.Reset("lane-0");
  Tell("the lane is reset");
  holder_.reset();
  for (Member& member : members) member.lost = member.lost || member.held;
  noted_outputs_ = 0;
  first_undecided_ = 0;
  decided_.assign(written.size(), false);
  // The next start decides what the inputs hold.
  for (WrittenRecord& row : written) {
    const bool gone = row.record.offset < broker.deleted_below[row.input];
    row.may_be_missing = row.may_be_missing || gone;
  }
}

void SimulatedWorld::MoveOffsets() {
  for (auto& [input, offset] : broker.group_offsets) {
    if (offset > 0 && random.Chance(500)) {
      offset = static_cast<int64_t>(random.Below(static_cast<uint64_t>(offset)));
    }
  }
  Tell("the offsets of the group are moved back");
}

// ---- events

void SimulatedWorld::Happen() {
  const std::string id = "lane-0";
  if (!broker.late_ends.empty() && random.Chance(250)) {
    Tell("a late commit or abort arrives");
    broker.Arrive(random.Below(broker.late_ends.size()));
    return;
  }
  switch (random.Below(13)) {
    case 0:
    case 1:
      if (schedule.grows) Grow();
      return;
    case 2:
      if (schedule.transactional) WriteTransaction();
      return;
    case 3:
      DeleteDecided();
      return;
    case 4:
      if (schedule.overtakes) DeleteUndecided();
      return;
    case 5:
      if (schedule.recreates) broker.missing_topics.empty() ? DeleteTopic() : RecreateTopic();
      return;
    case 6:
      if (schedule.loses_changelog && random.Chance(200)) LoseChangelog();
      return;
    case 7:
      if (schedule.moves_offsets) MoveOffsets();
      return;
    case 8:
    case 9:
      MoveLease();
      return;
    case 10:
      if (broker.IsOpen(id)) Tell("the broker aborts the open transaction: it lasted too long");
      broker.TimeOut(id);
      return;
    case 11:
      broker.Settle(id);
      return;
    default:
      if (random.Chance(200)) {
        now_ms += static_cast<int64_t>(random.Below(12'000));
      } else if (!broker.unreachable.empty()) {
        broker.unreachable.clear();
      } else if (random.Chance(300)) {
        broker.unreachable.insert(PickInput());
      }
      return;
  }
}

void SimulatedWorld::EndFaults() {
  quiet = true;
  broker.copies_ends = false;
  Tell("the faults end");
  RecreateTopic();
  broker.unreachable.clear();
  while (!broker.open_from.empty()) {
    EndWriteTransaction(broker.open_from.begin()->first, random.Chance(500));
  }
  if (random.Chance(500)) {
    while (!broker.late_ends.empty()) broker.Arrive(0);
  }
  broker.late_ends.clear();
  for (size_t i = 0; i < members.size(); ++i) {
    members[i].held = holder_ == i;
  }
}

}  // namespace neardup
