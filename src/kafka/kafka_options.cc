#include "kafka/kafka_options.h"

namespace neardup {

std::string ChangelogTopic(const KafkaOptions& options) { return options.app + "-changelog"; }

std::string LeaseTopic(const KafkaOptions& options) { return options.app + "-lease"; }

}  // namespace neardup
