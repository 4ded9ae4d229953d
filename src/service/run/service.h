// A lane on Kafka with everything around it: topics, ports, metrics, health.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "neardup/result.h"
#include "service/config/settings.h"
#include "stream/lane/ports.h"
#include "stream/lane/probe.h"

namespace neardup {

/// The composition root of `run` and `demo`.
class Service {
 public:
  /// Serves metrics unless http.port is 0. `receivers` receive the lane's events in addition to log
  /// and metrics; they must outlive the service. `shown_settings`: the settings for /status, a JSON
  /// object without secrets; empty: it shows none. `lease`: what TakeLease of the previous service
  /// returned.
  static Result<std::unique_ptr<Service>> New(const Settings& settings,
                                              const std::vector<Probe*>& receivers = {},
                                              std::string shown_settings = {},
                                              std::unique_ptr<Lease> lease = nullptr);
  ~Service();
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  /// Connects to the broker, creates absent topics, and learns what to compare if nobody has named
  /// it, which may take days. Then calls `prepared`, if there is one, and runs the lane until
  /// `stop`; commits what is decided and gives the lease up. Any thread may set `stop`. Also ends,
  /// without an error, when the changelog holds other learned settings: a new service takes them.
  /// An error is final, and says what to repair.
  Result<void> Run(const std::atomic<bool>& stop, const std::function<void()>& prepared = {});

  /// After this, Run keeps the lease when it ends, if this instance has it: a service with other
  /// settings goes on with it in this process. Any thread may call it.
  void KeepLease();
  /// The lease that was kept, after Run has ended; null without one.
  std::unique_ptr<Lease> TakeLease();

  /// Those in force, with what the lane learned. They do not change after `prepared`; call it from
  /// the thread of Run before.
  const Settings& settings() const;

  /// Replaces the settings of /status. Any thread may call it.
  void ShowSettings(std::string shown_settings);
  /// Shows in the metrics whether changed secrets do not work. Any thread may call it.
  void ShowSecretsRefused(bool refused);

 private:
  struct Parts;
  explicit Service(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

/// Logs a line of librdkafka. `level` is a syslog severity.
void LogKafka(int level, std::string_view text);

}  // namespace neardup
