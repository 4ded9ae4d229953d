// Calls of the library that may not return within their time-out, in a thread of their own.
#pragma once

#include <functional>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/task_thread.h"
#include "kafka/handle.h"
#include "neardup/result.h"

namespace neardup {

/// One owner thread.
class BoundedCalls {
 public:
  /// A call is abandoned this long after its time-out.
  explicit BoundedCalls(int grace_ms) : grace_ms_(grace_ms) {}
  /// Waits a second for the abandoned calls, then leaves them to themselves.
  ~BoundedCalls();

  /// Its error says that the call cannot succeed any more.
  using Check = std::function<Result<void>()>;

  /// Runs the call and returns its answer. The call must own all that it uses. A call that does not
  /// return in time is abandoned: it goes on, perhaps until the process ends, and the result is
  /// kUnavailable. If `check`, which is asked several times a second, returns an error, the call
  /// is abandoned at once, and the result is that error. A call that is abandoned keeps a producer
  /// with its memory, so that too many of them are a fatal error.
  template <class Call>
  Result<ErrorHandle> Await(Call call, int timeout_ms, const std::string& doing,
                            const Check& check = {}) {
    return AwaitAnswer(thread_->Run(std::move(call)), timeout_ms, doing, check);
  }

 private:
  using Thread = TaskThread<ErrorHandle>;
  struct Abandoned {
    std::future<ErrorHandle> answer;
    std::unique_ptr<Thread> thread;
  };
  Result<ErrorHandle> AwaitAnswer(std::future<ErrorHandle> answer, int timeout_ms,
                                  const std::string& doing, const Check& check);
  void DropFinished();

  int grace_ms_;
  std::unique_ptr<Thread> thread_ = std::make_unique<Thread>();
  std::vector<Abandoned> abandoned_;
};

}  // namespace neardup
