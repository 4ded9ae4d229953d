#include "service/run/service.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "detect/base/quantity.h"
#include "detect/index/match.h"
#include "kafka/client.h"
#include "kafka/diagnosis.h"
#include "kafka/kafka_ports.h"
#include "kafka/library.h"
#include "kafka/output_topics.h"
#include "kafka/presence.h"
#include "kafka/topic_admin.h"
#include "kafka/topics.h"
#include "service/config/memory_table.h"
#include "service/metrics/health.h"
#include "service/metrics/http_server.h"
#include "service/metrics/live_page.h"
#include "service/metrics/prometheus_probe.h"
#include "service/metrics/status.h"
#include "service/run/lane_pipeline.h"
#include "service/run/lane_topics.h"
#include "service/run/log.h"
#include "service/run/version.h"
#include "service/topics/lane_learning.h"
#include "service/topics/reindex.h"
#include "stream/files/local_ports.h"
#include "stream/lane/changelog_keeper.h"
#include "stream/lane/lane.h"
#include "stream/state/pipeline.h"
#include "stream/state/snapshot.h"

namespace neardup {
namespace {

constexpr int64_t kLearningPauseMs = 500;
// How often an instance that waits for another one to learn checks the changelog. Each check
// opens connections.
constexpr int64_t kLearnedElsewherePeriodMs = 5'000;
constexpr int64_t kLearningReportMs = 60'000;

std::string NextAttempt(const LaterLearning& later) {
  if (LaterLearning::HasPassed(later.next_seq())) {
    return "to learn, stop all instances and run `neardup reindex --execute`";
  }
  return fmt::format("the next attempt is when it has decided {} records",
                     Grouped(later.next_seq()));
}

/// Counts the complaints of clients in the metrics of a service. A client may outlive its service:
/// the client of a kept lease, or one that the library cannot end.
class ComplaintCount {
 public:
  explicit ComplaintCount(PrometheusProbe& metrics) : metrics_(&metrics) {}
  void Count(bool error) {
    const std::lock_guard lock(mutex_);
    if (metrics_ != nullptr) metrics_->KafkaComplained(error);
  }
  void End() {
    const std::lock_guard lock(mutex_);
    metrics_ = nullptr;
  }

 private:
  std::mutex mutex_;
  PrometheusProbe* metrics_;  ///< guarded by mutex_; null after the end of the service
};

/// The lease of the group. If this process can listen, standbys need not wait for it.
Result<std::unique_ptr<Lease>> NewLease(const Settings& settings, const KafkaLog& log) {
  std::unique_ptr<Lease> lease = NewKafkaLease(settings.kafka, log);
  const PresenceOptions& options = settings.presence;
  if (!options.listen) return lease;
  Result<std::unique_ptr<PresenceListener>> listener =
      PresenceListener::New(options, settings.kafka.brokers);
  if (listener.ok()) {
    lease = std::make_unique<WatchedLease>(std::move(lease), std::move(*listener));
    return lease;
  }
  if (options.port != 0 || !options.address.empty()) return listener.error();
  spdlog::warn(
      "if this process ends while it is active, a standby waits for lease.session_timeout_ms: {}",
      listener.error().text);
  return lease;
}

HealthLimits HealthLimitsOf(const Settings& settings) {
  HealthLimits limits;
  limits.commit_ms_max = std::max(limits.commit_ms_max, 2 * settings.lane.transaction_interval_ms);
  return limits;
}

uint64_t RoundUp(uint64_t bytes) { return (bytes + kMiB - 1) / kMiB * kMiB; }

/// A stop waits for the thread that follows the changelog, which may be waiting for two answers,
/// and must end within 10 s. That thread tries again later.
constexpr int kFollowerAnswerMs = 3000;

BuildInfo ThisBuild() { return {kVersion, kRevision, kCompiler, ClientLibraryName()}; }

KeeperOptions KeeperOptionsOf(const Settings& settings) {
  KeeperOptions options;
  options.filter = settings.lane.filter;
  options.lane = settings.lane.lane;
  options.snapshot_interval_ms = settings.snapshot_interval_ms;
  options.purge = settings.purge_changelog;
  options.learned = !settings.lane.learned.empty();
  if (!settings.state_dir.empty()) {
    options.folder = SnapshotFolder(settings.state_dir, options.lane);
  }
  return options;
}

/// How records are compared: their fields, and the limits of near.
std::string InForceText(const FilterOptions& filter) {
  std::string compared;
  std::string keys;
  std::string free;
  for (const FieldSelector& field : filter.record.fields) {
    std::string& names = field.key ? keys : field.free ? free : compared;
    names += (names.empty() ? "" : ", ") + (field.path.empty() ? "all others" : field.path);
  }
  if (filter.record.fields.empty()) compared = "all fields";
  std::string text = "fields compared: " + (compared.empty() ? "none" : compared);
  if (!keys.empty()) text += "; must agree: " + keys;
  if (!free.empty()) text += "; may differ: " + free;
  return text + "; " + LimitText(filter.match);
}

}  // namespace

struct Service::Parts {
  Parts(const Settings& settings_in, std::string shown_settings)
      : given(settings_in),
        settings(settings_in),
        health(clock, HealthLimitsOf(settings_in)),
        metrics(ThisBuild(), clock),
        status(ThisBuild(), std::move(shown_settings), clock),
        log(clock),
        keeper_probe({&log, &metrics, &status}) {
    metrics.SetLane(settings_in.kafka.lane, settings_in.kafka.lanes);
  }
  ~Parts() {
    health.AskForBrokers({});
    complaints->End();
  }

