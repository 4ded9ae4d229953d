// A broker inside this process: fills topics with the synthetic stream, and reads back what the
// service wrote.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "commands/demo/demo_report.h"
#include "commands/demo/synthetic_stream.h"
#include "kafka/kafka_options.h"
#include "kafka/library.h"
#include "neardup/result.h"
#include "stream/lane/ports.h"
#include "stream/state/route.h"

namespace neardup {

class DemoCluster {
 public:
  /// Starts a broker with the topics `articles` and `products` and all others that a lane over them
  /// needs, with enough partitions for the records. The records must outlive the cluster. `log`
  /// receives the log lines of librdkafka.
  static Result<std::unique_ptr<DemoCluster>> New(std::span<const SyntheticRecord> records,
                                                  KafkaLog log);

  const KafkaOptions& options() const { return options_; }

  /// Writes the records to the input topics, in order.
  Result<void> Fill();
  /// Reads the verdict on each record from the output topics. Fails with kInternal unless every
  /// record was written exactly once.
  Result<std::vector<DemoVerdict>> ReadVerdicts() const;

 private:
  DemoCluster(std::span<const SyntheticRecord> records, KafkaLog log)
      : records_(records), log_(std::move(log)) {}
  Result<void> CreateTopics();
  /// Index of the synthetic record at a position of the input topics.
  Result<size_t> RecordAt(const InputPartition& partition, int64_t offset) const;
  Result<void> Take(const Message& message, std::vector<DemoVerdict>& verdicts) const;

  std::span<const SyntheticRecord> records_;
  KafkaLog log_;
  std::unique_ptr<EmbeddedBroker> broker_;
  KafkaOptions options_;
  /// For each partition, the indexes of its records in `records_`, in order of offset.
  std::map<InputPartition, std::vector<size_t>> placed_;
};

}  // namespace neardup
