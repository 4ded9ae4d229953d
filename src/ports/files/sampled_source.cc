#include "files/sampled_source.h"

#include <algorithm>
#include <utility>

namespace neardup {

namespace {

constexpr int kPollTimeoutMs = 200;

}  // namespace

Result<std::span<const Message>> SampledSource::ReadAhead(size_t records_max, size_t bytes_max,
                                                          size_t records_enough) {
  size_t bytes = 0;
  while (ahead_.size() < records_max && bytes < bytes_max && !source_->exhausted()) {
    const size_t before = ahead_.size();
    NEARDUP_TRY(source_->Poll(records_max - before, kPollTimeoutMs, ahead_));
    for (size_t i = before; i < ahead_.size(); ++i) bytes += BytesOf(ahead_[i]);
    if (ahead_.size() == before && before >= records_enough) break;
  }
  return std::span<const Message>(ahead_);
}

Result<void> SampledSource::Assign(std::span<const InputAssignment> inputs) {
  std::vector<InputAssignment> assigned(inputs.begin(), inputs.end());
  for (InputAssignment& input : assigned) {
    input.next_offset += static_cast<int64_t>(ahead_.size() - polled_);
    for (size_t i = polled_; i < ahead_.size(); ++i) ahead_[i].position.input = input.input;
  }
  return source_->Assign(assigned);
}

Result<void> SampledSource::Poll(size_t records_max, int timeout_ms, std::vector<Message>& out) {
  if (polled_ == ahead_.size()) {
    ahead_.clear();
    polled_ = 0;
    return source_->Poll(records_max, timeout_ms, out);
  }
  const size_t end = polled_ + std::min(records_max, ahead_.size() - polled_);
  for (; polled_ < end; ++polled_) out.push_back(std::move(ahead_[polled_]));
  return {};
}

std::vector<InputStatus> SampledSource::Status() {
  std::vector<InputStatus> status = source_->Status();
  for (InputStatus& input : status) {
    input.next_offset -= static_cast<int64_t>(ahead_.size() - polled_);
    input.at_end = input.at_end && polled_ == ahead_.size();
  }
  return status;
}

}  // namespace neardup
