#include "service/run/lane_topics.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "kafka/topics.h"

namespace neardup {

GrowingSource::GrowingSource(const KafkaOptions& options, Source& source, KafkaLog log)
    : options_(options), source_(source), log_(std::move(log)) {}

Result<FoundInputs> GrowingSource::Find() {
  NEARDUP_ASSIGN(FoundInputs found, source_.Find());
  if (found.partitions == seen_) return found;
  NEARDUP_ASSIGN(const TopicReport report,
                 EnsureTopics(options_, found.partitions, log_, LaneAge::kBegun));
  for (const std::string& topic : report.grown) {
    spdlog::info("topic {}: partitions added, because its input topic has more", topic);
  }
  if (std::exchange(without_outputs_, report.without_outputs) != report.without_outputs) {
    for (const std::string& warning : report.warnings) spdlog::warn("{}", warning);
  }
  LeaveOut(report.without_outputs, found.partitions);
  seen_ = found.partitions;
  return found;
}

void LeaveOut(std::span<const InputPartition> without_outputs,
              std::vector<InputPartition>& partitions) {
  std::erase_if(partitions, [without_outputs](const InputPartition& each) {
    return std::find(without_outputs.begin(), without_outputs.end(), each) != without_outputs.end();
  });
}

Result<void> GrowingSource::Assign(std::span<const InputAssignment> inputs) {
  if (inputs.empty()) {
    promoted_ = false;
  } else if (!promoted_) {
    // The lane has fenced its predecessor, and has read its changelog to the end.
    if (before_promotion_) NEARDUP_TRY(before_promotion_());
    promoted_ = true;
  }
  return source_.Assign(inputs);
}

TransactionOnTopics::TransactionOnTopics(const KafkaOptions& options, const GrowingSource& source,
                                         std::unique_ptr<Transaction> transaction, KafkaLog log)
    : options_(options),
      source_(source),
      transaction_(std::move(transaction)),
      log_(std::move(log)) {}

Result<void> TransactionOnTopics::Fence() {
  aborted_ = false;
  NEARDUP_TRY(Ensure());
  return transaction_->Fence();
}

Result<void> TransactionOnTopics::Begin() {
  if (std::exchange(aborted_, false)) {
    NEARDUP_ASSIGN(const std::optional<std::string> missing, FindMissing());
    if (missing) {
      return Retriable(ErrorCode::kUnavailable,
                       fmt::format("topic {} does not exist any more; taking the lane again, "
                                   "which creates it",
                                   *missing));
    }
  }
  return transaction_->Begin();
}

Result<void> TransactionOnTopics::Abort() {
  aborted_ = true;
  return transaction_->Abort();
}

Result<std::optional<std::string>> TransactionOnTopics::FindMissing() const {
  return FindMissingTopic(options_, source_.seen(), log_);
}

Result<void> TransactionOnTopics::Ensure() const {
  NEARDUP_ASSIGN(const std::optional<std::string> missing, FindMissing());
  if (!missing) return {};
  if (!options_.create_topics) {
    return Retriable(ErrorCode::kUnavailable,
                     fmt::format("topic {} does not exist any more, and output.create_topics is "
                                 "off; create it, with as many partitions as before",
                                 *missing));
  }
  NEARDUP_ASSIGN(const TopicReport report,
                 EnsureTopics(options_, source_.seen(), log_, LaneAge::kBegun));
  for (const std::string& topic : report.created) {
    spdlog::error("topic {} was gone, and is created again: what it held is lost to its readers",
                  topic);
  }
  return {};
}

}  // namespace neardup
