#include "bench/line_floor.h"

#include <algorithm>
#include <cstdint>

#include "base/hash.h"
#include "bench/thread_clock.h"
#include "index/page_memory.h"

namespace neardup {
namespace {

constexpr size_t kLineBytes = 64;
constexpr size_t kWordsPerLine = kLineBytes / sizeof(uint64_t);
constexpr uint64_t kReads = 4'000'000;
constexpr int kRounds = 5;

}  // namespace

double RandomLineNs(size_t bytes) {
  const PageMemory memory(bytes);
  auto* const words = static_cast<uint64_t*>(memory.data());
  const size_t lines = memory.bytes() / kLineBytes;
  for (size_t line = 0; line < lines; ++line) words[line * kWordsPerLine] = line;
  double least_ns = 1e18;
  volatile uint64_t kept = 0;
  for (uint64_t round = 0; round < kRounds; ++round) {
    uint64_t sum = 0;
    const double start_ns = ThreadNs();
    for (uint64_t i = 0; i < kReads; ++i) {
      const uint64_t line = (Mix64(round * kReads + i) >> 32) * lines >> 32;
      sum += words[line * kWordsPerLine];
    }
    least_ns = std::min(least_ns, (ThreadNs() - start_ns) / static_cast<double>(kReads));
    kept = kept + sum;
  }
  return least_ns;
}

}  // namespace neardup
