#include "bench/hash_speed.h"

#include <algorithm>
#include <chrono>

namespace neardup {
namespace {

constexpr double kPassNsMin = 5e6;

/// Where results go that nobody reads.
volatile uint64_t discarded = 0;

double MeanNs(const HashFunction& function, std::span<const std::string_view> texts) {
  const auto begin = std::chrono::steady_clock::now();
  double elapsed_ns = 0;
  double calls = 0;
  while (elapsed_ns < kPassNsMin) {
    discarded = function.sum(texts);
    calls += static_cast<double>(texts.size());
    const std::chrono::duration<double, std::nano> elapsed =
        std::chrono::steady_clock::now() - begin;
    elapsed_ns = elapsed.count();
  }
  return elapsed_ns / calls;
}

double Median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

std::vector<HashSpeed> MeasureSpeed(std::span<const HashFunction> functions,
                                    std::span<const std::string_view> texts, int rounds) {
  const size_t count = functions.size();
  std::vector<std::vector<double>> ns(count);
  for (size_t round = 0; round < static_cast<size_t>(rounds); ++round) {
    for (size_t i = 0; i < count; ++i) {
      const size_t turn = (round + i) % count;
      ns[turn].push_back(MeanNs(functions[turn], texts));
    }
  }
  std::vector<HashSpeed> speeds;
  for (const std::vector<double>& own : ns) {
    speeds.push_back({*std::min_element(own.begin(), own.end()), Median(own)});
  }
  return speeds;
}

}  // namespace neardup
