#include "kafka/diagnosis.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "kafka/library.h"

namespace neardup {
namespace {

/// Says what is wrong with a certificate: the end of a sentence that begins with its name.
std::string CertificateFault(int x509_error) {
  constexpr std::string_view kClocks = "; compare the clocks, or renew it at the broker";
  switch (x509_error) {
    case 9:
      return fmt::format("is not valid yet{}", kClocks);
    case 10:
      return fmt::format("has expired{}", kClocks);
    case 18:
    case 19:
    case 20:
    case 21:
      return "is not signed by an authority in ssl.ca.location";
    case 23:
      return "is revoked";
    case 62:
    case 64:
      return "is for another host name; kafka.brokers and advertised.listeners must use a name "
             "that is in the certificate";
    default:
      return fmt::format("cannot be verified (OpenSSL error {})", x509_error);
  }
}

}  // namespace

Diagnosis::Diagnosis(const KafkaOptions& options, std::string group)
    : brokers_(options.brokers),
      principal_(PrincipalOf(options)),
      group_(std::move(group)),
      library_warnings_(ClientLibraryWarnings(options)) {}

void Diagnosis::Complained(rd_kafka_resp_err_t code, const std::string& reason) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (code == RD_KAFKA_RESP_ERR__TRANSPORT && reason.find("SSL alert number") != reason.npos) {
    login_.Refused(fmt::format("{}; the broker got no client certificate, or refused it, see "
                               "ssl.certificate.location and ssl.key.location",
                               reason),
                   std::chrono::steady_clock::now());
  } else if (code == RD_KAFKA_RESP_ERR__SSL && !certificate_complaint_.empty()) {
    login_.Refused(certificate_complaint_, std::chrono::steady_clock::now());
  } else if ((code == RD_KAFKA_RESP_ERR__SSL && reason.find("unexpected eof") != reason.npos) ||
             // librdkafka from 2.3 on
             (code == RD_KAFKA_RESP_ERR__TRANSPORT &&
              reason.find("connecting to a PLAINTEXT") != reason.npos)) {
    login_.Refused(
        fmt::format("{}; perhaps the listener has no TLS, see security.protocol", reason),
        std::chrono::steady_clock::now());
  } else if (IsRefusedLogin(code)) {
    login_.Refused(reason, std::chrono::steady_clock::now());
  } else if (code == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN) {
    login_.AllBrokersDown();
  } else if (code == RD_KAFKA_RESP_ERR__TRANSPORT || code == RD_KAFKA_RESP_ERR__RESOLVE) {
    connection_complaint_ = reason;
  }
}

std::string Diagnosis::CertificateRefused(std::string_view broker, int x509_error) {
  std::string fault = CertificateFault(x509_error);
  const std::lock_guard<std::mutex> lock(mutex_);
  certificate_complaint_ = fmt::format("the certificate of broker {} {}", broker, fault);
  return fault;
}

bool Diagnosis::LoginRefused() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return login_.refused(std::chrono::steady_clock::now());
}

void Diagnosis::Answered() {
  const std::lock_guard<std::mutex> lock(mutex_);
  login_.Connected();
}

Error Diagnosis::Explain(Error error, const Right& right) const {
  if (error.code != ErrorCode::kAuth || LoginRefused()) return Explain(std::move(error));
  error.text += fmt::format("; the right {} is missing (brokers {}); grant it: kafka-acls.sh {}",
                            Name(right), brokers_, GrantArguments(right, principal_));
  return error;
}

Error Diagnosis::ExplainEvent(const rd_kafka_message_t& event, std::string_view doing,
                              const std::string& topic) const {
  const char* text = rd_kafka_message_errstr(&event);
  const Error error = FromKafka(event.err, doing, text == nullptr ? "" : text);
  // A reader also asks the brokers for the coordinator of its group.
  if (event.err == RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED) {
    return Explain(error, {"Read", ResourceKind::kGroup, group_});
  }
  return topic.empty() ? Explain(error) : Explain(error, {"Read", ResourceKind::kTopic, topic});
}

