#include "bench/line_floor.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "bench/thread_clock.h"
#include "detect/base/hash.h"
#include "detect/index/page_memory.h"
#include "detect/index/processor.h"

namespace neardup {
namespace {

constexpr size_t kLineBytes = 64;
constexpr size_t kWordsPerLine = kLineBytes / sizeof(uint64_t);
constexpr uint64_t kReads = 4'000'000;
constexpr int kRounds = 5;
/// Lines whose addresses are computed, and which are prefetched, before the first of them is read.
constexpr size_t kTogether = 64;

}  // namespace

LineCost RandomLines(size_t bytes) {
  const PageMemory memory(bytes);
  auto* const words = static_cast<uint64_t*>(memory.data());
  const size_t lines = memory.bytes() / kLineBytes;
  for (size_t line = 0; line < lines; ++line) words[line * kWordsPerLine] = line;
  uint64_t number = 0;
  volatile uint64_t kept = 0;
  const auto read_ns = [&](bool fetched) {
    uint64_t sum = 0;
    std::array<std::array<const uint64_t*, kTogether>, 2> places;
    places[1].fill(words);
    const double start_ns = ThreadNs();
    for (uint64_t group = 0; group < kReads / kTogether; ++group) {
      auto& made = places[group % 2];
      for (const uint64_t*& place : made) {
        place = words + ((Mix64(++number) >> 32) * lines >> 32) * kWordsPerLine;
        if (fetched) FetchLine(place);
      }
      for (const uint64_t* place : fetched ? places[1 - group % 2] : made) sum += *place;
    }
    const double spent_ns = ThreadNs() - start_ns;
    kept = kept + sum;
    return spent_ns / static_cast<double>(kReads);
  };
  LineCost least{1e18, 1e18};
  for (int round = 0; round < kRounds; ++round) {
    least.load_ns = std::min(least.load_ns, read_ns(false));
    least.fetched_ns = std::min(least.fetched_ns, read_ns(true));
  }
  return least;
}

}  // namespace neardup
