#include "kafka/leader_watch.h"

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>

namespace neardup {
namespace {

using Json = nlohmann::json;

// A broker answers a fetch at least every fetch.wait.max.ms, half a second by default.
constexpr int64_t kLeaderSilentUs = 10'000'000;
// A connection that is being made shows in one statistics and not in the next.
constexpr uint32_t kSilentStatistics = 2;

std::set<int64_t> AnsweringBrokers(const Json& statistics, int64_t silent_us) {
  std::set<int64_t> brokers;
  for (const Json& broker : statistics.value("brokers", Json::object())) {
    const std::string state = broker.value("state", "");
    const bool connected = state == "UP" || state == "UPDATE";
    if (connected && broker.value("rxidle", int64_t{0}) < silent_us) {
      brokers.insert(broker.value("nodeid", int64_t{-1}));
    }
  }
  return brokers;
}

}  // namespace

void LeaderWatch::Take(std::string_view text) {
  const Json statistics = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!statistics.is_object()) return;
  const std::set<int64_t> answering = AnsweringBrokers(statistics, kLeaderSilentUs);
  std::map<InputPartition, uint32_t> silent_for;
  const Json topics = statistics.value("topics", Json::object());
  for (const auto& [topic, row] : topics.items()) {
    for (const Json& partition : row.value("partitions", Json::object())) {
      const InputPartition input{topic, partition.value("partition", int32_t{-1})};
      if (input.partition < 0) continue;  // the library's row for records without a partition
      if (answering.contains(partition.value("leader", int64_t{-1}))) continue;
      const auto before = silent_for_.find(input);
      silent_for[input] = before == silent_for_.end() ? 1 : before->second + 1;
    }
  }
  silent_for_ = std::move(silent_for);
}

bool LeaderWatch::IsSilent(const InputPartition& partition) const {
  const auto found = silent_for_.find(partition);
  return found != silent_for_.end() && found->second >= kSilentStatistics;
}

bool AnyBrokerAnswers(std::string_view text, int64_t silent_us) {
  const Json statistics = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  return statistics.is_object() && !AnsweringBrokers(statistics, silent_us).empty();
}

}  // namespace neardup
