#include "service/run/lane_pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "kafka/topics.h"
#include "service/topics/stopped_lane.h"
#include "stream/state/delta.h"

namespace neardup {
namespace {

/// A pipeline must not silently start from nothing because the default of `app` has changed.
Result<void> CheckOldDefaultApp(const Settings& settings, const KafkaLog& log) {
  if (!settings.app_is_default) return {};
  Settings old = settings;
  old.kafka.app = kPlainApp;
  const Result<bool> begun = HasChangelog(old.kafka, old.lane.lane, log);
  if (!begun.ok() || !*begun) return {};
  const Result<std::optional<Delta>> newest = ReadNewestDelta(old, log);
  if (!newest.ok() || !*newest) return {};
  const std::vector<std::string>& ours = settings.lane.pipeline.topics.inputs;
  const PipelineTopics theirs = TopicsOfLane((*newest)->pipeline, (*newest)->inputs);
  const auto shared =
      std::find_first_of(ours.begin(), ours.end(), theirs.inputs.begin(), theirs.inputs.end());
  if (shared == ours.end()) return {};
  return Fatal(
      ErrorCode::kConfig,
      fmt::format("app {0} has decided nothing yet, but app {1} {2}, up to seq {3}, and {1} was "
                  "the app of every pipeline without a name in older versions. To go on where it "
                  "is, set app: {1}. To start a new pipeline beside it, set app: {0}",
                  settings.kafka.app, kPlainApp, TextOf(theirs), (*newest)->seq_last));
}

/// The changelog of the lane.
std::string NameOf(const Settings& settings) {
  return fmt::format("{}/{}", ChangelogTopic(settings.kafka), settings.lane.lane);
}

Error OtherPipelineOf(const Settings& settings, const PipelineTopics& found) {
  return OtherPipeline(settings.lane.pipeline, found, NameOf(settings));
}

Result<void> CheckFinished(const Settings& settings, const Delta& newest) {
  if (!newest.beginning.unfinished) return {};
  return BeginningIsUnfinished(newest.beginning, newest.pipeline.lanes, NameOf(settings));
}

/// A lane that never began must not begin among lanes of another number. What cannot be read of
/// another lane is an error: the lane would begin without an answer.
Result<void> CheckOtherLanes(const Settings& settings, const KafkaLog& log) {
  for (int32_t lane = 0; lane < settings.kafka.lanes; ++lane) {
    if (lane == settings.kafka.lane) continue;
    const Settings other = OfLane(settings, lane);
    const Result<bool> begun = HasChangelog(other.kafka, other.lane.lane, log);
    if (!begun.ok()) return begun.error();
    if (!*begun) continue;
    NEARDUP_ASSIGN(const std::optional<Delta> newest, ReadNewestDelta(other, log));
    if (!newest) continue;
    NEARDUP_TRY(CheckFinished(other, *newest));
    const PipelineTopics found = TopicsOfLane(newest->pipeline, newest->inputs);
    if (found.lanes != settings.lane.pipeline.topics.lanes) return OtherPipelineOf(other, found);
    return {};
  }
  return {};
}

}  // namespace

Result<std::optional<PipelineTopics>> FindPipeline(const Settings& settings, const KafkaLog& log) {
  const std::optional<PipelineTopics> nothing;
  const Result<bool> begun = HasChangelog(settings.kafka, settings.lane.lane, log);
  if (!begun.ok() && begun.error().code == ErrorCode::kUnavailable) return begun.error();
  if (!begun.ok()) return nothing;  // the lane names the right that is missing
  Result<std::optional<Delta>> newest = std::optional<Delta>();
  if (*begun) newest = ReadNewestDelta(settings, log);
  if (!newest.ok()) return nothing;
  if (!*newest) {  // the changelog may hold records that were never committed
    NEARDUP_TRY(CheckOldDefaultApp(settings, log));
    NEARDUP_TRY(CheckOtherLanes(settings, log));
    return nothing;
  }
  NEARDUP_TRY(CheckFinished(settings, **newest));
  const Pipeline& pipeline = settings.lane.pipeline;
  PipelineTopics found = TopicsOfLane((*newest)->pipeline, (*newest)->inputs);
  switch (Compare(pipeline, found)) {
    case PipelineMatch::kSame:
      return nothing;
    case PipelineMatch::kChanges:
      return std::optional(std::move(found));
    case PipelineMatch::kOther:
      break;
  }
  return OtherPipelineOf(settings, found);
}

KeptLease::KeptLease(std::unique_ptr<Lease> lease) : lease_(std::move(lease)) {}

void KeptLease::Release() {
  if (keep_) {
    const Result<bool> held = lease_->Held();
    kept_ = held.ok() && *held;
  }
  if (!kept_) lease_->Release();
}

std::unique_ptr<Lease> KeptLease::Take() { return kept_ ? std::move(lease_) : nullptr; }

}  // namespace neardup
