// Source over the input topics of a Kafka cluster.
#pragma once

#include <memory>

#include "kafka/kafka_options.h"
#include "neardup/result.h"
#include "stream/ports.h"

namespace neardup {

/// Builds the client; does not wait for a broker. Messages may outlive the Source.
Result<std::unique_ptr<Source>> NewKafkaSource(const KafkaOptions& options, KafkaLog log);

}  // namespace neardup
