// Shows how far a long command is, on standard error.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>

namespace neardup {

/// How much is shown.
enum class ProgressStyle : uint8_t {
  kNone,
  kLines,  ///< a line at most every 10 s, for logs
  kBar,    ///< one line that is drawn again and again, for terminals
};

/// kNone if progress is hidden, kBar if standard error is a terminal, else kLines.
ProgressStyle StyleFor(bool hidden);

/// One owner thread. A step is a part of the command that is measured on its own.
class Progress {
 public:
  /// `steady_ms`: a monotonic clock.
  Progress(ProgressStyle style, std::ostream& out, std::function<int64_t()> steady_ms);

  /// A line of its own, in every style but kNone.
  void Say(const std::string& line);
  /// Ends the previous step. `total`: how much there is to do, in `unit`, such as records.
  void Begin(std::string step, uint64_t total, std::string unit);
  void Add(uint64_t done);
  void SetShare(double share);
  void End();

 private:
  void Show();
  std::string Line() const;

  ProgressStyle style_;
  std::ostream& out_;
  std::function<int64_t()> steady_ms_;
  std::string step_;
  std::string unit_;
  uint64_t total_ = 0;
  uint64_t done_ = 0;
  int64_t begun_ms_ = 0;
  int64_t show_at_ms_ = 0;
  uint64_t look_at_ = 0;  ///< the clock is read only when so much is done
  bool shown_ = false;
};

}  // namespace neardup
