#include "config/setting_rows.h"

namespace neardup {
namespace {

constexpr int64_t kMinuteMs = 60'000;
constexpr int64_t kKiB = 1024;
constexpr int64_t kMiB = 1024 * kKiB;
constexpr int64_t kGiB = 1024 * kMiB;

std::vector<Setting> TransactionRows() {
  return {
      NumberRow(SettingKind::kDuration, "transaction.interval_ms",
                NEARDUP_MEMBER(lane.transaction_interval_ms), {10, kMinuteMs},
                "A transaction is committed after this time. Shorter: lower latency; longer: less "
                "work for the brokers."),
      NumberRow(SettingKind::kBytes, "transaction.bytes_max",
                NEARDUP_MEMBER(lane.transaction_bytes_max), {64 * kKiB, kGiB},
                "A transaction is committed once it holds this many payload bytes."),
      NumberRow(SettingKind::kInteger, "transaction.batch_records_max",
                NEARDUP_MEMBER(lane.batch_records_max), {1, 1'000'000},
                "Records polled, fingerprinted and decided together."),
      NumberRow(SettingKind::kDuration, "transaction.timeout_ms",
                NEARDUP_MEMBER(kafka.transaction_timeout_ms), {1000, 15 * kMinuteMs},
                "The broker aborts a transaction that is open for longer. Must be more than "
                "interval_ms + 1s."),
  };
}

std::vector<Setting> LeaseRows() {
  return {
      // 6 s and 30 min: the brokers' own default bounds.
      NumberRow(SettingKind::kDuration, "lease.session_timeout_ms",
                NEARDUP_MEMBER(kafka.session_timeout_ms), {6000, 30 * kMinuteMs},
                "An active instance that is silent for this long is replaced by a standby."),
      NumberRow(SettingKind::kDuration, "lease.heartbeat_interval_ms",
                NEARDUP_MEMBER(kafka.heartbeat_interval_ms), {50, 10 * kMinuteMs},
                "How often an instance says that it is alive. At most a third of "
                "session_timeout_ms."),
      NumberRow(SettingKind::kDuration, "retry.backoff_min_ms",
                NEARDUP_MEMBER(lane.retry_backoff_min_ms), {1, 10 * kMinuteMs}, "First wait."),
      NumberRow(SettingKind::kDuration, "retry.backoff_max_ms",
                NEARDUP_MEMBER(lane.retry_backoff_max_ms), {1, 10 * kMinuteMs},
                "Longest wait; it doubles from backoff_min_ms."),
      NumberRow(SettingKind::kInteger, "threads.fingerprint",
                NEARDUP_MEMBER(lane.fingerprint_threads), {0, 1024},
                "Threads that fingerprint and look up. 0: one per core."),
  };
}

std::vector<Setting> KafkaRows() {
  return {
      TextRow("kafka.brokers", NEARDUP_MEMBER(kafka.brokers),
              {"^[^\\s,]+(,[^\\s,]+)*$", "host:port, several separated by commas without spaces"},
              "Brokers to start from: host:port, separated by commas."),
      PlainRow<TextMap>(SettingKind::kTextMap, "kafka.properties", NEARDUP_MEMBER(kafka.properties),
                        "librdkafka properties for all clients, such as security.protocol. Those "
                        "that would break the guarantees are refused."),
      PlainRow<TextMap>(SettingKind::kTextMap, "kafka.consumer_properties",
                        NEARDUP_MEMBER(kafka.consumer_properties),
                        "librdkafka properties for consumers only."),
      PlainRow<TextMap>(SettingKind::kTextMap, "kafka.producer_properties",
                        NEARDUP_MEMBER(kafka.producer_properties),
                        "librdkafka properties for producers only, such as compression.type."),
      NumberRow(SettingKind::kDuration, "kafka.answer_timeout_ms",
                NEARDUP_MEMBER(kafka.answer_timeout_ms), {100, 5 * kMinuteMs},
                "How long a question about topics or offsets waits for an answer."),
      NumberRow(SettingKind::kInteger, "kafka.inflight_records_max",
                NEARDUP_MEMBER(kafka.inflight_records_max), {1, 10'000'000},
                "Records given to the producer and not yet delivered, at most."),
      NumberRow(SettingKind::kBytes, "kafka.inflight_bytes_max",
                NEARDUP_MEMBER(kafka.inflight_bytes_max), {kMiB, 64 * kGiB},
                "Bytes given to the producer and not yet delivered, at most. At least "
                "record.record_bytes_max."),
  };
}

}  // namespace

std::vector<Setting> EngineRows() {
  std::vector<Setting> rows = TransactionRows();
  for (const auto& part : {LeaseRows(), KafkaRows()}) {
    rows.insert(rows.end(), part.begin(), part.end());
  }
  return rows;
}

}  // namespace neardup
