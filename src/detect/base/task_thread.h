// A thread that works for one owner, on one task at a time.
#pragma once

#include <cassert>
#include <condition_variable>
#include <exception>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace neardup {

/// The thread begins with the first task and lives as long as its owner, so that a task costs no
/// new thread, and the allocator can reuse the memory of earlier tasks. What a task throws reaches
/// the owner through the future. When the answer is ready, what the task held is gone. One owner
/// thread.
template <class Answer>
class TaskThread {
 public:
  TaskThread() = default;
  /// Waits for the task that runs.
  ~TaskThread() {
    Stop();
    if (thread_.joinable()) thread_.join();
  }
  TaskThread(const TaskThread&) = delete;
  TaskThread& operator=(const TaskThread&) = delete;

  /// Starts `task`, which takes no argument. The answer of the previous task must be ready.
  template <class Task>
  std::future<Answer> Run(Task task) {
    std::promise<Answer> promise;
    std::future<Answer> answer = promise.get_future();
    if (!thread_.joinable()) {
      thread_ = std::thread([mailbox = mailbox_] { Serve(*mailbox); });
    }
    {
      const std::lock_guard lock(mailbox_->mutex);
      assert(!mailbox_->order.valid());
      mailbox_->order = std::packaged_task<void()>(
          [task = std::optional(std::move(task)), promise = std::move(promise)]() mutable {
            std::optional<Answer> found;
            std::exception_ptr thrown;
            try {
              found = (*task)();
            } catch (...) {
              thrown = std::current_exception();
            }
            task.reset();
            if (thrown) {
              promise.set_exception(std::move(thrown));
            } else {
              promise.set_value(std::move(*found));
            }
          });
    }
    mailbox_->changed.notify_one();
    return answer;
  }

  /// Leaves the thread to itself: it ends after its task, which must own all that it uses. Nothing
  /// may be run afterwards.
  void Abandon() {
    Stop();
    if (thread_.joinable()) thread_.detach();
  }

 private:
  struct Mailbox {
    std::mutex mutex;
    std::condition_variable changed;
    std::packaged_task<void()> order;  ///< to run next, if valid
    bool stopping = false;
  };

  void Stop() {
    {
      const std::lock_guard lock(mailbox_->mutex);
      mailbox_->stopping = true;
    }
    mailbox_->changed.notify_one();
  }

  static void Serve(Mailbox& mailbox) {
    std::unique_lock lock(mailbox.mutex);
    while (true) {
      mailbox.changed.wait(lock, [&] { return mailbox.stopping || mailbox.order.valid(); });
      if (!mailbox.order.valid()) return;
      std::packaged_task<void()> order = std::move(mailbox.order);
      lock.unlock();
      order();
      lock.lock();
    }
  }

  std::shared_ptr<Mailbox> mailbox_ = std::make_shared<Mailbox>();
  std::thread thread_;
};

}  // namespace neardup
