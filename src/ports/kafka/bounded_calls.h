// Calls of the library that may not return within their time-out, in a thread of their own.
#pragma once

#include <future>
#include <memory>
#include <string>
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

  /// Runs the call and returns its answer. The call must own all that it uses. A call that does not
  /// return in time is abandoned: it goes on, perhaps until the process ends, and the result is
  /// kUnavailable. A call that is abandoned keeps a producer with its memory, so that too many of
  /// them are a fatal error.
  Result<ErrorHandle> Await(std::packaged_task<ErrorHandle()> call, int timeout_ms,
                            const std::string& doing);

 private:
  using Thread = TaskThread<ErrorHandle>;
  struct Abandoned {
    std::future<ErrorHandle> answer;
    std::unique_ptr<Thread> thread;
  };
  void DropFinished();

  int grace_ms_;
  std::unique_ptr<Thread> thread_ = std::make_unique<Thread>();
  std::vector<Abandoned> abandoned_;
};

}  // namespace neardup
