// The topics of a lane change while it runs: an input topic gets more partitions, or somebody
// deletes a topic that the lane writes. These ports keep the output topics as the lane needs them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kafka/kafka_options.h"
#include "stream/lane/ports.h"

namespace neardup {

/// Removes the partitions of TopicReport::without_outputs.
void LeaveOut(std::span<const InputPartition> without_outputs,
              std::vector<InputPartition>& partitions);

/// A source that adds partitions to the output topics when an input topic grows, or leaves out the
/// partitions for which there are none and none may be created. `options` and
/// `source` must outlive it.
class GrowingSource : public Source {
 public:
  GrowingSource(const KafkaOptions& options, Source& source, KafkaLog log);

  Result<FoundInputs> Find() override;
  Result<OffsetBounds> Bounds(const InputPartition& partition) override {
    return source_.Bounds(partition);
  }
  Result<std::optional<uint64_t>> ChecksumAt(const InputPartition& partition,
                                             int64_t offset) override {
    return source_.ChecksumAt(partition, offset);
  }
  Result<void> Assign(std::span<const InputAssignment> inputs) override;
  Result<void> Poll(size_t records_max, int timeout_ms, std::vector<Message>& out) override {
    return source_.Poll(records_max, timeout_ms, out);
  }
  std::vector<InputStatus> Status() override { return source_.Status(); }
  bool polls_beside() const override { return source_.polls_beside(); }

  /// If it fails, the first Assign of a promotion returns its error.
  void BeforePromotion(std::function<Result<void>()> check) {
    before_promotion_ = std::move(check);
  }
  /// The output topics fit these partitions.
  void Saw(std::vector<InputPartition> partitions) { seen_ = std::move(partitions); }
  const std::vector<InputPartition>& seen() const { return seen_; }

 private:
  const KafkaOptions& options_;
  Source& source_;
  KafkaLog log_;
  std::vector<InputPartition> seen_;
  std::vector<InputPartition> without_outputs_;
  std::function<Result<void>()> before_promotion_;
  bool promoted_ = false;
};

/// Makes sure before each promotion that the topics that the lane writes exist. When a transaction
/// had to be aborted, it checks whether one of them is gone, and then the lane is taken again.
/// `options` and `source` must outlive it.
class TransactionOnTopics : public Transaction {
 public:
  TransactionOnTopics(const KafkaOptions& options, const GrowingSource& source,
                      std::unique_ptr<Transaction> transaction, KafkaLog log);

  Result<void> Fence() override;
  Result<void> Begin() override;
  bool must_fence() const override { return transaction_->must_fence(); }
  Result<void> Publish(const RoutedRecord& record) override {
    return transaction_->Publish(record);
  }
  Result<void> PublishDelta(std::string_view bytes) override {
    return transaction_->PublishDelta(bytes);
  }
  Result<void> PublishGroup(const GroupRecord& group) override {
    return transaction_->PublishGroup(group);
  }
  void StartCommit(std::span<const InputProgress> inputs) override {
    transaction_->StartCommit(inputs);
  }
  bool CommitHasEnded() override { return transaction_->CommitHasEnded(); }
  Result<void> FinishCommit() override { return transaction_->FinishCommit(); }
  Result<void> Abort() override;
  void Abandon(bool abort) override { transaction_->Abandon(abort); }
  std::vector<Refusal> TakeRefusals() override { return transaction_->TakeRefusals(); }
  Result<std::vector<int64_t>> CommittedOffsets(std::span<const InputPartition> inputs) override {
    return transaction_->CommittedOffsets(inputs);
  }
  size_t record_bytes_max(const InputPartition& input) const override {
    return transaction_->record_bytes_max(input);
  }
  void RefreshLimits(const InputPartition& input) override { transaction_->RefreshLimits(input); }
  bool compresses() const override { return transaction_->compresses(); }

 private:
  Result<std::optional<std::string>> FindMissing() const;
  Result<void> Ensure() const;

  const KafkaOptions& options_;
  const GrowingSource& source_;
  std::unique_ptr<Transaction> transaction_;
  KafkaLog log_;
  bool aborted_ = false;
};

}  // namespace neardup
