// All settings of a process, as values with defaults. config.h reads them from the file, the
// environment and the command line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kafka/kafka_options.h"
#include "kafka/presence.h"
#include "learn/stream_profile.h"
#include "service/metrics/http_server.h"
#include "service/registry/schema_registry.h"
#include "stream/lane/lane_options.h"

namespace neardup {

enum class LogFormat : uint8_t { kText, kJson };
enum class LogLevel : uint8_t { kDebug, kInfo, kWarn, kError };

/// The library's default is larger. A service with a bound of memory cannot afford that, because a
/// large record takes many times its size.
inline constexpr size_t kServiceRecordBytesMax = size_t{4} << 20;
/// What follows when a lane that knows nothing finds records of a lane in its output topics.
enum class OnForeignRecords : uint8_t { kFail, kContinue };

/// How the settings of comparison are found (match.mode).
enum class ComparisonMode : uint8_t {
  kAuto,   ///< the lane learns those that nobody gave
  kNear,   ///< the given settings and the defaults
  kExact,  ///< the same, but only records with equal fields are duplicates
};

/// Which records of the input topics a lane learns from (auto.sample).
enum class LearnedRecords : uint8_t {
  kSpread,    ///< of the whole length of the topics
  kEarliest,  ///< the oldest
  kLatest,    ///< the newest
};

/// How a lane learns from its stream, before it decides the first record.
struct LearningSettings {
  ComparisonMode mode = ComparisonMode::kAuto;
  LearnedRecords sample = LearnedRecords::kSpread;
  int64_t records_max = 50'000;
  int64_t records_min = 200;
  int64_t wait_ms = 60'000;
  /// The lane learns. LoadConfig derives this and the next from the rest.
  bool on = false;
  /// Settings of LearnablePaths that a person gave. They win.
  std::set<std::string> kept;
};

/// What `neardup filter` does otherwise than the service.
struct FileRunSettings {
  /// As LaneOptions::transaction_records.
  size_t commit_records = 2000;
};

/// The routing mode that a lane had before LaneOptions::routing.
enum class ModeBefore : uint8_t { kSame, kRoute, kObserve };

struct Settings {
  Settings() { lane.filter.record.record_bytes_max = kServiceRecordBytesMax; }

  /// Without a configuration, `app` must be set.
  KafkaOptions kafka;
  /// No app was configured: it comes from the input topics (DefaultApp).
  bool app_is_default = false;
  /// Topics of a lane before the topics of `kafka`. LoadConfig derives lane.pipeline from them.
  std::vector<std::string> input_topics_before;
  std::vector<std::string> output_topics_before;  ///< unique, duplicate, dead letter; or empty
  ModeBefore routing_mode_before = ModeBefore::kSame;
  LaneOptions lane;  ///< lane.filter holds the options of record, feature, match and window
  LearningSettings learning;
  FileRunSettings file_run;
  /// File that lane.filter.model was read from; empty: the model is the default.
  std::string model_file;
  /// The sample that the settings were chosen from, for drift to be measured against; nothing if
  /// they come with none.
  std::optional<StreamProfile> reference;
  RegistryOptions registry;
  HttpOptions http;
  PresenceOptions presence;
  LogLevel log_level = LogLevel::kInfo;
  LogFormat log_format = LogFormat::kText;
  /// Folder for snapshots; empty: no snapshots. The changelog alone restores the state.
  std::string state_dir;
  int64_t snapshot_interval_ms = 30'000;
  bool purge_changelog = true;
  OnForeignRecords on_foreign_records = OnForeignRecords::kFail;
};

/// Makes KafkaOptions::encodings anew, by the other settings.
void SetEncodings(Settings& settings);

/// The same for lane number `lane` of KafkaOptions::lanes.
inline Settings OfLane(Settings settings, int32_t lane) {
  settings.kafka.lane = lane;
  settings.lane.lane = static_cast<uint16_t>(lane);
  return settings;
}

// The name of a pipeline for which nobody chose one.

/// The default of older versions, and the name of a process without input topics.
inline constexpr const char* kPlainApp = "neardup";

/// `neardup-news` for the topic news, `neardup-goods-news` for news and goods in any order. Where
/// that is too long, or has letters that `app` does not take, the name is shortened, and 8
/// hexadecimal digits tell it from others. Valid as `app`.
std::string DefaultApp(const std::vector<std::string>& topics);

}  // namespace neardup
