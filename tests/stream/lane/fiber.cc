#include "stream/lane/fiber.h"

#include <cassert>
#include <cstdint>
#include <utility>

#include "detect/base/sanitizers.h"

#ifdef NEARDUP_ADDRESS_SANITIZER
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef NEARDUP_THREAD_SANITIZER
#include <sanitizer/tsan_interface.h>
#endif

namespace neardup {
namespace {

constexpr size_t kStackBytes = size_t{1} << 20;

}  // namespace

Fiber::Fiber() : stack_(new std::byte[kStackBytes]) {
#ifdef NEARDUP_THREAD_SANITIZER
  own_state_ = __tsan_create_fiber(0);
#endif
}

Fiber::~Fiber() {
  Kill();
#ifdef NEARDUP_THREAD_SANITIZER
  __tsan_destroy_fiber(own_state_);
#endif
}

void Fiber::Start(std::function<void()> body) {
  assert(!running_);
  body_ = std::move(body);
  running_ = true;
  killed_ = false;
  left_state_ = nullptr;
  left_state_ = nullptr;
  getcontext(&own_);
  own_.uc_stack.ss_sp = stack_.get();
  own_.uc_stack.ss_size = kStackBytes;
  own_.uc_link = nullptr;
  const auto self = reinterpret_cast<uintptr_t>(this);
  // makecontext passes only ints.
  makecontext(&own_, reinterpret_cast<void (*)()>(&Fiber::Enter), 2,
              static_cast<unsigned>(self >> 32), static_cast<unsigned>(self));
}

void Fiber::Enter(unsigned high, unsigned low) {
  reinterpret_cast<Fiber*>(uintptr_t{high} << 32 | low)->Run();
}

void Fiber::Run() {
  Arrive(/*on_fiber=*/true);
  if (!killed_) {
    try {
      body_();
    } catch (const FiberKilled&) {
      killed_ = true;  // as its owner wants it
    }
  }
  running_ = false;
  Leave(/*to_fiber=*/false, /*for_good=*/true);
  setcontext(&owner_);
}

void Fiber::Resume() {
  assert(running_);
  Leave(/*to_fiber=*/true, /*for_good=*/false);
  swapcontext(&owner_, &own_);
  Arrive(/*on_fiber=*/false);
}

void Fiber::Yield() {
  Leave(/*to_fiber=*/false, /*for_good=*/false);
  swapcontext(&own_, &owner_);
  Arrive(/*on_fiber=*/true);
  if (killed_) throw FiberKilled();
}

void Fiber::Kill() {
  if (!running_) return;
  killed_ = true;
  Resume();
  body_ = nullptr;
}

void Fiber::Leave([[maybe_unused]] bool to_fiber, [[maybe_unused]] bool for_good) {
#ifdef NEARDUP_ADDRESS_SANITIZER
  void** const saved = for_good ? nullptr : &left_state_;
  if (to_fiber) {
    __sanitizer_start_switch_fiber(&owner_state_, stack_.get(), kStackBytes);
  } else {
    __sanitizer_start_switch_fiber(saved, owner_stack_, owner_stack_bytes_);
  }
#endif
#ifdef NEARDUP_THREAD_SANITIZER
  if (to_fiber) owner_state_ = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(to_fiber ? own_state_ : owner_state_, 0);
#endif
}

void Fiber::Arrive([[maybe_unused]] bool on_fiber) {
#ifdef NEARDUP_ADDRESS_SANITIZER
  if (on_fiber) {
    __sanitizer_finish_switch_fiber(left_state_, &owner_stack_, &owner_stack_bytes_);
  } else {
    __sanitizer_finish_switch_fiber(owner_state_, nullptr, nullptr);
  }
#endif
}

}  // namespace neardup
