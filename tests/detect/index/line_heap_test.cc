#include "detect/index/line_heap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <future>
#include <random>
#include <string>
#include <vector>

namespace neardup {
namespace {

constexpr size_t kLine = LineHeap::kLineBytes;

/// Memory that was taken, filled with one byte.
struct Taken {
  std::byte* begin;
  size_t lines;
  int filled_with;
};

void Fill(const Taken& taken) { std::memset(taken.begin, taken.filled_with, taken.lines * kLine); }
bool IsFilled(const Taken& taken) {
  const auto wanted = static_cast<std::byte>(taken.filled_with);
  return std::all_of(taken.begin, taken.begin + taken.lines * kLine,
                     [=](std::byte found) { return found == wanted; });
}

TEST(LineHeap, GivesEveryTakerMemoryOfItsOwn) {
  constexpr uint64_t kSeed = 31;
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  std::mt19937_64 random(kSeed);
  LineHeap heap;
  std::vector<Taken> all;
  uint64_t bytes = 0;
  for (int step = 0; step < 60'000; ++step) {
    // The heap alternately grows and shrinks, and most lengths are short.
    const bool grows = step / 6'000 % 2 == 0;
    if (all.empty() || random() % 10 < (grows ? 6 : 4)) {
      const size_t longest = random() % 500 == 0 ? 20'000 : random() % 20 == 0 ? 700 : 40;
      Taken taken{nullptr, 1 + random() % longest, static_cast<int>(random() % 256)};
      taken.begin = heap.Take(taken.lines);
      ASSERT_EQ(reinterpret_cast<uintptr_t>(taken.begin) % kLine, 0U);
      Fill(taken);
      bytes += taken.lines * kLine;
      all.push_back(taken);
    } else {
      std::swap(all[random() % all.size()], all.back());
      ASSERT_TRUE(IsFilled(all.back())) << "at step " << step;
      heap.Give(all.back().begin, all.back().lines);
      bytes -= all.back().lines * kLine;
      all.pop_back();
    }
    ASSERT_EQ(heap.taken_bytes(), bytes);
    ASSERT_GE(heap.held_bytes(), bytes);
  }
  for (const Taken& taken : all) {
    ASSERT_TRUE(IsFilled(taken));
    heap.Give(taken.begin, taken.lines);
  }
  EXPECT_EQ(heap.taken_bytes(), 0U);
  EXPECT_LE(heap.held_bytes(), LineHeap::kChunkBytes) << "one chunk may be spare";
}

TEST(LineHeap, JoinsFreeNeighboursInRandomOrders) {
  std::mt19937_64 random(32);
  for (int round = 0; round < 50; ++round) {
    LineHeap heap;
    std::vector<std::byte*> all;
    for (int i = 0; i < 8; ++i) all.push_back(heap.Take(4000));
    const uint64_t held = heap.held_bytes();
    std::shuffle(all.begin(), all.end(), random);
    for (std::byte* const begin : all) heap.Give(begin, 4000);
    // An array of 8000 lines fits only where two free neighbours of 4000 lines were joined.
    for (int i = 0; i < 4; ++i) heap.Take(8000);
    EXPECT_LE(heap.held_bytes(), held);
  }
}

TEST(LineHeap, HoldsLittleMoreThanIsTakenWhileArraysGrowTogether) {
  // The arrays grow as the buckets of an index do. Each step adds one line to a random array,
  // until the average is 30 lines.
  LineHeap heap;
  std::mt19937_64 random(33);
  struct Array {
    std::byte* begin = nullptr;
    size_t lines = 0;
  };
  std::vector<Array> arrays(20'000);
  const auto resize = [&](Array& array, size_t lines) {
    const Array resized{heap.Take(lines), lines};
    if (array.lines > 0) heap.Give(array.begin, array.lines);
    array = resized;
  };
  for (size_t step = 0; step < 30 * arrays.size(); ++step) {
    Array& array = arrays[random() % arrays.size()];
    resize(array, array.lines + 1);
    if (step % 1000 == 0) {
      ASSERT_LE(heap.held_bytes(), heap.taken_bytes() + LineHeap::GapsMax(heap.taken_bytes()));
    }
  }
  // Then each step adds a line to a random array, or removes one.
  for (size_t step = 0; step < 30 * arrays.size(); ++step) {
    Array& array = arrays[random() % arrays.size()];
    resize(array, std::max<size_t>(1, array.lines + 1 - 2 * (random() % 2)));
    if (step % 1000 == 0) {
      ASSERT_LE(heap.held_bytes(), heap.taken_bytes() + LineHeap::GapsMax(heap.taken_bytes()));
    }
  }
}

// A destructor that follows the lists of free spans into released chunks crashes here.
TEST(LineHeap, ReleasesWhatIsStillTaken) {
  LineHeap heap;
  std::vector<std::byte*> all;
  for (int i = 0; i < 8; ++i) all.push_back(heap.Take(8000));
  heap.Give(all[5], 8000);
  heap.Give(all[0], 8000);
}

TEST(LineHeap, GivesSeveralThreadsDifferentMemory) {
  LineHeap heap;
  constexpr size_t kThreads = 4;
  const auto churn = [&](size_t thread) {
    std::mt19937_64 random(thread);
    std::vector<Taken> all;
    bool held = true;
    for (int step = 0; step < 5'000; ++step) {
      Taken taken{nullptr, 1 + random() % 100, static_cast<int>(thread)};
      taken.begin = heap.Take(taken.lines);
      Fill(taken);
      all.push_back(taken);
      if (random() % 3 > 0) continue;
      std::swap(all[random() % all.size()], all.back());
      held = held && IsFilled(all.back());
      heap.Give(all.back().begin, all.back().lines);
      all.pop_back();
    }
    return held && std::ranges::all_of(all, IsFilled);
  };
  std::vector<std::future<bool>> threads;
  for (size_t i = 0; i < kThreads; ++i) {
    threads.push_back(std::async(std::launch::async, churn, i));
  }
  for (auto& thread : threads) EXPECT_TRUE(thread.get());
}

}  // namespace
}  // namespace neardup
