#include "kafka/bounded_calls.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

namespace neardup {
namespace {

constexpr size_t kAbandonedMax = 4;
constexpr std::chrono::seconds kLastWait(1);

}  // namespace

BoundedCalls::~BoundedCalls() {
  const auto deadline = std::chrono::steady_clock::now() + kLastWait;
  for (Abandoned& call : abandoned_) {
    if (call.answer.wait_until(deadline) != std::future_status::ready) call.thread->Abandon();
  }
}

Result<ErrorHandle> BoundedCalls::Await(std::packaged_task<ErrorHandle()> call, int timeout_ms,
                                        const std::string& doing) {
  std::future<ErrorHandle> answer = thread_->Run(std::move(call));
  const std::chrono::milliseconds bound(timeout_ms + grace_ms_);
  if (answer.wait_for(bound) == std::future_status::ready) return answer.get();
  abandoned_.push_back({std::move(answer), std::exchange(thread_, std::make_unique<Thread>())});
  DropFinished();
  const std::string text = fmt::format("{}: no answer for {} s", doing, bound.count() / 1000);
  if (abandoned_.size() < kAbandonedMax) return Retriable(ErrorCode::kUnavailable, text);
  return Fatal(ErrorCode::kUnavailable,
               fmt::format("{}, and {} earlier calls hang, too; start the process again", text,
                           abandoned_.size() - 1));
}

void BoundedCalls::DropFinished() {
  std::erase_if(abandoned_, [](Abandoned& call) {
    return call.answer.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  });
}

}  // namespace neardup
