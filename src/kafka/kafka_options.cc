#include "kafka/kafka_options.h"

namespace neardup {

std::string ChangelogTopic(const KafkaOptions& options) { return options.app + "-changelog"; }

std::string LeaseTopic(const KafkaOptions& options) { return options.app + "-lease"; }

std::string ExpandTopic(const std::string& topic_template, const std::string& input_topic) {
  static constexpr std::string_view kPlaceholder = "{topic}";
  std::string expanded = topic_template;
  for (size_t at = 0; (at = expanded.find(kPlaceholder, at)) != std::string::npos;
       at += input_topic.size()) {
    expanded.replace(at, kPlaceholder.size(), input_topic);
  }
  return expanded;
}

}  // namespace neardup
