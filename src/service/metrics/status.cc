#include "service/metrics/status.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>
#include <nlohmann/json.hpp>

namespace neardup {
namespace {

using Json = nlohmann::ordered_json;

constexpr int64_t kMinuteMs = 60'000;
constexpr int64_t kMinutes = 60;

/// RFC 3339 in UTC; null for a time that is not known.
Json TimeOf(int64_t ms) {
  // Beyond the year 9999 the form has no year.
  if (ms < 0 || ms > 253'402'300'799'999) return nullptr;
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z",
                     fmt::gmtime(static_cast<std::time_t>(ms / 1000)), ms % 1000);
}

}  // namespace

Status::Status(BuildInfo build, std::string settings, const Clock& clock)
    : build_(std::move(build)),
      settings_(std::move(settings)),
      clock_(clock),
      started_at_ms_(clock.WallMs()),
      phase_since_ms_(started_at_ms_) {}

void Status::ShowSettings(std::string settings) {
  const std::lock_guard lock(mutex_);
  settings_ = std::move(settings);
}

void Status::ShowInForce(std::string compared, std::vector<std::string> learned) {
  const std::lock_guard lock(mutex_);
  compared_ = std::move(compared);
  learned_ = std::move(learned);
}

std::vector<VerdictMinute> Status::Minutes() const {
  const std::lock_guard lock(mutex_);
  const int64_t now = clock_.WallMs() / kMinuteMs;
  std::vector<VerdictMinute> shown;
  for (const auto& [number, minute] : minutes_) {
    if (number <= now - kMinutes) continue;
    shown.push_back(minute);
    shown.back().at = TimeOf(number * kMinuteMs).get<std::string>();
  }
  return shown;
}

void Status::SetMemoryBound(uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  memory_bound_ = bytes;
}

void Status::Take(const event::PhaseChanged& seen) {
  if (seen.phase == LanePhase::kActive) caught_up_ = true;
  if (seen.phase != LanePhase::kActive && seen.phase != LanePhase::kDraining) inputs_.clear();
  phase_ = seen.phase;
  phase_since_ms_ = clock_.WallMs();
}

void Status::Take(const event::CaughtUp& seen) {
  caught_up_ = true;
  seq_ = seen.seq;
}

void Status::Take(const event::Promoted& seen) {
  seq_ = seen.seq;
  ++promotions_;
  promotion_s_ = seen.seconds;
}

void Status::Take(const event::TransactionCommitted& seen) {
  const CommittedBatch& batch = seen.batch;
  committed_at_ms_ = clock_.WallMs();
  decided_.unique += batch.unique + batch.passed;
  decided_.exact_duplicates += batch.exact_duplicates;
  decided_.near_duplicates += batch.near_duplicates;
  decided_.dead_letters[0] += batch.dead();
  decided_.suspects += batch.suspects;
  decided_.late += batch.late;
  decided_.clamped += batch.clamped;
  const int64_t number = committed_at_ms_ / kMinuteMs;
  while (!minutes_.empty() && (minutes_.front().first <= number - kMinutes ||
                               minutes_.size() > static_cast<size_t>(kMinutes))) {
    minutes_.pop_front();
  }
  if (minutes_.empty() || minutes_.back().first != number) {
    minutes_.emplace_back(number, VerdictMinute{});
  }
  VerdictMinute& minute = minutes_.back().second;
  minute.unique += batch.unique + batch.passed;
  minute.exact += batch.exact_duplicates;
  minute.near += batch.near_duplicates;
  minute.dead += batch.dead();
}

void Status::Take(const event::LaneLost& seen) {
  ++losses_;
  last_loss_ = {clock_.WallMs(), seen.error.text};
}

void Status::Take(const event::InputMissing& seen) {
  if (seen.missing) {
    missing_topics_.insert(seen.topic);
  } else {
    missing_topics_.erase(seen.topic);
  }
}

