#include "service/topics/lane_learning.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "detect/base/quantity.h"
#include "service/topics/record_sample.h"
#include "service/topics/stopped_lane.h"

namespace neardup {
namespace {

constexpr std::chrono::seconds kPause(1);

/// The sample. It holds no record if all topics are empty, or if one of them is missing.
Result<std::vector<Message>> ReadSample(const Settings& settings, const KafkaLog& log) {
  const LearningSettings& learning = settings.learning;
  Result<std::vector<Message>> sample = ReadTopicSample(
      settings.kafka, static_cast<size_t>(learning.records_max), learning.sample, log);
  if (!sample.ok() && sample.error().code == ErrorCode::kNotFound) {
    return std::vector<Message>();
  }
  return sample;
}

LearnedOptions LearnFrom(const std::vector<Message>& sample, const Settings& settings) {
  return LearnOptions(ViewsOf(sample), settings.lane.filter, settings.learning.kept,
                      static_cast<size_t>(settings.learning.records_min));
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

Result<std::optional<LearnedOptions>> TakeLearnedOf(LoadedConfig& config, const KafkaLog& log) {
  Settings& settings = config.settings;
  if (!settings.learning.on || settings.kafka.topics.empty()) return {std::nullopt};
  NEARDUP_ASSIGN(const LearnedState state, ReadLearned(settings, log));
  if (state.learned.empty()) return {std::nullopt};
  NEARDUP_ASSIGN(LearnedOptions learned, TakeLearnedText(state.learned, settings));
  for (const std::string& path : LearnablePaths()) {
    if (settings.learning.kept.contains(path)) continue;
    config.sources[path] = {ValueSource::Kind::kLearned, ChangelogTopic(settings.kafka), 0};
  }
  return {std::move(learned)};
}

Result<LearnedOptions> LearnNow(const Settings& settings, const KafkaLog& log) {
  NEARDUP_ASSIGN(const std::vector<Message> sample, ReadSample(settings, log));
  return LearnFrom(sample, settings);
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
      return LearnFrom(sample, settings);
    }
    NEARDUP_TRY(waiting(sample.size()));
    std::this_thread::sleep_for(kPause);
  }
}

std::string WhatFollows(const Settings& settings) {
  return fmt::format(
      "these settings are provisional: the lane learns again by itself when it has decided {} "
      "records (auto.records_min), but not after {} records; to learn at another time, stop all "
      "instances and run `neardup reindex --execute`",
      Grouped(static_cast<uint64_t>(settings.learning.records_min)),
      Grouped(LaterLearning::kSeqMax));
}

namespace {

constexpr int kWindowsInARow = 2;

/// Other options give other counts, and the difference would pass for drift.
std::optional<StreamProfile> OfTheseOptions(std::optional<StreamProfile> reference,
                                            const FilterOptions& options) {
  const bool usable = reference && reference->options == ProfiledOptions(options) &&
                      reference->records >= kDriftRecordsMin;
  return usable ? std::move(reference) : std::nullopt;
}

size_t WindowOf(const std::optional<StreamProfile>& reference) {
  return reference ? std::min<size_t>(reference->records, kProfiledRecords) : kProfiledRecords;
}

}  // namespace

DriftWatch::DriftWatch(const FilterOptions& options, std::optional<StreamProfile> reference,
                       Clock& clock, std::function<void(const DriftReport&)> report)
    : reference_(OfTheseOptions(std::move(reference), options)),
      clock_(clock),
      report_(std::move(report)),
      profiler_(options, WindowOf(reference_)) {}

void DriftWatch::Saw(const event::BatchFingerprinted& seen) {
  if (profiler_.records() == 0) {
    const int64_t now_ms = clock_.SteadyMs();
    if (now_ms < next_at_ms_) return;
    next_at_ms_ = now_ms + kPeriodMs;
  }
  for (size_t i = 0; i < seen.batch.size() && !profiler_.complete(); ++i) {
    profiler_.Add(RecordOf(seen.batch[i], buffer_), seen.records[i]);
  }
  if (profiler_.complete()) EndWindow();
}

void DriftWatch::EndWindow() {
  const StreamProfile live = profiler_.Take();
  if (!reference_) reference_ = live;
  DriftReport report;
  report.aspects = Compare(*reference_, live);
  drifting_ = Drifted(report.aspects).empty() ? 0 : drifting_ + 1;
  report.detected = drifting_ >= kWindowsInARow;
  report.changed = report.detected != detected_;
  detected_ = report.detected;
  report_(report);
}

void DriftWatch::Saw(const event::TransactionAborted&) { profiler_.Drop(); }

void DriftWatch::Saw(const event::LaneLost&) { profiler_.Drop(); }

}  // namespace neardup
