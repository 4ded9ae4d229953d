// Calls of the library that may not return within their time-out, each in a thread of its own.
#pragma once

#include <functional>
#include <future>
#include <string>
#include <thread>
#include <vector>

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
  Result<ErrorHandle> Await(std::packaged_task<ErrorHandle()> call, int timeout_ms,
                            const std::string& doing, const Check& check = {});

 private:
  struct Abandoned {
    std::future<ErrorHandle> answer;
    std::thread thread;
  };
  void DropFinished();

  int grace_ms_;
  std::vector<Abandoned> abandoned_;
};

}  // namespace neardup
