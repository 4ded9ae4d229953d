#include "base/task_thread.h"

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>

namespace neardup {
namespace {

TEST(TaskThread, RunsAllTasksInOneThreadThatIsNotTheOwners) {
  TaskThread<std::thread::id> thread;
  const auto id = [] { return std::this_thread::get_id(); };
  const std::thread::id first = thread.Run(std::packaged_task<std::thread::id()>(id)).get();
  const std::thread::id second = thread.Run(std::packaged_task<std::thread::id()>(id)).get();
  EXPECT_EQ(first, second);
  EXPECT_NE(first, std::this_thread::get_id());
}

TEST(TaskThread, WhatATaskThrowsReachesTheOwner) {
  TaskThread<int> thread;
  std::future<int> answer =
      thread.Run(std::packaged_task<int()>([]() -> int { throw std::runtime_error("a task"); }));
  EXPECT_THROW(answer.get(), std::runtime_error);
  EXPECT_EQ(thread.Run(std::packaged_task<int()>([] { return 7; })).get(), 7);
}

TEST(TaskThread, TheOwnerWaitsForTheLastTask) {
  std::promise<void> may_end;
  bool ended = false;
  std::thread releaser;
  {
    TaskThread<int> thread;
    static_cast<void>(thread.Run(std::packaged_task<int()>([&] {
      may_end.get_future().wait();
      ended = true;
      return 0;
    })));
    releaser = std::thread([&] { may_end.set_value(); });
  }
  EXPECT_TRUE(ended);
  releaser.join();
}

TEST(TaskThread, AnAbandonedThreadEndsByItself) {
  const auto may_end = std::make_shared<std::promise<void>>();
  std::future<int> answer;
  {
    TaskThread<int> thread;
    answer = thread.Run(std::packaged_task<int()>([may_end] {
      may_end->get_future().wait();
      return 3;
    }));
    thread.Abandon();
  }
  EXPECT_EQ(answer.wait_for(std::chrono::seconds(0)), std::future_status::timeout);
  may_end->set_value();
  EXPECT_EQ(answer.get(), 3);
}

}  // namespace
}  // namespace neardup
