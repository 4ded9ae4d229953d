// Shows the errors of librdkafka to the person who runs a command.
#pragma once

#include <string_view>

#include "kafka/kafka_options.h"
#include "process/message.h"

namespace neardup {

/// A log of librdkafka that prints errors on standard error, and nothing else.
inline KafkaLog PrintKafkaErrors() {
  return [](int level, std::string_view text) {
    if (level > kSyslogError) return;
    SayText(text);
  };
}

}  // namespace neardup