Error Diagnosis::Explain(Error error) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  if ((error.code == ErrorCode::kUnavailable || error.code == ErrorCode::kAuth) &&
      login_.complained(std::chrono::steady_clock::now())) {
    error = {ErrorCode::kAuth,
             fmt::format("{}; no login to the brokers: {}", error.text, login_.reason())};
    error.text += fmt::format(
        " (brokers {}; check security.protocol, sasl.* and ssl.* in kafka.properties)", brokers_);
    for (const std::string& warning : library_warnings_) error.text += "; " + warning;
  } else if (error.code == ErrorCode::kAuth) {
    error.text += fmt::format(
        " (brokers {}; `neardup validate --online` names each right that is missing)", brokers_);
  } else if (error.code == ErrorCode::kUnavailable) {
    error.text += fmt::format(" (brokers {}{}{})", brokers_,
                              connection_complaint_.empty() ? "" : "; ", connection_complaint_);
  }
  return error;
}

namespace {

constexpr int64_t kReportPeriodMs = 30'000;
// Bounds the memory if every complaint is new.
constexpr size_t kComplaintsMax = 256;

constexpr const char* kConnection = "connection";

// Words of the library that begin a line about a connection.
constexpr std::array<std::string_view, 5> kConnectionWords = {"FAIL", "_TRANSPORT", "_RESOLVE",
                                                              "_ALL_BROKERS_DOWN", "BROKERFAIL"};

/// `FAIL: [thrd:main]: text` is {"FAIL", "text"}.
std::pair<std::string_view, std::string_view> Split(std::string_view line) {
  const size_t colon = line.find(": ");
  if (colon == std::string_view::npos) return {"", line};
  const std::string_view word = line.substr(0, colon);
  std::string_view text = line.substr(colon + 2);
  if (text.starts_with("[thrd:")) {
    if (const size_t end = text.find("]: "); end != std::string_view::npos) {
      text.remove_prefix(end + 3);
    }
  }
  return {word, text};
}

/// What complaints of one kind have in common.
std::string KindOf(std::string_view word, std::string_view text) {
  if (std::find(kConnectionWords.begin(), kConnectionWords.end(), word) != kConnectionWords.end()) {
    return kConnection;
  }
  std::string kind;
  for (const char c : text) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit) {
      kind += c;
    } else if (kind.empty() || kind.back() != '#') {
      kind += '#';
    }
  }
  return kind;
}

}  // namespace

bool IsLoginCutOff(std::string_view line) {
  return line.find("SASL authentication error") != line.npos &&
         line.find("Local: Broker transport failure") != line.npos;
}

ComplaintLog::ComplaintLog(KafkaLog log, std::function<int64_t()> now_ms)
    : log_(std::move(log)), now_ms_(std::move(now_ms)), state_(std::make_shared<State>()) {}

int64_t ComplaintLog::SteadyMs() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void ComplaintLog::operator()(int level, std::string_view text) const {
  if (level >= kSyslogDebug) return log_(level, text);
  const auto [word, detail] = Split(text);
  const std::string kind = KindOf(word, detail);
  const int64_t now_ms = now_ms_();
  const std::lock_guard<std::mutex> lock(state_->mutex);
  auto& heard = state_->heard;
  const auto known = heard.find(kind);
  if (known != heard.end() && now_ms - known->second.reported_ms < kReportPeriodMs) {
    ++known->second.repeats;
    return;
  }
  std::string repeats;
  // Without a repeat in the last period, this complaint is a new one.
  if (known != heard.end() && known->second.repeats > 0) {
    repeats = fmt::format(" ({} more like this in {} s)", known->second.repeats,
                          (now_ms - known->second.reported_ms) / 1000);
  }
  if (heard.size() >= kComplaintsMax) heard.clear();
  heard[kind] = {now_ms, 0};
  if (kind == kConnection) {
    log_(level, fmt::format("{}: {}{}",
                            repeats.empty() ? "a connection failed, trying again"
                                            : "connections still fail",
                            detail, repeats));
  } else {
    log_(level, fmt::format("{}{}", detail, repeats));
  }
}

}  // namespace neardup
