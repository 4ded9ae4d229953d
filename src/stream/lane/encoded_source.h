// A source whose values need not be JSON.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "neardup/result.h"
#include "stream/lane/ports.h"

namespace neardup {

/// Knows how the values of topics are encoded. Any thread may call it.
class PayloadEncodings {
 public:
  virtual ~PayloadEncodings() = default;
  /// Sets Message::encoding. A record whose value can never be decoded gets an encoding that says
  /// so. An error means that a schema cannot be had now. If it is retriable, a later call may
  /// succeed.
  virtual Result<void> Find(std::span<Message> messages) = 0;
  /// Receives a line for each encoding that is found in the values.
  virtual void LogTo(std::function<void(const std::string&)> /*log*/) {}
};

/// What follows if a schema cannot be had now.
enum class OnNoSchema : uint8_t {
  kFail,  ///< Poll fails
  kWait,  ///< the records wait, their inputs count as unreachable, and Poll asks again
};

/// Hands out the records of another source with their encodings.
class EncodedSource : public Source {
 public:
  EncodedSource(std::unique_ptr<Source> source, std::shared_ptr<PayloadEncodings> encodings,
                OnNoSchema on_no_schema)
      : source_(std::move(source)), encodings_(std::move(encodings)), on_no_schema_(on_no_schema) {}

  Result<FoundInputs> Find() override { return source_->Find(); }
  Result<OffsetBounds> Bounds(const InputPartition& partition) override {
    return source_->Bounds(partition);
  }
  Result<std::optional<uint64_t>> ChecksumAt(const InputPartition& partition,
                                             int64_t offset) override {
    return source_->ChecksumAt(partition, offset);
  }
  Result<void> Assign(std::span<const InputAssignment> inputs) override;
  Result<void> Poll(size_t records_max, int timeout_ms, std::vector<Message>& out) override;
  std::vector<InputStatus> Status() override;
  bool exhausted() const override { return held_.empty() && source_->exhausted(); }
  bool polls_beside() const override { return source_->polls_beside(); }

 private:
  std::unique_ptr<Source> source_;
  std::shared_ptr<PayloadEncodings> encodings_;
  OnNoSchema on_no_schema_;
  std::vector<Message> held_;  ///< polled, and not handed out
  std::string trouble_;        ///< why not; empty: there was no room for them
  std::chrono::steady_clock::time_point ask_again_at_;
};

}  // namespace neardup
