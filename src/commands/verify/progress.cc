#include "commands/verify/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <ostream>
#include <utility>

#include "commands/program/message.h"
#include "detect/base/quantity.h"

namespace neardup {
namespace {

constexpr int64_t kBarPeriodMs = 200;
constexpr int64_t kLinePeriodMs = 10'000;
constexpr uint64_t kStepsPerLook = 1000;
constexpr size_t kBarWidth = 24;

std::string TimeText(double seconds) {
  const auto whole = static_cast<uint64_t>(seconds + 0.5);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

}  // namespace

ProgressStyle StyleFor(bool hidden) {
  if (hidden) return ProgressStyle::kNone;
  return isatty(STDERR_FILENO) != 0 ? ProgressStyle::kBar : ProgressStyle::kLines;
}

Progress::Progress(ProgressStyle style, std::ostream& out, std::function<int64_t()> steady_ms)
    : style_(style), out_(out), steady_ms_(std::move(steady_ms)) {}

void Progress::Say(const std::string& line) {
  if (style_ != ProgressStyle::kNone) out_ << line << std::endl;
}

void Progress::Begin(std::string step, uint64_t total, std::string unit) {
  End();
  step_ = std::move(step);
  unit_ = std::move(unit);
  total_ = total;
  done_ = 0;
  look_at_ = 0;
  begun_ms_ = steady_ms_();
  show_at_ms_ = begun_ms_ + (style_ == ProgressStyle::kBar ? kBarPeriodMs : kLinePeriodMs);
}

void Progress::Add(uint64_t done) {
  done_ += done;
  if (style_ == ProgressStyle::kNone || done_ < look_at_) return;
  look_at_ = done_ + std::min(kStepsPerLook, total_ / 100 + 1);
  if (steady_ms_() >= show_at_ms_) Show();
}

void Progress::SetShare(double share) {
  const auto done = static_cast<uint64_t>(share * static_cast<double>(total_));
  if (done > done_) Add(done - done_);
}

void Progress::End() {
  if (!shown_) return;
  if (style_ == ProgressStyle::kBar) out_ << kClearLine << std::flush;
  shown_ = false;
}

void Progress::Show() {
  shown_ = true;
  const int64_t now_ms = steady_ms_();
  if (style_ == ProgressStyle::kBar) {
    show_at_ms_ = now_ms + kBarPeriodMs;
    out_ << kClearLine << Line() << std::flush;
  } else {
    show_at_ms_ = now_ms + kLinePeriodMs;
    out_ << Line() << std::endl;
  }
}

std::string Progress::Line() const {
  // The total is an upper bound: not every offset holds a record.
  const double share =
      total_ == 0 ? 1 : std::min(1.0, static_cast<double>(done_) / static_cast<double>(total_));
  const double seconds = std::max(0.001, static_cast<double>(steady_ms_() - begun_ms_) / 1000);
  std::string line = step_ + ' ';
  if (style_ == ProgressStyle::kBar) {
    const auto filled = static_cast<size_t>(share * kBarWidth);
    line += '[' + std::string(filled, '#') + std::string(kBarWidth - filled, '.') + "] ";
  }
  line += fmt::format("{:.0f} %", share * 100);
  if (!unit_.empty()) {
    line += fmt::format(", {} {}, {}/s", Grouped(done_), unit_,
                        Grouped(static_cast<uint64_t>(static_cast<double>(done_) / seconds + 0.5)));
  }
  if (share > 0) line += fmt::format(", {} left", TimeText(seconds * (1 - share) / share));
  return line;
}

}  // namespace neardup
