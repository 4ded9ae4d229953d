// Collects the complaints of one librdkafka client, and explains with them why a call failed.
#pragma once

#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "kafka/handle.h"
#include "kafka/kafka_options.h"
#include "kafka/login_watch.h"
#include "kafka/rights.h"
#include "neardup/result.h"

namespace neardup {

/// Any thread.
class Diagnosis {
 public:
  /// `group` is that of a consumer; otherwise empty.
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
  /// Explains an error event that a consumer got in place of a record of this topic.
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

}  // namespace neardup
