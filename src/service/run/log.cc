#include "service/run/log.h"

#include <fmt/format.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "detect/base/message_text.h"
#include "detect/base/quantity.h"

namespace neardup {
namespace {

constexpr int64_t kLogPeriodMs = 10'000;
constexpr int64_t kRestoreLogPeriodMs = 2'000;
constexpr int64_t kLossLogPeriodMs = 30'000;
constexpr int64_t kClampedLogPeriodMs = 60'000;

// spdlog's own patterns cannot escape a message for JSON.
class JsonFormatter : public spdlog::formatter {
 public:
  void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& out) override {
    spdlog::memory_buf_t time;
    time_.format(message, time);
    const auto level = spdlog::level::to_string_view(message.level);
    const nlohmann::ordered_json line = {
        {"time", std::string(time.data(), time.size())},
        {"level", std::string(level.data(), level.size())},
        {"message", std::string(message.payload.data(), message.payload.size())}};
    const std::string text = line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    out.append(text.data(), text.data() + text.size());
    out.push_back('\n');
  }
  std::unique_ptr<spdlog::formatter> clone() const override {
    return std::make_unique<JsonFormatter>();
  }

 private:
  spdlog::pattern_formatter time_{"%Y-%m-%dT%H:%M:%S.%eZ", spdlog::pattern_time_type::utc, ""};
};

/// The message of a line of text. A name in it, such as a field's, must not add lines to the log.
class PrintableMessage : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm& /*unused*/,
              spdlog::memory_buf_t& out) override {
    const std::string text = PrintableText({message.payload.data(), message.payload.size()}, false);
    out.append(text.data(), text.data() + text.size());
  }
  std::unique_ptr<custom_flag_formatter> clone() const override {
    return std::make_unique<PrintableMessage>();
  }
};

spdlog::level::level_enum LevelOf(LogLevel level) {
  constexpr spdlog::level::level_enum kLevels[] = {spdlog::level::debug, spdlog::level::info,
                                                   spdlog::level::warn, spdlog::level::err};
  return kLevels[static_cast<size_t>(level)];
}

}  // namespace

