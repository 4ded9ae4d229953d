#include "stream/lane/encoded_source.h"

#include <algorithm>
#include <iterator>
#include <thread>
#include <utility>

namespace neardup {
namespace {

constexpr std::chrono::seconds kAskAgain(1);

}  // namespace

Result<void> EncodedSource::Assign(std::span<const InputAssignment> inputs) {
  held_.clear();
  trouble_.clear();
  return source_->Assign(inputs);
}

Result<void> EncodedSource::Poll(size_t records_max, int timeout_ms, std::vector<Message>& out) {
  using SteadyClock = std::chrono::steady_clock;
  if (held_.empty()) NEARDUP_TRY(source_->Poll(records_max, timeout_ms, held_));
  if (!trouble_.empty() && SteadyClock::now() < ask_again_at_) {
    const auto wait = std::chrono::milliseconds(timeout_ms);
    std::this_thread::sleep_until(std::min(ask_again_at_, SteadyClock::now() + wait));
    if (SteadyClock::now() < ask_again_at_) return {};
  }
  const Result<void> found = encodings_->Find(held_);
  if (!found.ok()) {
    if (on_no_schema_ == OnNoSchema::kFail || !found.error().retriable) {
      held_.clear();
      return found.error();
    }
    trouble_ = found.error().text;
    ask_again_at_ = SteadyClock::now() + kAskAgain;
    return {};
  }
  trouble_.clear();
  const auto end = held_.begin() + static_cast<ptrdiff_t>(std::min(records_max, held_.size()));
  out.insert(out.end(), std::move_iterator(held_.begin()), std::move_iterator(end));
  held_.erase(held_.begin(), end);
  return {};
}

std::vector<InputStatus> EncodedSource::Status() {
  std::vector<InputStatus> rows = source_->Status();
  for (InputStatus& row : rows) {
    const auto is_of_it = [&](const Message& each) { return each.position.input == row.input; };
    const auto first = std::ranges::find_if(held_, is_of_it);
    if (first == held_.end()) continue;
    row.next_offset = first->position.offset;
    row.at_end = false;
    row.lag_records += std::ranges::count_if(held_, is_of_it);
    if (trouble_.empty()) continue;
    row.trouble = InputTrouble::kUnreachable;
    row.trouble_text = trouble_;
  }
  return rows;
}

}  // namespace neardup
