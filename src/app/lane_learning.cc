#include "app/lane_learning.h"

#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include "app/record_sample.h"
#include "app/stopped_lane.h"
#include "kafka/topics.h"

namespace neardup {
namespace {

constexpr std::chrono::seconds kPause(1);

/// The sample. It holds no record if all topics are empty, or if one of them is missing.
Result<std::vector<Message>> ReadSample(const Settings& settings, const KafkaLog& log) {
  const LearningSettings& learning = settings.learning;
  const SampleEnd end =
      learning.sample == StartAt::kLatest ? SampleEnd::kNewest : SampleEnd::kOldest;
  Result<std::vector<Message>> sample =
      ReadTopicSample(settings.kafka, static_cast<size_t>(learning.records_max), end, log);
  if (!sample.ok() && sample.error().code == ErrorCode::kNotFound) {
    return std::vector<Message>();
  }
  return sample;
}

}  // namespace

bool LearnedSearch::Add(const Delta& delta) {
  state_.begun = true;
  if (delta.seq_first < settings_seq_) return true;
  // A reindex may follow another one with no record between them.
  if (delta.fresh || state_.learned.empty()) state_.learned = delta.learned;
  const bool decided_any = delta.seq_first <= delta.seq_last;
  return state_.learned.empty() || !decided_any;
}

Result<LearnedState> ReadLearned(const Settings& settings, const KafkaLog& log) {
  NEARDUP_ASSIGN(const std::optional<Delta> newest, ReadNewestDelta(settings, log));
  if (!newest) return LearnedState();
  LearnedSearch search(newest->settings_seq);
  NEARDUP_TRY(
      ReadOldestDeltas(settings, log, [&search](const Delta& delta) { return search.Add(delta); }));
  return search.state();
}

Result<LearnedOptions> TakeLearnedText(const std::string& learned, Settings& settings) {
  FilterOptions& filter = settings.lane.filter;
  NEARDUP_ASSIGN(LearnedOptions options,
                 ParseLearned(learned, filter, "changelog " + ChangelogTopic(settings.kafka)));
  TakeLearned(options.options, settings.learning.kept, filter);
  settings.lane.learned = learned;
  settings.reference = options.profile;
  return options;
}

Result<void> TakeLearnedOf(LoadedConfig& config, const KafkaLog& log) {
  Settings& settings = config.settings;
  if (!settings.learning.on || settings.kafka.topics.empty()) return {};
  NEARDUP_ASSIGN(const LearnedState state, ReadLearned(settings, log));
  if (state.learned.empty()) return {};
  NEARDUP_TRY(TakeLearnedText(state.learned, settings));
  for (const std::string& path : LearnablePaths()) {
    if (settings.learning.kept.contains(path)) continue;
    config.sources[path] = {ValueSource::Kind::kLearned, ChangelogTopic(settings.kafka), 0};
  }
  return {};
}

Result<LearnedOptions> LearnFromTopics(const Settings& settings, const KafkaLog& log,
                                       const std::function<Result<void>(size_t)>& waiting) {
  using SteadyClock = std::chrono::steady_clock;
  const LearningSettings& learning = settings.learning;
  const bool waits = settings.lane.start_at == StartAt::kEarliest;
  std::optional<SteadyClock::time_point> first_at;
  while (true) {
    NEARDUP_ASSIGN(const std::vector<Message> sample, ReadSample(settings, log));
    const auto now = SteadyClock::now();
    if (!sample.empty() && !first_at) first_at = now;
    const bool late = first_at && now - *first_at >= std::chrono::milliseconds(learning.wait_ms);
    if (!waits || late || sample.size() >= static_cast<size_t>(learning.records_min)) {
      return LearnOptions(ViewsOf(sample), settings.lane.filter, learning.kept,
                          static_cast<size_t>(learning.records_min));
    }
    NEARDUP_TRY(waiting(sample.size()));
    std::this_thread::sleep_for(kPause);
  }
}

}  // namespace neardup
