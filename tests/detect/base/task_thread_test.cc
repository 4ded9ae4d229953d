#include "detect/base/task_thread.h"

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <memory>
#include <stdexcept>
#include <thread>

namespace neardup {
namespace {

TEST(TaskThread, RunsAllTasksInOneThreadThatIsNotTheOwners) {
  TaskThread<std::thread::id> thread;
  const auto id = [] { return std::this_thread::get_id(); };
  const std::thread::id first = thread.Run(id).get();
  const std::thread::id second = thread.Run(id).get();
  EXPECT_EQ(first, second);
  EXPECT_NE(first, std::this_thread::get_id());
}

TEST(TaskThread, WhatATaskThrowsReachesTheOwner) {
  TaskThread<int> thread;
  std::future<int> answer = thread.Run([]() -> int { throw std::runtime_error("a task"); });
  EXPECT_THROW(answer.get(), std::runtime_error);
  EXPECT_EQ(thread.Run([] { return 7; }).get(), 7);
}

TEST(TaskThread, WhatATaskHeldIsGoneWhenItsAnswerIsReady) {
  TaskThread<int> thread;
  auto held = std::make_shared<int>(7);
  const std::weak_ptr<int> seen = held;
  for (int round = 0; round < 100; ++round) {
    std::future<int> answer = thread.Run([held] { return *held; });
    answer.wait();
    ASSERT_EQ(seen.use_count(), 1) << "round " << round;
  }
}

TEST(TaskThread, TheOwnerWaitsForTheLastTask) {
  std::promise<void> may_end;
  bool ended = false;
  std::thread releaser;
  {
    TaskThread<int> thread;
    static_cast<void>(thread.Run([&] {
      may_end.get_future().wait();
      ended = true;
      return 0;
    }));
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
    answer = thread.Run([may_end] {
      may_end->get_future().wait();
      return 3;
    });
    thread.Abandon();
  }
  EXPECT_EQ(answer.wait_for(std::chrono::seconds(0)), std::future_status::timeout);
  may_end->set_value();
  EXPECT_EQ(answer.get(), 3);
}

}  // namespace
}  // namespace neardup
