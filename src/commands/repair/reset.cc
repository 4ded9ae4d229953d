#include "commands/repair/reset.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "detect/base/quantity.h"
#include "detect/base/random.h"
#include "kafka/consumer_group.h"
#include "kafka/topic_admin.h"
#include "kafka/topics.h"
#include "service/topics/stopped_lane.h"
#include "service/topics/topic_reading.h"
#include "stream/state/pipeline.h"
#include "stream/state/snapshot.h"

namespace neardup {
namespace {

constexpr const char* kAddExecute = "nothing is changed yet: add --execute\n";

std::string Count(int64_t number) { return Grouped(static_cast<uint64_t>(number)); }

Result<int64_t> TargetOf(const InputMove& move, const OffsetBounds& bounds) {
  if (move.to == "earliest") return bounds.begin;
  if (move.to == "latest") return bounds.end;
  int64_t offset = -1;
  const char* end = move.to.data() + move.to.size();
  const bool number = std::from_chars(move.to.data(), end, offset).ptr == end && !move.to.empty();
  if (number && offset >= bounds.begin && offset <= bounds.end) return offset;
  return Error{ErrorCode::kConfig,
               fmt::format("--to: found {} for {}, expected earliest, latest or an offset that the "
                           "log holds, {} to {}",
                           move.to, TextOf(move.partition), bounds.begin, bounds.end)};
}

std::string MoveText(const InputProgress& input, int64_t target, const OffsetBounds& bounds) {
  const int64_t now = input.next_offset;
  const std::string name = TextOf(input.partition);
  if (target == now) return fmt::format("{}: stays at offset {}\n", name, now);
  if (target < now) {
    return fmt::format(
        "{}: goes back from offset {} to {}; up to {} records are decided again, and are then in "
        "the outputs twice\n",
        name, now, target, Count(now - target));
  }
  const int64_t gone = std::clamp(bounds.begin - now, int64_t{0}, target - now);
  return fmt::format(
      "{}: goes forward from offset {} to {}; {} offsets are skipped: {} are gone from the log, "
      "and up to {} records are still in it and will be in no output\n",
      name, now, target, Count(target - now), Count(gone), Count(target - now - gone));
}

/// The next delta of the lane: no entries, and the inputs at their new offsets.
struct PlannedMove {
  Delta delta;
  std::string text;
};

Result<PlannedMove> Plan(const Settings& settings, const std::vector<InputMove>& moves,
                         const KafkaLog& log) {
  NEARDUP_ASSIGN(std::optional<ChangelogSummary> changelog, ReadChangelog(settings, log));
  if (!changelog) {
    return Error{ErrorCode::kNotFound,
                 fmt::format("changelog {} holds nothing, so there is no offset to move; the first "
                             "start begins where input.start says",
                             ChangelogTopic(settings.kafka))};
  }
  PlannedMove plan{.delta = std::move(changelog->last), .text = {}};
  Delta& delta = plan.delta;
  delta.seq_first = delta.seq_last + 1;
  delta.fresh = false;
  ++delta.epoch;
  delta.writer_before = delta.writer;
  delta.writer = DrawId();
  if (delta.log_id == 0) delta.log_id = delta.writer;
  for (const InputMove& move : moves) {
    const auto input =
        std::find_if(delta.inputs.begin(), delta.inputs.end(),
                     [&](const InputProgress& known) { return known.partition == move.partition; });
    if (input == delta.inputs.end()) {
      std::vector<std::string> known;
      for (const InputProgress& row : delta.inputs) known.push_back(TextOf(row.partition));
      return Error{ErrorCode::kConfig,
                   fmt::format("--partition: found {}, expected an input partition of app {}: {}",
                               TextOf(move.partition), settings.kafka.app, fmt::join(known, ", "))};
    }
    NEARDUP_ASSIGN(const std::vector<OffsetBounds> bounds,
                   ListOffsetBounds(settings.kafka, {&move.partition, 1}, log));
    NEARDUP_ASSIGN(const int64_t target, TargetOf(move, bounds[0]));
    plan.text += MoveText(*input, target, bounds[0]);
    input->next_offset = target;
  }
  plan.text += fmt::format("the index keeps its {} entries, up to seq {}\n",
                           Grouped(changelog->entries), delta.seq_last);
  return plan;
}

/// About the output topics, which stay.
std::string OutputText(const Settings& settings, const std::vector<InputPartition>& inputs) {
  std::vector<std::string> names;
  for (const InputPartition& input : inputs) {
    for (const std::string& topic : OutputsOf(settings.kafka, input.topic)) {
      if (std::find(names.begin(), names.end(), topic) == names.end()) names.push_back(topic);
    }
  }
  return fmt::format(
      "stays: {}. The next start writes the records again. Delete these topics, or choose other "
      "names (output), or set output.on_foreign_records: continue\n",
      fmt::join(names, ", "));
}

std::vector<std::string> LeaseTopicsOf(const std::vector<Settings>& lanes) {
  std::vector<std::string> topics;
  for (const Settings& each : lanes) topics.push_back(LeaseTopic(each.kafka));
  return topics;
}

}  // namespace

Result<std::string> MoveInputs(const Settings& settings, const std::vector<InputMove>& moves,
                               bool execute, const KafkaLog& log) {
  if (!execute) {
    NEARDUP_ASSIGN(const PlannedMove plan, Plan(settings, moves, log));
    return plan.text + kAddExecute;
  }
  NEARDUP_ASSIGN(const std::unique_ptr<StoppedLane> lane, StoppedLane::Take(settings, log));
  // Nobody can write to the changelog from here on.
  NEARDUP_ASSIGN(const PlannedMove plan, Plan(settings, moves, log));
  NEARDUP_TRY(lane->Commit({plan.delta}));
  return plan.text + "done: the next start continues there\n";
}

Result<std::string> ForgetLane(const Settings& settings, bool execute, const KafkaLog& log) {
  const KafkaOptions& kafka = settings.kafka;
  const std::string changelog = ChangelogTopic(kafka);
  std::vector<Settings> lanes;
  for (int32_t lane = 0; lane < kafka.lanes; ++lane) lanes.push_back(OfLane(settings, lane));
  const std::string lease = fmt::format("{}", fmt::join(LeaseTopicsOf(lanes), ", "));
  std::vector<InputPartition> inputs;
  for (const Settings& each : lanes) {
    NEARDUP_ASSIGN(const std::vector<InputPartition> read, ListPartitions(each.kafka, log));
    inputs.insert(inputs.end(), read.begin(), read.end());
  }
  NEARDUP_ASSIGN(const std::vector<OffsetBounds> bounds, ListOffsetBounds(kafka, inputs, log));
  // A changelog that cannot be read is a reason for a reset, and no obstacle.
  const Result<std::optional<ChangelogSummary>> summary = ReadChangelog(settings, log);
  if (!summary.ok() && summary.error().code != ErrorCode::kCorrupt) return summary.error();

  const char* const deleted = execute ? "deleted" : "would be deleted";
  std::string text = fmt::format("app {} {} forgotten:\n", kafka.app, execute ? "is" : "would be");
  if (kafka.lanes > 1) {
    text += fmt::format("all {} lanes; the figures of the index are for lane {}\n", kafka.lanes,
                        kafka.lane);
  }
  text += fmt::format("{}: consumer groups {} and {}\n", deleted, kafka.app, lease);
  if (!summary.ok()) {
    text += fmt::format("{}: topic {} ({})\n", deleted, changelog, summary.error().text);
  } else if (*summary) {
    const Delta& last = (*summary)->last;
    text += fmt::format("{}: topic {} with {} entries of the index, up to seq {}, which {}\n",
                        deleted, changelog, Grouped((*summary)->entries), last.seq_last,
                        TextOf(TopicsOfLane(last.pipeline, last.inputs)));
  } else {
    text += fmt::format("{}: topic {}, which holds nothing\n", deleted, changelog);
  }
  text += fmt::format("{}: topic {}\n", deleted, lease);
  const std::filesystem::path folder = settings.state_dir.empty()
                                           ? std::filesystem::path()
                                           : SnapshotFolder(settings.state_dir, settings.lane.lane);
  if (!folder.empty()) text += fmt::format("{}: folder {}\n", deleted, folder.string());
  for (size_t i = 0; i < inputs.size(); ++i) {
    const bool earliest = settings.lane.start_at == StartAt::kEarliest;
    text += fmt::format("read again: {} from offset {} ({} offsets)\n", TextOf(inputs[i]),
                        earliest ? bounds[i].begin : bounds[i].end,
                        Count(earliest ? bounds[i].end - bounds[i].begin : 0));
  }
  text += OutputText(settings, inputs);
  if (!execute) return text + kAddExecute;

  // A paused instance is not a member of the lease's group. It must not be able to commit again.
  for (const Settings& each : lanes) {
    const auto lane = StoppedLane::Take(each, log);
    // The lane is taken even if the changelog or an output does not exist.
    if (!lane.ok() && lane.error().code != ErrorCode::kNotFound) return lane.error();
  }
  NEARDUP_ASSIGN(std::shared_ptr<Client> client, Client::New(kafka, ClientRole::kWatermark, log));
  TopicAdmin admin(std::move(client), kafka);
  // The offsets go first: a changelog without offsets is still a whole lane.
  NEARDUP_TRY(admin.DeleteGroup(kafka.app));
  NEARDUP_TRY(admin.Delete(changelog));
  for (const Settings& each : lanes) {
    NEARDUP_TRY(admin.DeleteGroup(LeaseTopic(each.kafka)));
    NEARDUP_TRY(admin.Delete(LeaseTopic(each.kafka)));
  }
  if (!folder.empty()) {
    std::error_code error;
    std::filesystem::remove_all(folder, error);
    if (error) {
      return Error{ErrorCode::kIo,
                   fmt::format("{}: cannot be deleted: {}", folder.string(), error.message())};
    }
  }
  return text + "done: the next start is a first start\n";
}

}  // namespace neardup
