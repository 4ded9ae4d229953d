// The demo's broker: topics filled with the sample stream, and their outputs read back.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "demo/demo_report.h"
#include "demo/synthetic_stream.h"
#include "kafka/embedded_broker.h"
#include "kafka/kafka_options.h"
#include "neardup/result.h"
#include "state/input.h"
#include "stream/message.h"

namespace neardup {

class DemoCluster {
 public:
  /// Starts a broker with all topics a lane over articles and products needs, big enough for the
  /// records, which must outlive the cluster. `log` receives the lines of librdkafka.
  static Result<std::unique_ptr<DemoCluster>> New(std::span<const SyntheticRecord> records,
                                                  KafkaLog log);

  const KafkaOptions& options() const { return options_; }

  /// Writes the records, in order, to the input topics.
  Result<void> Fill();
  /// The verdict on each record out of the output topics. kInternal when a record did not come out
  /// exactly once.
  Result<std::vector<SampleVerdict>> ReadVerdicts() const;

 private:
  DemoCluster(std::span<const SyntheticRecord> records, KafkaLog log)
      : records_(records), log_(std::move(log)) {}
  Result<void> CreateTopics();
  Result<size_t> SampleIndex(const InputPartition& partition, int64_t offset) const;
  Result<void> Take(const Message& message, std::vector<SampleVerdict>& verdicts) const;

  std::span<const SyntheticRecord> records_;
  KafkaLog log_;
  std::unique_ptr<EmbeddedBroker> broker_;
  KafkaOptions options_;
  /// Indexes of the records of each partition, by offset.
  std::map<InputPartition, std::vector<size_t>> placed_;
};

}  // namespace neardup
