// Collects the complaints of one librdkafka client, and explains with them why a call failed.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kafka/errors.h"
#include "kafka/kafka_options.h"
#include "kafka/rights.h"
#include "neardup/result.h"

namespace neardup {

// Whether the brokers refuse our login, as far as a client's complaints tell.

/// One of several brokers may refuse a login for a while, for instance when it has just started
/// with other credentials. That does not matter as long as another broker is connected.
class LoginWatch {
 public:
  using Time = std::chrono::steady_clock::time_point;

  void Refused(std::string reason, Time now) {
    reason_ = std::move(reason);
    refused_at_ = now;
  }
  /// The library says this once, when the last connection is gone.
  void AllBrokersDown() { all_down_ = true; }
  /// A connection works.
  void Connected() { all_down_ = false; }

  /// Some broker has refused the login lately: clients try again within 2 s.
  bool complained(Time now) const { return !reason_.empty() && now - refused_at_ < kRefusalHolds; }
  /// The same, and no broker is connected, so that waiting does not help.
  bool refused(Time now) const { return all_down_ && complained(now); }
  const std::string& reason() const { return reason_; }

 private:
  static constexpr std::chrono::seconds kRefusalHolds{15};

  bool all_down_ = false;
  std::string reason_;
  Time refused_at_{};
};

/// Any thread.
class Diagnosis {
 public:
  /// `group` is the group of a consumer; otherwise empty.
  Diagnosis(const KafkaOptions& options, std::string group);

  // What the library reports.

  void Complained(rd_kafka_resp_err_t code, const std::string& reason);
  /// The library does not trust the certificate of a broker. `x509_error` is OpenSSL's number.
  /// Returns what is wrong with the certificate.
  std::string CertificateRefused(std::string_view broker, int x509_error);
  /// Call it when a broker has answered.
  void Answered();

  // What callers ask.

  /// True while the brokers refuse our login and none is connected.
  bool LoginRefused() const;
  /// Adds the cause to an error: a time-out becomes kAuth when the login is refused; kAuth and
  /// kUnavailable get the addresses of the brokers and a hint, if there is one.
  Error Explain(Error error) const;
  /// The same for a call that needs a right. If the brokers refuse it, the error names the right
  /// and how to grant it.
  Error Explain(Error error, const Right& right) const;
  /// Explains an error event that a consumer got instead of a record of this topic.
  Error ExplainEvent(const rd_kafka_message_t& event, std::string_view doing,
                     const std::string& topic) const;

 private:
  const std::string brokers_;
  const std::string principal_;
  const std::string group_;
  const std::vector<std::string> library_warnings_;
  mutable std::mutex mutex_;  ///< guards the members below
  LoginWatch login_;
  std::string certificate_complaint_;  ///< why the certificate of a broker was refused last
  std::string connection_complaint_;   ///< why the last connection failed
};

/// Whether a line of the library is about a login that ended because its connection was closed. It
/// is no trouble: the library itself closes a connection when it learns the address of a
/// coordinator. If a connection fails, the library writes other lines as well.
bool IsLoginCutOff(std::string_view line);

// Condenses what the client library complains about: one line for each change, repeats counted.

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
