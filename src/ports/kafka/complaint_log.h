// Condenses what the client library complains about: one line for each change, repeats counted.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "kafka/kafka_options.h"

namespace neardup {

/// A KafkaLog in front of another one. During an outage each of the library's clients repeats the
/// same complaint several times a second. This log passes the first one on in plain words, counts
/// those that follow, and reports their number every 30 s. All connection failures count as one
/// complaint. Complaints that differ only in numbers or in the client's thread count as the same.
/// Debug lines pass unchanged.
///
/// Copies share their counts. Any thread may call it.
class ComplaintLog {
 public:
  /// `now_ms` returns monotonic milliseconds, from any thread.
  explicit ComplaintLog(KafkaLog log, std::function<int64_t()> now_ms = SteadyMs);

  void operator()(int level, std::string_view text) const;

 private:
  /// A complaint that was made within the last period.
  struct Heard {
    int64_t reported_ms = 0;
    uint64_t repeats = 0;  ///< since the report
  };
  struct State {
    std::mutex mutex;
    std::map<std::string, Heard> heard;  ///< guarded by mutex
  };

  static int64_t SteadyMs();

  KafkaLog log_;
  std::function<int64_t()> now_ms_;
  std::shared_ptr<State> state_;
};

}  // namespace neardup
