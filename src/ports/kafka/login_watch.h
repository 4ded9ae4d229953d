// Whether the brokers refuse our login, as far as a client's complaints tell.
#pragma once

#include <chrono>
#include <string>
#include <utility>

namespace neardup {

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

}  // namespace neardup