void StartLog(LogLevel level, LogFormat format) {
  auto logger = std::make_shared<spdlog::logger>(
      "neardup", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
  if (format == LogFormat::kJson) {
    logger->set_formatter(std::make_unique<JsonFormatter>());
  } else {
    auto line = std::make_unique<spdlog::pattern_formatter>(spdlog::pattern_time_type::utc);
    line->add_flag<PrintableMessage>('*').set_pattern("%Y-%m-%dT%H:%M:%S.%eZ %^%l%$ %*");
    logger->set_formatter(std::move(line));
  }
  logger->set_level(LevelOf(level));
  logger->flush_on(spdlog::level::info);
  spdlog::set_default_logger(std::move(logger));
}

void SetLogLevel(LogLevel level) { spdlog::set_level(LevelOf(level)); }

void LogProbe::Saw(const event::PhaseChanged& seen) {
  // Other lines say that the lane learns, and that it is active.
  if (seen.phase == LanePhase::kLearning || seen.phase == LanePhase::kActive) return;
  // Each failed attempt to take the lane again makes the instance a standby.
  const bool passing = seen.phase == LanePhase::kStarting || seen.phase == LanePhase::kRestoring ||
                       (losses_ > 1 && seen.phase == LanePhase::kStandby);
  spdlog::log(passing ? spdlog::level::debug : spdlog::level::info, "lane is {}", Name(seen.phase));
}

void LogProbe::Saw(const event::CaughtUp& seen) {
  spdlog::info("standby has caught up with the changelog: {} entries, seq {}", seen.entries,
               seen.seq);
}

void LogProbe::Saw(const event::Restoring& seen) {
  const int64_t now_ms = clock_.SteadyMs();
  if (restore_log_at_ms_ == 0) restore_log_at_ms_ = now_ms + kRestoreLogPeriodMs;
  if (now_ms < restore_log_at_ms_) return;
  restore_log_at_ms_ = now_ms + kRestoreLogPeriodMs;
  spdlog::info("restoring: {:.0f} %, {} entries", seen.share * 100, seen.entries);
}

void LogProbe::Saw(const event::SnapshotRestored& seen) {
  spdlog::info("snapshot restored: {} entries in {:.3f} s", seen.entries, seen.seconds);
}

void LogProbe::Saw(const event::StateDiscarded& seen) {
  spdlog::warn("discarding the state; an older snapshot or the changelog replaces it: {}",
               seen.why);
}

void LogProbe::Saw(const event::SnapshotWritten& seen) {
  const WrittenSnapshot& snapshot = seen.snapshot;
  spdlog::debug("snapshot written in {:.3f} s: {} entries, {} bytes, up to seq {}",
                snapshot.seconds, snapshot.entries, snapshot.bytes, snapshot.seq);
  if (keeper_failures_ == 0) return;
  spdlog::info(
      "the snapshot and the changelog are kept up to date again, {} s after the first of {}",
      (clock_.SteadyMs() - keeper_failed_at_ms_) / 1000,
      Counted(std::exchange(keeper_failures_, 0), "failure"));
}

void LogProbe::Saw(const event::ChangelogPurged& seen) {
  spdlog::debug("changelog purged below offset {}", seen.offset);
}

void LogProbe::Saw(const event::PurgeRefused& seen) {
  spdlog::warn(
      "the changelog cannot be purged and will grow ({}); give this user the right to delete "
      "records of its topic, or set state.purge_changelog to false",
      seen.error.text);
}

void LogProbe::Saw(const event::KeeperFailed& seen) {
  if (keeper_failures_++ == 0) keeper_failed_at_ms_ = clock_.SteadyMs();
  spdlog::warn("cannot keep the snapshot and the changelog up to date, trying again later: {}",
               seen.error.text);
}

void LogProbe::Saw(const event::SnapshotRestarted& seen) {
  spdlog::warn("beginning a new snapshot: {}", seen.why);
}

void LogProbe::Saw(const event::TransactionCommitted& seen) {
  const CommittedBatch& batch = seen.batch;
  if (batch.records() == 0) return;
  if (refused_) {
    spdlog::info("the lane works again, {} s after it was lost and {} failed attempts",
                 (clock_.SteadyMs() - lost_at_ms_) / 1000, losses_ - 1);
    losses_ = 0;
    refused_ = false;
  }
  unique_ += batch.unique + batch.passed;
  duplicates_ += batch.duplicates();
  dead_ += batch.dead();
  if (!logged_first_) {
    logged_first_ = true;
    spdlog::info("first output committed ({})", Counted(batch.records(), "record"));
  }
  const int64_t now_ms = clock_.SteadyMs();
  clamped_ += batch.clamped;
  if (clamped_ > 0 && now_ms >= clamped_log_at_ms_) {
    clamped_log_at_ms_ = now_ms + kClampedLogPeriodMs;
    spdlog::warn(
        "{} had event times in the future, more than window.ahead_max_ms ahead of the clock of "
        "this host, which were set back; their header has the flag clamped. Check the clocks of "
        "their producers and of this host",
        Counted(std::exchange(clamped_, 0), "record"));
  }
}

void LogProbe::Saw(const event::Gauges& seen) {
  const uint64_t missing = seen.gauges.entries_missing;
  if (const bool any = missing > 0; std::exchange(lacks_entries_, any) != any) {
    if (any) {
      spdlog::error(
          "the changelog lost records: this standby lacks {} live entries, so a take-over will be "
          "refused. Stop all instances, and run `neardup reindex --execute`; see "
          "docs/recovery.md#the-changelog-lost-records",
          Grouped(missing));
    } else {
      spdlog::info("this instance lacks no live entry any more");
    }
  }
  const int64_t now_ms = clock_.SteadyMs();
  if (now_ms - logged_at_ms_ < kLogPeriodMs) return;
  if (unique_ + duplicates_ + dead_ > 0) {
    spdlog::info("decided in the last {} s: {} unique, {}, {}", (now_ms - logged_at_ms_) / 1000,
                 Grouped(unique_), Counted(duplicates_, "duplicate"),
                 Counted(dead_, "dead letter"));
  }
  logged_at_ms_ = now_ms;
  unique_ = duplicates_ = dead_ = 0;
}

void LogProbe::Saw(const event::TransactionAborted& seen) {
  spdlog::warn("transaction aborted, deciding its records again: {}", seen.error.text);
}

void LogProbe::Saw(const event::TransactionSized& seen) {
  if (std::exchange(limited_, seen.limited) == seen.limited) return;
  if (seen.limited) {
    spdlog::warn(
        "transactions take too long to send: from now on they hold at most {} bytes. A quota of "
        "the brokers or a slow connection limits this instance; see neardup_transaction_bytes_max",
        seen.bytes_max);
  } else {
    spdlog::info("transactions may hold transaction.bytes_max again, {} bytes", seen.bytes_max);
  }
}

void LogProbe::Saw(const event::LaneLost& seen) {
  logged_first_ = false;
  const int64_t now_ms = clock_.SteadyMs();
  if (seen.error.code == ErrorCode::kFenced) {
    losses_ = 0;
    refused_ = false;
    spdlog::warn("lane lost: {}; standing by", seen.error.text);
    return;
  }
  refused_ = seen.error.code == ErrorCode::kAuth;
  std::string text = seen.error.text;
  std::erase_if(text, [](char c) { return c >= '0' && c <= '9'; });  // such as "after 2ms"
  if (losses_++ == 0 || (refused_ && text != loss_text_)) {
    loss_text_ = std::move(text);
    if (losses_ == 1) lost_at_ms_ = now_ms;
    loss_log_at_ms_ = now_ms + kLossLogPeriodMs;
    spdlog::warn("lane lost ({}), trying to take it again: {}", Name(seen.error.code),
                 seen.error.text);
  } else if (now_ms >= loss_log_at_ms_) {
    loss_log_at_ms_ = now_ms + kLossLogPeriodMs;
    spdlog::warn("lane not taken again for {} s; {} attempts failed, the last one ({}) with: {}",
                 (now_ms - lost_at_ms_) / 1000, losses_ - 1, Name(seen.error.code),
                 seen.error.text);
  }
}

void LogProbe::Saw(const event::Followed&) {
  if (losses_ == 0) return;
  losses_ = 0;
  refused_ = false;
  spdlog::info("another instance has the lane; standing by");
}

void LogProbe::Saw(const event::TakesOver& seen) {
  spdlog::info("the active process at {} has ended: this instance takes the lane", seen.endpoint);
}

void LogProbe::Saw(const event::TookOverWrongly& seen) {
  spdlog::warn(
      "this instance took the lane from the process at {}, because a connection to it was refused, "
      "but that process runs. From now on this instance waits for the lease; find out what refuses "
      "connections between the two machines, or set lease.listen to false",
      seen.endpoint);
}

void LogProbe::Saw(const event::LeaseLeft& seen) {
  spdlog::error(
      "the lane could not work for {} s: this instance leaves the lease to another one, and "
      "becomes a candidate again after lease.stay_out_ms; see docs/recovery.md",
      seen.lasted_ms / 1000);
}

void LogProbe::Saw(const event::Promoted& seen) {
  // An instance that may not write to an output takes the lane and loses it again.
  if (refused_) {
    spdlog::debug("lane taken again after {:.3f} s, {} entries restored", seen.seconds,
                  seen.entries);
    return;
  }
  std::string before;
  if (losses_ > 0) {
    before = fmt::format(", {} s after it was lost", (clock_.SteadyMs() - lost_at_ms_) / 1000);
    if (losses_ > 1) before += fmt::format(" and {} failed attempts", losses_ - 1);
  }
  losses_ = 0;
  spdlog::info("lane is active after {:.3f} s{}: {} entries restored, continuing after seq {}",
               seen.seconds, before, seen.entries, seen.seq);
}

void LogProbe::Saw(const event::PipelineChanged& seen) {
  spdlog::warn(
      "the topics of this pipeline have changed, as input.topics_before, output.topics_before or "
      "routing.mode_before allows: it {} now; before, it {}",
      TextOf(seen.now), TextOf(seen.before));
}

void LogProbe::Saw(const event::OffsetsDiffer& seen) {
  spdlog::warn(
      "{}/{}: the consumer group is at offset {}, the changelog at offset {}; continuing at the "
      "offset of the changelog",
      seen.input.topic, seen.input.partition, seen.group, seen.delta);
}

void LogProbe::Saw(const event::ChangelogLost& seen) {
  spdlog::error(
      "changelog {} lost records: {}; going on without them, because state.on_changelog_loss is "
      "continue; records that repeat the lost ones count as unique",
      seen.name, seen.what);
}

void LogProbe::Saw(const event::InputLost& seen) {
  const InputLoss& loss = seen.loss;
  const std::string name = fmt::format("{}/{}", loss.partition.topic, loss.partition.partition);
  switch (loss.kind) {
    case InputLoss::Kind::kUnreadStart:
      spdlog::warn(
          "{}: offsets {} to {} were deleted before the first of them was read; starting at offset "
          "{}, the first that the log holds",
          name, loss.from, loss.to - 1, loss.to);
      break;
    case InputLoss::Kind::kDeleted:
      spdlog::error(
          "{}: {} offsets ({} to {}) were deleted before they were read; continuing at offset {} "
          "(input.on_data_loss is continue)",
          name, loss.to - loss.from, loss.from, loss.to - 1, loss.to);
      break;
    case InputLoss::Kind::kReplaced:
      spdlog::error(
          "{}: the topic was created again, or its log was cut, below offset {}; reading it from "
          "offset {} (input.on_data_loss is continue)",
          name, loss.from, loss.to);
      break;
  }
}

void LogProbe::Saw(const event::InputMissing& seen) {
  if (seen.missing) {
    spdlog::error(
        "input topic {} does not exist any more; reading the other topics; create it again, or "
        "remove it from input.topics, and name the previous topics in input.topics_before",
        seen.topic);
  } else {
    spdlog::warn("input topic {} exists again", seen.topic);
  }
}

void LogProbe::Saw(const event::PartitionAdded& seen) {
  spdlog::warn(
      "topic {} has a new partition, {}: keys have moved between the lanes, and duplicates of "
      "records in other lanes are not found (lanes.on_partition_growth: continue)",
      seen.input.topic, seen.input.partition);
}

void LogProbe::Saw(const event::InputUnreachable& seen) {
  if (seen.unreachable) {
    spdlog::warn("{}/{}: {}; its records wait, and it holds the watermark", seen.input.topic,
                 seen.input.partition,
                 seen.why.empty()
                     ? "its leader does not answer; check that the partition has a leader"
                     : seen.why);
  } else {
    spdlog::info("{}/{} can be read again", seen.input.topic, seen.input.partition);
  }
}

void LogProbe::Saw(const event::RecordRefused& seen) {
  spdlog::warn(
      "{}/{} offset {}: the output topic refuses this record: {}; it is sent again alone, or "
      "becomes a dead letter; see docs/recovery.md",
      seen.input.topic, seen.input.partition, seen.offset, seen.text);
}

void LogProbe::Saw(const event::DeadLettersExcessive& seen) {
  if (seen.excessive) {
    spdlog::error("too many dead letters: {}; see docs/recovery.md#too-many-dead-letters",
                  seen.why);
  } else {
    spdlog::info("the share of dead letters is below dead_letters.share_max again");
  }
}

}  // namespace neardup
