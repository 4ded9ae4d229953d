#include "lane/dead_letter_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/number_text.h"

namespace neardup {
namespace {

std::string PercentText(double share) { return fmt::format("{:.3g} %", share * 100); }

}  // namespace

void DeadLetterWatch::Counts::Add(const CommittedBatch& batch) {
  records += batch.records();
  for (size_t i = 0; i < dead_letters.size(); ++i) dead_letters[i] += batch.dead_letters[i];
}

uint64_t DeadLetterWatch::Counts::dead() const {
  return std::accumulate(dead_letters.begin(), dead_letters.end(), uint64_t{0});
}

double DeadLetterWatch::Counts::share() const {
  return records == 0 ? 0 : static_cast<double>(dead()) / static_cast<double>(records);
}

void DeadLetterWatch::Saw(const Message& message, const InputPartition& input,
                          const Verdict& verdict) {
  causes_.Saw(message, verdict.outcome, [&] {
    return fmt::format("{}/{}/{}", input.topic, input.partition, message.position.offset);
  });
}

std::optional<std::string> DeadLetterWatch::Judge(const CommittedBatch& open, bool first_commit) {
  Counts counts = window_;
  counts.Add(open);
  const uint64_t records_min = first_commit ? kFirstRecordsMin : kRecordsMin;
  if (excessive_ || counts.records < records_min || counts.share() <= options_.share_max) {
    return std::nullopt;
  }
  excessive_ = true;
  return Explain(counts);
}

void DeadLetterWatch::Committed(const CommittedBatch& batch, int64_t now_ms) {
  if (batch.records() == 0) return;
  window_.Add(batch);
  if (window_end_ms_ == 0) window_end_ms_ = now_ms + kWindowMs;
  if (now_ms < window_end_ms_ || window_.records < kRecordsMin) return;
  if (window_.share() <= options_.share_max) excessive_ = false;
  window_ = {};
  window_end_ms_ = 0;
  causes_ = {};
}

std::string DeadLetterWatch::Explain(const Counts& counts) const {
  const auto most = std::max_element(counts.dead_letters.begin(), counts.dead_letters.end());
  const auto reason = static_cast<Reason>(most - counts.dead_letters.begin());
  return fmt::format(
             "{} of {} records are dead letters ({}), and dead_letters.share_max is {}; the most "
             "frequent reason is {} ({})",
             counts.dead(), counts.records, PercentText(counts.share()),
             PercentText(options_.share_max), Name(reason), Counted(*most, "record")) +
         causes_.Explain(reason, record_);
}

}  // namespace neardup
