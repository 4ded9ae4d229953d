#include "service/metrics/http_client.h"

#include <fmt/format.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <ctime>
#include <memory>
#include <optional>
#include <string_view>

namespace neardup {
namespace {

constexpr int kNapMs = 10;
constexpr size_t kAnswerBytesMax = size_t{1} << 24;

struct FreeBio {
  void operator()(BIO* bio) const { BIO_free_all(bio); }
};
struct FreeContext {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
};
using BioHandle = std::unique_ptr<BIO, FreeBio>;
using ContextHandle = std::unique_ptr<SSL_CTX, FreeContext>;

struct Url {
  bool tls = false;
  std::string host_and_port;
  std::string path;
};

std::optional<Url> ParseUrl(std::string_view text) {
  Url url;
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!text.starts_with(scheme)) continue;
    url.tls = scheme.size() == 8;
    text.remove_prefix(scheme.size());
    const size_t path = text.find('/');
    url.host_and_port = text.substr(0, path);
    url.path = path == text.npos ? "/readyz" : text.substr(path);
    const std::string& host = url.host_and_port;
    if (host.empty()) return {};
    const size_t colon = host.rfind(':');
    const bool has_port = colon != host.npos && host.find(']', colon) == host.npos;
    if (!has_port) url.host_and_port += url.tls ? ":443" : ":80";
    return url;
  }
  return {};
}

BioHandle NewConnection(const Url& url, SSL_CTX* context) {
  if (!url.tls) return BioHandle(BIO_new_connect(url.host_and_port.c_str()));
  BioHandle bio(BIO_new_ssl_connect(context));
  if (bio) BIO_set_conn_hostname(bio.get(), url.host_and_port.c_str());
  return bio;
}

/// Waits until the last call on `bio` can go on. False: the deadline came first.
bool CanGoOn(BIO* bio, std::time_t deadline) { return BIO_wait(bio, deadline, kNapMs) > 0; }

enum class Connected : uint8_t { kYes, kRefused, kTooLate };

/// Connects, which includes the handshake of TLS.
Connected Connect(BIO* bio, int timeout_s) {
  const std::time_t deadline = std::time(nullptr) + timeout_s;
  while (BIO_do_connect(bio) != 1) {
    if (!BIO_should_retry(bio)) return Connected::kRefused;
    if (!CanGoOn(bio, deadline)) return Connected::kTooLate;
  }
  return Connected::kYes;
}

/// Reads until the server closes the connection, a read fails, or the text has kAnswerBytesMax.
/// nullopt: `timeout_s` ended first.
std::optional<std::string> ReadAll(BIO* bio, int timeout_s) {
  const std::time_t deadline = std::time(nullptr) + timeout_s;
  std::string text;
  while (text.size() < kAnswerBytesMax) {
    std::array<char, 4096> bytes;
    const int count = BIO_read(bio, bytes.data(), static_cast<int>(bytes.size()));
    if (count > 0) {
      text.append(bytes.data(), static_cast<size_t>(count));
    } else if (!BIO_should_retry(bio)) {
      break;
    } else if (!CanGoOn(bio, deadline)) {
      return {};
    }
  }
  return text;
}

std::optional<HttpAnswer> ParseAnswer(std::string_view text) {
  HttpAnswer answer;
  const size_t space = text.find(' ');
  const size_t body = text.find("\r\n\r\n");
  if (!text.starts_with("HTTP/1.") || space == text.npos || body == text.npos) return {};
  const char* const end = text.data() + text.size();
  if (std::from_chars(text.data() + space + 1, end, answer.status).ec != std::errc()) return {};
  answer.body = text.substr(body + 4);
  return answer;
}

}  // namespace

Result<HttpAnswer> HttpGet(const std::string& url, int timeout_s) {
  const std::optional<Url> parsed = ParseUrl(url);
  if (!parsed) {
    return Error{ErrorCode::kConfig,
                 fmt::format("{}: expected an address such as http://HOST:PORT/readyz or "
                             "https://HOST:PORT/readyz",
                             url)};
  }
  const ContextHandle context(SSL_CTX_new(TLS_client_method()));
  const BioHandle bio = NewConnection(*parsed, context.get());
  if (!context || !bio) return Error{ErrorCode::kInternal, "no memory for a connection"};
  BIO_set_nbio(bio.get(), 1);
  const auto none = [&](std::string_view cause) {
    ERR_clear_error();
    return Retriable(ErrorCode::kUnavailable, fmt::format("{}: {}", url, cause));
  };
  switch (Connect(bio.get(), timeout_s)) {
    case Connected::kYes:
      break;
    case Connected::kRefused:
      return none(
          "cannot connect (unknown host, wrong port, connection refused, or only one side uses "
          "TLS)");
    case Connected::kTooLate:
      return none(fmt::format("no connection within {} s", timeout_s));
  }
  // HTTP/1.0, so that the server sends the body in one piece and closes the connection.
  const std::string question =
      fmt::format("GET {} HTTP/1.0\r\nHost: {}\r\n\r\n", parsed->path, parsed->host_and_port);
  const int sent = BIO_write(bio.get(), question.data(), static_cast<int>(question.size()));
  if (sent != static_cast<int>(question.size())) return none("cannot send the question");
  const std::optional<std::string> text = ReadAll(bio.get(), timeout_s);
  if (!text) return none(fmt::format("connected, but got no HTTP answer within {} s", timeout_s));
  const std::optional<HttpAnswer> answer = ParseAnswer(*text);
  if (!answer) return none("connected, but the answer is not HTTP");
  return *answer;
}

}  // namespace neardup
