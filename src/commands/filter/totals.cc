#include "commands/filter/totals.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "commands/program/message.h"
#include "detect/base/quantity.h"

namespace neardup {
namespace {

constexpr int64_t kDrawPeriodMs = 100;

}  // namespace

Totals::Totals(Clock& clock, bool live, uint64_t expected)
    : clock_(clock),
      live_(live),
      expected_(expected),
      started_ms_(clock.SteadyMs()),
      last_ms_(started_ms_) {}

void Totals::Saw(const event::TransactionCommitted& seen) {
  const CommittedBatch& batch = seen.batch;
  sum_.unique += batch.unique;
  sum_.exact_duplicates += batch.exact_duplicates;
  sum_.near_duplicates += batch.near_duplicates;
  sum_.passed += batch.passed;
  sum_.late += batch.late;
  sum_.clamped += batch.clamped;
  sum_.replaced += batch.replaced;
  sum_.bytes_in += batch.bytes_in;
  for (size_t i = 0; i < batch.dead_letters.size(); ++i) {
    sum_.dead_letters[i] += batch.dead_letters[i];
  }
  for (size_t i = 0; i < batch.distances.size(); ++i) sum_.distances[i] += batch.distances[i];
  sum_.distance_sum += batch.distance_sum;
  if (batch.records() > 0) last_ms_ = clock_.SteadyMs();
  if (live_ && last_ms_ >= draw_at_ms_) Draw();
}

void Totals::LeaveOut(const CommittedBatch& remembered) {
  sum_.unique -= remembered.unique;
  sum_.exact_duplicates -= remembered.exact_duplicates;
  sum_.near_duplicates -= remembered.near_duplicates;
  sum_.passed -= remembered.passed;
  sum_.late -= remembered.late;
  sum_.clamped -= remembered.clamped;
  for (size_t i = 0; i < remembered.dead_letters.size(); ++i) {
    sum_.dead_letters[i] -= remembered.dead_letters[i];
  }
}

void Totals::Draw() {
  draw_at_ms_ = last_ms_ + kDrawPeriodMs;
  drawn_ = true;
  const std::string of = expected_ > 0 ? fmt::format(" of {}", Grouped(expected_)) : "";
  const std::string line = fmt::format(
      "{}{}{} records   {} unique   {} duplicates   {} dead letters   {}/s", kClearLine,
      Grouped(sum_.records()), of, Grouped(sum_.unique + sum_.passed), Grouped(sum_.duplicates()),
      Grouped(sum_.dead()), Grouped(static_cast<uint64_t>(records_per_s())));
  std::fputs(line.c_str(), stderr);
  std::fflush(stderr);
}

void Totals::Finish() {
  if (!live_ || !drawn_) return;
  Draw();
  std::fputc('\n', stderr);
}

double Totals::seconds() const { return static_cast<double>(last_ms_ - started_ms_) / 1000; }

double Totals::records_per_s() const {
  return static_cast<double>(sum_.records()) / std::max(seconds(), 0.001);
}

}  // namespace neardup
