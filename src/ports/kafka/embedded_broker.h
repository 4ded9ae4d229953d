// A broker inside this process, for demonstrations and tests without a cluster. It is librdkafka's
// mock cluster: without isolation, fencing or aborts, and with 5 MB per partition. It proves
// nothing about transactions.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "neardup/result.h"

namespace neardup {

class EmbeddedBroker {
 public:
  static Result<std::unique_ptr<EmbeddedBroker>> New(int brokers);
  ~EmbeddedBroker();
  EmbeddedBroker(const EmbeddedBroker&) = delete;
  EmbeddedBroker& operator=(const EmbeddedBroker&) = delete;

  Result<void> CreateTopic(const std::string& topic, int32_t partitions);
  /// For KafkaOptions::brokers. Other processes on this host can connect too.
  std::string bootstrap() const;

 private:
  struct Parts;
  explicit EmbeddedBroker(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace neardup
