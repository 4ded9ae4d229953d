#include "kafka/bounded_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

namespace neardup {
namespace {

constexpr size_t kAbandonedMax = 4;
constexpr std::chrono::seconds kLastWait(1);
constexpr std::chrono::milliseconds kBetweenChecks(300);

}  // namespace

BoundedCalls::~BoundedCalls() {
  const auto deadline = std::chrono::steady_clock::now() + kLastWait;
  for (Abandoned& call : abandoned_) {
    if (call.answer.wait_until(deadline) != std::future_status::ready) call.thread->Abandon();
  }
}

Result<ErrorHandle> BoundedCalls::AwaitAnswer(std::future<ErrorHandle> answer, int timeout_ms,
                                              const std::string& doing, const Check& check) {
  const std::chrono::milliseconds bound(timeout_ms + grace_ms_);
  const auto deadline = std::chrono::steady_clock::now() + bound;
  std::optional<Error> why;
  while (!why) {
    const auto next = std::chrono::steady_clock::now() + kBetweenChecks;
    if (answer.wait_until(check ? std::min(next, deadline) : deadline) ==
        std::future_status::ready) {
      return answer.get();
    }
    if (std::chrono::steady_clock::now() >= deadline) {
      why = Retriable(ErrorCode::kUnavailable,
                      fmt::format("{}: no answer for {} s", doing, bound.count() / 1000));
    } else if (const Result<void> checked = check(); !checked.ok()) {
      why = checked.error();
    }
  }
  abandoned_.push_back({std::move(answer), std::exchange(thread_, std::make_unique<Thread>())});
  DropFinished();
  if (abandoned_.size() < kAbandonedMax) return *why;
  return Fatal(ErrorCode::kUnavailable,
               fmt::format("{}, and {} earlier calls hang, too; start the process again", why->text,
                           abandoned_.size() - 1));
}

void BoundedCalls::DropFinished() {
  std::erase_if(abandoned_, [](Abandoned& call) {
    return call.answer.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  });
}

}  // namespace neardup