  const Settings given;
  Settings settings;  ///< those given, with what the lane learned
  std::vector<std::string> learned_reasons;
  LaterLearning later;
  SystemClock clock;
  Health health;
  PrometheusProbe metrics;
  const std::shared_ptr<ComplaintCount> complaints = std::make_shared<ComplaintCount>(metrics);
  KafkaLog kafka_log{
      [complaints = complaints, log = ComplaintLog(LogKafka)](int level, std::string_view text) {
        if (level <= kSyslogWarning) complaints->Count(level <= kSyslogError);
        log(level, text);
      }};
  Status status;
  LogProbe log;
  std::unique_ptr<ProbeFan> probe;
  std::unique_ptr<DriftWatch> drift;
  std::unique_ptr<ProbeFan> lane_probe;  ///< `probe` and `drift`
  KeeperProbeFan keeper_probe;
  std::unique_ptr<HttpServer> http;
  std::unique_ptr<Source> kafka_source;
  std::unique_ptr<GrowingSource> source;
  std::unique_ptr<Changelog> changelog;
  std::unique_ptr<Transaction> transaction;
  std::unique_ptr<KeptLease> lease;
  std::unique_ptr<Lane> lane;
  std::unique_ptr<LocalState> local_state;

  Result<void> Serve(const std::vector<Probe*>& receivers);
  /// Makes everything that the lane needs. False: `stop` was set before.
  Result<bool> Build(const std::atomic<bool>& stop);
  Result<TopicReport> PrepareTopics();
  /// An instance of another pipeline ends before it creates a topic or stands by. The lane checks
  /// it again when it knows the end of the changelog.
  Result<void> CheckPipeline();
  /// Puts what the lane learned in force. A lane that has learned nothing yet does it now, in the
  /// instance that holds the lease. False: `stop` was set before.
  Result<bool> Learn(const std::atomic<bool>& stop);
  /// nullopt: `stop` was set before.
  Result<std::optional<LearnedState>> LearnOrFollow(const std::atomic<bool>& stop);
  Result<std::optional<LearnedState>> TryToLearn(const std::function<Result<void>(size_t)>& wait,
                                                 int64_t& look_at_ms);
  void TakeUpLease(std::unique_ptr<Lease> taken);
  /// For an active lane that found too few records at first: learns again when there are more, and
  /// indexes its unique records again. True: the changelog holds other settings than this lane.
  bool LearnAgainIfDue();
  Result<void> LearnAgain();
  /// The lane cannot go on because another instance has learned again.
  bool IsLearnedElsewhere(const Error& error);
  void ShowInForce();
  void WatchDrift();
  void ShowDrift(const DriftReport& report);
  /// A lane that has decided nothing must not write after the records of another one.
  Result<void> CheckOutputsAreNew();
};

Result<std::unique_ptr<Service>> Service::New(const Settings& settings,
                                              const std::vector<Probe*>& receivers,
                                              std::string shown_settings,
                                              std::unique_ptr<Lease> lease) {
  auto parts = std::make_unique<Parts>(settings, std::move(shown_settings));
  if (!lease) {
    NEARDUP_ASSIGN(lease, NewLease(settings, parts->kafka_log));
  }
  parts->TakeUpLease(std::move(lease));
  NEARDUP_TRY(parts->Serve(receivers));
  return std::unique_ptr<Service>(new Service(std::move(parts)));
}

Service::Service(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Service::~Service() = default;

Result<void> Service::Parts::Serve(const std::vector<Probe*>& receivers) {
  for (const std::string& warning : ClientLibraryWarnings(settings.kafka)) {
    spdlog::warn("{}", warning);
  }
  std::vector<Probe*> probes = {&log, &metrics, &status, &health};
  probes.insert(probes.end(), receivers.begin(), receivers.end());
  probe = std::make_unique<ProbeFan>(std::move(probes));
  std::string pages = "serves no pages";
  if (settings.http.port != 0) {
    HttpPages served{[this] { return metrics.Text(); }, [this] { return status.Text(); },
                     settings.kafka.app};
    if (settings.http.page) {
      served.page = [this] { return LivePage(status.Text(), status.Minutes(), health.Ready()); };
    }
    NEARDUP_ASSIGN(http, HttpServer::Start(settings.http, std::move(served), health));
    pages =
        fmt::format("serves {}/metrics, /status, /healthz and /readyz on {}:{}",
                    settings.http.page ? "a page at /, " : "", settings.http.host, http->port());
  }
  spdlog::info("app {} {}, and {}; neardup {} ({}, {}), {}", settings.kafka.app,
               TextOf(settings.lane.pipeline.topics), pages, kVersion, kRevision, kCompiler,
               ClientLibraryName());
  return {};
}

Result<bool> Service::Parts::Build(const std::atomic<bool>& stop) {
  const KafkaOptions& kafka = settings.kafka;
  if (kafka.encodings) kafka.encodings->LogTo([](const auto& text) { spdlog::info("{}", text); });
  NEARDUP_ASSIGN(kafka_source, NewKafkaSource(kafka, kafka_log, OnNoSchema::kWait));
  source = std::make_unique<GrowingSource>(kafka, *kafka_source, kafka_log);
  NEARDUP_TRY(CheckPipeline());
  NEARDUP_ASSIGN(const TopicReport topics, PrepareTopics());
  NEARDUP_ASSIGN(const bool learned, Learn(stop));
  if (!learned) return false;
  ShowInForce();
  WatchDrift();
  const uint16_t lane_number = settings.lane.lane;
  NEARDUP_ASSIGN(changelog, NewKafkaChangelog(kafka, lane_number, kafka_log));
  transaction = std::make_unique<TransactionOnTopics>(
      kafka, *source, NewKafkaTransaction(kafka, lane_number, topics.max_message_bytes, kafka_log),
      kafka_log);
  KafkaOptions follower = kafka;
  follower.answer_timeout_ms = std::min(kafka.answer_timeout_ms, kFollowerAnswerMs);
  KeeperOptions keeper = KeeperOptionsOf(settings);
  NEARDUP_ASSIGN(const std::shared_ptr<Client> ends,
                 Client::New(follower, ClientRole::kWatermark, kafka_log));
  keeper.input_end = [ends, timeout_ms = follower.answer_timeout_ms](
                         const InputPartition& input) -> Result<int64_t> {
    NEARDUP_ASSIGN(const OffsetBounds bounds, AskOffsetBounds(*ends, input, timeout_ms));
    return bounds.end;
  };
  local_state = std::make_unique<LocalState>(keeper, clock, keeper_probe);
  NEARDUP_ASSIGN(std::optional<RestoredSnapshot> snapshot, local_state->Restore(*probe));
  NEARDUP_ASSIGN(lane, Lane::New(settings.lane,
                                 {*source, *changelog, *transaction, *lease, clock, *lane_probe},
                                 std::move(snapshot)));
  source->BeforePromotion([this] { return CheckOutputsAreNew(); });
  NEARDUP_ASSIGN(std::unique_ptr<Changelog> followed,
                 NewKafkaChangelog(follower, lane_number, kafka_log));
  local_state->Follow(std::move(followed));
  return true;
}

Result<void> Service::Parts::CheckPipeline() {
  NEARDUP_ASSIGN(const std::optional<PipelineTopics> before, FindPipeline(settings, kafka_log));
  if (!before) return {};
  spdlog::info(
      "the changelog belongs to a pipeline that {}; this instance puts its own topics in "
      "their place when it becomes active",
      TextOf(*before));
  return {};
}

Result<TopicReport> Service::Parts::PrepareTopics() {
  NEARDUP_ASSIGN(FoundInputs found, ListInputs(settings.kafka, kafka_log));
  NEARDUP_ASSIGN(const bool begun, HasChangelog(settings.kafka, settings.lane.lane, kafka_log));
  if (!found.missing_topics.empty() && !begun) {
    // The changelog says which topics were read before. At a first start, none was.
    NEARDUP_ASSIGN(found.partitions, ListPartitions(settings.kafka, kafka_log));
  }
  std::vector<InputPartition> inputs = std::move(found.partitions);
  NEARDUP_ASSIGN(TopicReport report, EnsureTopics(settings.kafka, inputs, kafka_log,
                                                  begun ? LaneAge::kBegun : LaneAge::kFirstStart));
  LeaveOut(report.without_outputs, inputs);
  if (!report.created.empty()) {
    spdlog::info("created: {}", fmt::join(report.created, ", "));
  }
  for (const std::string& warning : report.warnings) spdlog::warn("{}", warning);
  source->Saw(std::move(inputs));
  return report;
}

void Service::Parts::ShowInForce() {
  const MemoryTable memory =
      MemoryOf(settings, source->seen().size(), std::max(1U, std::thread::hardware_concurrency()));
  PrometheusProbe::MemoryParts parts;
  for (const MemoryRow& row : memory.rows) parts.emplace_back(row.part, row.bytes);
  metrics.SetMemoryBound(memory.total, parts);
  status.SetMemoryBound(memory.total);
  status.ShowInForce(InForceText(settings.lane.filter), learned_reasons);
  spdlog::info(
      "in force: {}; memory: at most {} with {} input partitions (`neardup config show` has the "
      "parts)",
      InForceText(settings.lane.filter), BytesText(static_cast<int64_t>(RoundUp(memory.total))),
      source->seen().size());
}

void Service::Parts::WatchDrift() {
  std::vector<Probe*> probes = {probe.get()};
  drift = std::make_unique<DriftWatch>(settings.lane.filter, settings.reference, clock,
                                       [this](const DriftReport& report) { ShowDrift(report); });
  spdlog::debug("drift is measured against {}",
                drift->has_reference() ? "the sample that the settings were chosen from"
                                       : "the first records that this process decides, because "
                                         "the settings come with no profile of a sample");
  probes.push_back(drift.get());
  lane_probe = std::make_unique<ProbeFan>(std::move(probes));
}

void Service::Parts::ShowDrift(const DriftReport& report) {
  PrometheusProbe::DriftRatios ratios;
  for (const AspectDrift& aspect : report.aspects) {
    ratios.emplace_back(Name(aspect.aspect), aspect.ratio);
  }
  metrics.SetDrift(ratios, report.detected);
  if (!report.changed) return;
  if (!report.detected) {
    spdlog::info("the settings fit the stream again");
    return;
  }
  std::vector<std::string> texts;
  for (const AspectDrift& aspect : Drifted(report.aspects)) texts.push_back(aspect.text);
  spdlog::warn(
      "the settings may no longer fit the stream: {}. `neardup tune --compare CONFIG` says "
      "whether it matters, and `neardup reindex` puts new settings in force; see "
      "docs/drift.md",
      fmt::join(texts, "; "));
}

Result<bool> Service::Parts::Learn(const std::atomic<bool>& stop) {
  if (!settings.learning.on) return true;
  NEARDUP_ASSIGN(LearnedState state, ReadLearned(settings, kafka_log));
  if (!state.begun) {
    NEARDUP_ASSIGN(std::optional<LearnedState> found, LearnOrFollow(stop));
    if (!found) return false;
    state = std::move(*found);
  } else if (state.learned.empty()) {
    spdlog::info(
        "this lane began without learned settings, so the given settings and the defaults stay in "
        "force; to let it learn, stop all instances and run `neardup reindex --execute`");
  }
  if (state.learned.empty()) return true;
  NEARDUP_ASSIGN(const LearnedOptions learned, TakeLearnedText(state.learned, settings));
  learned_reasons = learned.reasons;
  for (const std::string& reason : learned.reasons) spdlog::debug("learned settings: {}", reason);
  // A person wants to know the reasons once, and what is in force at each start.
  if (!state.begun) spdlog::info("{}", fmt::join(learned.reasons, "; "));
  if (!learned.provisional) return true;
  spdlog::warn("{}", WhatFollows(settings));
  later = LaterLearning(static_cast<uint64_t>(settings.learning.records_min));
  return true;
}

bool Service::Parts::LearnAgainIfDue() {
  const uint64_t seq = lane->state().seq_committed();
  if (lane->phase() != LanePhase::kActive || !later.IsDue(seq)) return false;
  spdlog::info("learning again: this lane has decided {} records", Grouped(seq));
  probe->On(event::PhaseChanged{LanePhase::kLearning});
  const Result<void> learned = LearnAgain();
  if (learned.ok()) return true;
  later.Failed(seq);
  spdlog::warn("the lane goes on as it was, because it could not learn again: {}; {}",
               learned.error().text, NextAttempt(later));
  probe->On(event::PhaseChanged{lane->phase()});
  return false;
}

Result<void> Service::Parts::LearnAgain() {
  NEARDUP_ASSIGN(const LearnedOptions learned, LearnNow(given, kafka_log));
  if (learned.provisional) {
    return Error{ErrorCode::kNotFound,
                 fmt::format("the input topics hold {} records, expected at least {}",
                             Grouped(learned.records), Grouped(given.learning.records_min))};
  }
  Settings again = given;
  NEARDUP_TRY(TakeLearnedText(LearnedText(learned), again));
  health.Stepped();
  NEARDUP_ASSIGN(const ReindexReport report, ReindexOwnLane(again, kafka_log));
  spdlog::info("{}; the {} unique records of the window are indexed again", learned.reasons.front(),
               Grouped(report.entries));
  return {};
}

bool Service::Parts::IsLearnedElsewhere(const Error& error) {
  if (error.code != ErrorCode::kMismatch || settings.lane.learned.empty()) return false;
  const Result<LearnedState> found = ReadLearned(given, kafka_log);
  return found.ok() && !found->learned.empty() && found->learned != settings.lane.learned;
}

Result<std::optional<LearnedState>> Service::Parts::LearnOrFollow(const std::atomic<bool>& stop) {
  probe->On(event::PhaseChanged{LanePhase::kLearning});
  lease->Join();
  spdlog::info(
      "learning from the input topics what to compare (match.mode: auto); with input.start: "
      "earliest, no record is decided until the topics hold {} records, or until {} after the "
      "first record",
      settings.learning.records_min, DurationText(settings.learning.wait_ms));
  int64_t told_at_ms = clock.SteadyMs();
  bool has_worked = false;  // so the login was right, and no right was missing
  const auto wait = [&](size_t records) -> Result<void> {
    health.Stepped();
    if (clock.SteadyMs() - told_at_ms >= kLearningReportMs) {
      told_at_ms = clock.SteadyMs();
      spdlog::info("still learning: the input topics hold {} of {} records", records,
                   settings.learning.records_min);
    }
    has_worked = true;
    if (stop) return Error{ErrorCode::kAborted, "the service stops"};
    NEARDUP_ASSIGN(const bool held, lease->Held());
    if (held) return {};
    return Error{ErrorCode::kAborted, "another instance holds the lease"};
  };
  int64_t look_at_ms = 0;
  std::string trouble;
  while (!stop) {
    Result<std::optional<LearnedState>> tried = TryToLearn(wait, look_at_ms);
    if (tried.ok() && *tried) return tried;
    if (!tried.ok()) {
      // A password may change at the brokers before it changes in the files of this instance.
      const ErrorCode code = tried.error().code;
      const bool may_pass =
          code == ErrorCode::kUnavailable || (code == ErrorCode::kAuth && has_worked);
      if (tried.error().fatal || !may_pass) return tried.error();
      if (trouble.empty()) spdlog::warn("cannot learn now, trying again: {}", tried.error().text);
      trouble = tried.error().text;
    } else if (!std::exchange(trouble, {}).empty()) {
      spdlog::info("learning goes on");
    }
    has_worked = has_worked || tried.ok();
    health.Stepped();
    clock.SleepMs(kLearningPauseMs);
  }
  return std::optional<LearnedState>();
}

/// Learns if this instance holds the lease; else checks whether another one has, at most every
/// kLearnedElsewherePeriodMs. nullopt: nobody has learned yet.
Result<std::optional<LearnedState>> Service::Parts::TryToLearn(
    const std::function<Result<void>(size_t)>& wait, int64_t& look_at_ms) {
  NEARDUP_ASSIGN(const bool held, lease->Held());
  if (held) {
    const Result<LearnedOptions> learned = LearnFromTopics(settings, kafka_log, wait);
    if (learned.ok()) return std::optional(LearnedState{false, LearnedText(*learned)});
    if (learned.error().code != ErrorCode::kAborted) return learned.error();
  }
  if (clock.SteadyMs() < look_at_ms) return std::optional<LearnedState>();
  look_at_ms = clock.SteadyMs() + kLearnedElsewherePeriodMs;
  NEARDUP_ASSIGN(LearnedState state, ReadLearned(settings, kafka_log));
  return state.begun ? std::optional(std::move(state)) : std::nullopt;
}

void Service::Parts::TakeUpLease(std::unique_ptr<Lease> taken) {
  lease = std::make_unique<KeptLease>(std::move(taken));
  health.AskForBrokers([this] { return lease->brokers_answer(); });
}

Result<void> Service::Parts::CheckOutputsAreNew() {
  const bool wanted = settings.on_foreign_records == OnForeignRecords::kContinue;
  if (wanted || lane->state().seq() > 0) return {};
  NEARDUP_ASSIGN(const std::optional<WrittenOutput> found,
                 FindNewestOutput(settings.kafka, LogKafka));
  if (!found) return {};
  return Fatal(
      ErrorCode::kConfig,
      fmt::format("app {} has decided nothing yet, but its output topics hold records of another "
                  "app, or of this app before it was reset: {} has seq {}. To change settings, "
                  "keep the old `app` and run `neardup reindex`. To start from nothing, choose "
                  "other output topics, or delete these. If you have changed input.topics and name "
                  "no `app`, set the `app` that the pipeline had before, and input.topics_before. "
                  "With output.on_foreign_records: continue this app writes after them, and "
                  "records may be in the outputs twice; see docs/recovery.md",
                  settings.kafka.app, found->place, found->seq));
}

Result<void> Service::Run(const std::atomic<bool>& stop, const std::function<void()>& prepared) {
  Parts& parts = *parts_;
  NEARDUP_ASSIGN(const bool built, parts.Build(stop));
  if (!built) {
    spdlog::info("stopping before the lane has begun");
    parts.lease->Release();
    return {};
  }
  if (prepared) prepared();
  while (!stop.load(std::memory_order_relaxed)) {
    if (const Result<bool> stepped = parts.lane->Step(stop); !stepped.ok()) {
      if (!parts.IsLearnedElsewhere(stepped.error())) return stepped.error();
      spdlog::info("starting again with the settings that another instance has learned");
      return {};
    }
    parts.health.Stepped();
    if (parts.LearnAgainIfDue()) {
      spdlog::info("starting again with the learned settings");
      return {};
    }
  }
  spdlog::info("stopping: committing what is decided");
  return parts.lane->Drain();
}

void Service::KeepLease() { parts_->lease->Keep(); }

std::unique_ptr<Lease> Service::TakeLease() {
  parts_->health.AskForBrokers({});
  return parts_->lease->Take();
}

const Settings& Service::settings() const { return parts_->settings; }

void Service::ShowSettings(std::string shown_settings) {
  parts_->status.ShowSettings(std::move(shown_settings));
}

void Service::ShowSecretsRefused(bool refused) { parts_->metrics.SetSecretsRefused(refused); }

void LogKafka(int level, std::string_view text) {
  if (level <= kSyslogError) {
    spdlog::error("kafka: {}", text);
  } else if (level == kSyslogWarning) {
    spdlog::warn("kafka: {}", text);
  } else if (level <= kSyslogInfo) {
    spdlog::info("kafka: {}", text);
  } else {
    spdlog::debug("kafka: {}", text);
  }
}

}  // namespace neardup
