// A thread that works for one owner, on one task at a time.
#pragma once

#include <cassert>
#include <condition_variable>
#include <future>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

namespace neardup {

/// The thread begins with the first task and lives as long as its owner, so that a task costs no
/// new thread, and the allocator can reuse the memory of earlier tasks. What a task throws reaches
/// the owner through the future. One owner thread.
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

  /// Starts `task`. The answer of the task before must be ready.
  std::future<Answer> Run(std::packaged_task<Answer()> task) {
    std::future<Answer> answer = task.get_future();
    if (!thread_.joinable()) {
      thread_ = std::thread([mailbox = mailbox_] { Serve(*mailbox); });
    }
    {
      const std::lock_guard lock(mailbox_->mutex);
      assert(!mailbox_->task.valid());
      mailbox_->task = std::move(task);
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
    std::packaged_task<Answer()> task;  ///< to run next, if valid
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
      mailbox.changed.wait(lock, [&] { return mailbox.stopping || mailbox.task.valid(); });
      if (!mailbox.task.valid()) return;
      std::packaged_task<Answer()> task = std::move(mailbox.task);
      lock.unlock();
      task();
      lock.lock();
    }
  }

  std::shared_ptr<Mailbox> mailbox_ = std::make_shared<Mailbox>();
  std::thread thread_;
};

}  // namespace neardup
