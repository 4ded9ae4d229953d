// A thread of execution that runs only while its owner resumes it, on the owner's own thread.
#pragma once

#include <ucontext.h>

#include <cstddef>
#include <functional>
#include <memory>

namespace neardup {

/// Thrown out of Yield on a fiber that is killed, so that everything on its stack is destroyed.
struct FiberKilled {};

/// One thread uses a fiber, from its Start to its end.
class Fiber {
 public:
  Fiber();
  /// Kills it if it has not ended.
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Resume runs `body`, which may throw nothing but FiberKilled. Nothing else may be running.
  void Start(std::function<void()> body);
  /// Runs until the next Yield, or to the end.
  void Resume();
  /// Ends the fiber at the Yield where it waits.
  void Kill();
  bool running() const { return running_; }

  /// Called on the fiber: returns to Resume.
  void Yield();

 private:
  static void Enter(unsigned high, unsigned low);
  void Run();
  /// Around each switch: what a sanitizer must know of it.
  void Leave(bool to_fiber, bool for_good);
  void Arrive(bool on_fiber);

  std::unique_ptr<std::byte[]> stack_;
  ucontext_t owner_{};
  ucontext_t own_{};
  std::function<void()> body_;
  bool running_ = false;
  bool killed_ = false;
  // Of sanitizers; unused without one.
  [[maybe_unused]] void* owner_state_ = nullptr;
  [[maybe_unused]] void* own_state_ = nullptr;
  [[maybe_unused]] void* left_state_ = nullptr;
  [[maybe_unused]] const void* owner_stack_ = nullptr;
  [[maybe_unused]] size_t owner_stack_bytes_ = 0;
};

}  // namespace neardup