void Status::Take(const event::Gauges& seen) {
  gauges_ = seen.gauges;
  seq_ = seen.gauges.seq;
}

void Status::Take(const event::InputLag& seen) {
  inputs_[seen.input].lag_records = seen.records;
  inputs_[seen.input].lag_s = seen.seconds;
}

void Status::Take(const event::SnapshotWritten& seen) {
  snapshot_ = seen.snapshot;
  snapshot_at_ms_ = clock_.WallMs();
}

std::string Status::Text() const {
  const std::lock_guard lock(mutex_);
  const auto event = [](const std::optional<Event>& happened) {
    return happened ? Json{{"at", TimeOf(happened->at_ms)}, {"error", happened->text}} : Json();
  };
  Json json;
  json["version"] = {{"neardup", build_.version},
                     {"revision", build_.revision},
                     {"compiler", build_.compiler},
                     {"librdkafka", build_.librdkafka_version}};
  json["started"] = TimeOf(started_at_ms_);
  json["lane"] = {{"state", Name(phase_)},
                  {"since", TimeOf(phase_since_ms_)},
                  {"caught_up", caught_up_},
                  {"seq", seq_},
                  {"records", decided_.records()},
                  {"last_commit", TimeOf(committed_at_ms_)},
                  {"promotions", promotions_},
                  {"last_promotion_seconds", promotions_ > 0 ? Json(promotion_s_) : Json()},
                  {"losses", losses_},
                  {"last_loss", event(last_loss_)}};
  json["verdicts"] = {{"unique", decided_.unique},
                      {"exact_duplicate", decided_.exact_duplicates},
                      {"near_duplicate", decided_.near_duplicates},
                      {"dead_letter", decided_.dead()},
                      {"suspect", decided_.suspects},
                      {"late", decided_.late},
                      {"clamped", decided_.clamped}};
  json["inputs"] = Json::array();
  for (const auto& [partition, input] : inputs_) {
    json["inputs"].push_back(
        {{"topic", partition.topic},
         {"partition", partition.partition},
         {"next_offset", input.next_offset < 0 ? Json() : Json(input.next_offset)},
         {"lag_records", input.lag_records},
         {"lag_seconds", input.lag_s},
         {"unreachable", input.unreachable}});
  }
  json["missing_topics"] = missing_topics_;
  json["index"] = nullptr;
  if (gauges_) {
    json["index"] = {{"entries", gauges_->entries},
                     {"entries_max", gauges_->entries_max},
                     {"bytes", gauges_->index_bytes},
                     {"evicted", gauges_->entries_evicted},
                     {"expired", gauges_->entries_expired},
                     {"oldest", TimeOf(gauges_->oldest_time_ms)},
                     {"watermark", TimeOf(gauges_->watermark_ms)},
                     {"horizon", TimeOf(gauges_->horizon_ms)}};
  }
  json["memory_bound_bytes"] = memory_bound_ > 0 ? Json(memory_bound_) : Json();
  json["snapshot"] = nullptr;
  if (snapshot_) {
    json["snapshot"] = {{"written", TimeOf(snapshot_at_ms_)},
                        {"entries", snapshot_->entries},
                        {"bytes", snapshot_->bytes},
                        {"seq", snapshot_->seq},
                        {"changelog_offset", snapshot_->changelog_offset}};
  }
  json["changelog"] = {{"next_offset", gauges_ ? Json(gauges_->changelog_offset) : Json()},
                       {"standby_lag_records", gauges_ ? Json(gauges_->changelog_lag) : Json()},
                       {"purged_to", purged_to_},
                       {"last_failure", event(keeper_failure_)}};
  json["in_force"] =
      compared_.empty() ? Json() : Json{{"compared", compared_}, {"learned", learned_}};
  if (!settings_.empty()) json["settings"] = Json::parse(settings_);
  // Errors may quote bytes that are not UTF-8.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace neardup
