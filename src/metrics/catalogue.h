// Every metric of the process: registered from this table, and documented from it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace neardup {

enum class MetricType : uint8_t { kCounter, kGauge, kHistogram };

constexpr const char* Name(MetricType type) {
  switch (type) {
    case MetricType::kCounter:
      return "counter";
    case MetricType::kGauge:
      return "gauge";
    case MetricType::kHistogram:
      return "histogram";
  }
  return "gauge";
}

/// Index of a row in the catalogue.
enum class Metric : uint8_t {
  kBuildInfo,
  kState,
  kRecordsConsumed,
  kConsumedBytes,
  kRecords,
  kDeadLetterRecords,
  kLateRecords,
  kClampedRecords,
  kEndToEndLatency,
  kBatchDuration,
  kBatchRecords,
  kMatchDistance,
  kLookupCandidates,
  kIndexEntries,
  kIndexCapacity,
  kIndexBytes,
  kIndexEvictions,
  kIndexOldestEntry,
  kWatermark,
  kTransactions,
  kTransactionDuration,
  kLaneLosses,
  kPromotions,
  kRestoreDuration,
  kRestoredEntries,
  kRestoreProgress,
  kStateDiscarded,
  kSnapshots,
  kSnapshotFailures,
  kSnapshotTime,
  kSnapshotDuration,
  kSnapshotEntries,
  kSnapshotBytes,
  kChangelogPurged,
  kGroupOffsetMismatches,
  kLagRecords,
  kLagSeconds,
  kLastPoll,
  kProcessCpu,
  kProcessMemory,
  kProcessOpenFds,
  kProcessMaxFds,
  kProcessStart,
};
inline constexpr int kMetricCount = 43;

/// Values of the label `verdict`, in the catalogue's order.
enum class VerdictLabel : uint8_t { kUnique, kNear, kExact, kPassthrough, kDeadLetter };
/// Values of `reason` of index_evictions_total.
enum class EvictionLabel : uint8_t { kTime, kCapacity };
/// Values of `result` of transactions_total.
enum class TransactionLabel : uint8_t { kCommitted, kAborted, kFenced };

struct MetricRow {
  Metric metric = Metric::kBuildInfo;
  std::string name;
  MetricType type = MetricType::kGauge;
  std::vector<std::string> labels;
  /// All values of the only label, each with a series from the start. Empty: the values of the
  /// labels come from the stream or the build, or there is no label.
  std::vector<std::string> values;
  std::string help;
  /// Upper bounds of a histogram's buckets, without +Inf.
  std::vector<double> buckets;
};

/// Row i is that of Metric i.
const std::vector<MetricRow>& MetricCatalogue();
const MetricRow& RowOf(Metric metric);

/// The catalogue as a Markdown table.
std::string MetricsReference();

}  // namespace neardup
