// All settings of a process, as values with defaults. config.h reads them from the file, the
// environment and the command line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "kafka/kafka_options.h"
#include "metrics/http_server.h"
#include "stream/lane_options.h"

namespace neardup {

enum class LogFormat : uint8_t { kText, kJson };
enum class LogLevel : uint8_t { kDebug, kInfo, kWarn, kError };

/// The library's default is larger. A service with a bound of memory cannot afford that, because a
/// large record takes many times its size.
inline constexpr size_t kServiceRecordBytesMax = size_t{4} << 20;
/// What follows when a lane that knows nothing finds records of a lane in its output topics.
enum class OnForeignRecords : uint8_t { kFail, kContinue };

struct Settings {
  Settings() { lane.filter.record.record_bytes_max = kServiceRecordBytesMax; }

  KafkaOptions kafka;
  LaneOptions lane;  ///< lane.filter holds the options of record, feature, match and window
  /// File that lane.filter.model was read from; empty: the model is the default.
  std::string model_file;
  HttpOptions http;
  LogLevel log_level = LogLevel::kInfo;
  LogFormat log_format = LogFormat::kText;
  /// Folder for snapshots; empty: no snapshots. The changelog alone restores the state.
  std::string state_dir;
  int64_t snapshot_interval_ms = 30'000;
  bool purge_changelog = true;
  OnForeignRecords on_foreign_records = OnForeignRecords::kFail;
};

}  // namespace neardup
