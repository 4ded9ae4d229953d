#include "service/metrics/http_server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <poll.h>
#include <signal.h>
#include <strings.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <exception>
#include <map>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "detect/base/file.h"
#include "service/metrics/live_page.h"
#include "service/metrics/tls.h"

namespace neardup {
namespace {

/// When all are open, a new connection takes the place of another one: silent ones cannot keep a
/// probe out.
constexpr size_t kConnectionsMax = 256;
/// Connections that one round of the loop accepts at most, so that open ones are served meanwhile.
constexpr size_t kAcceptedMax = 64;
constexpr size_t kRequestBytesMax = 8192;
constexpr auto kNoDescriptorPause = std::chrono::milliseconds(10);
/// Connections that come while a page is printed wait here. The system drops those that find no
/// room, and their peers try again only after a second.
constexpr int kBacklog = 4096;
constexpr std::string_view kMetricsType = "text/plain; version=0.0.4; charset=utf-8";
constexpr std::string_view kPlainText = "text/plain; charset=utf-8";
constexpr std::string_view kJson = "application/json";
constexpr std::string_view kHtml = "text/html; charset=utf-8";
constexpr const char* kIndex =
    "<!doctype html><title>neardup</title><h1>neardup</h1><ul>"
    "<li><a href=\"/metrics\">/metrics</a> for Prometheus"
    "<li><a href=\"/status\">/status</a> what this instance is and does, as JSON"
    "<li><a href=\"/healthz\">/healthz</a> 200 while the process is alive"
    "<li><a href=\"/readyz\">/readyz</a> 200 while it is active, or a standby that can take "
    "over</ul>\n";

using SteadyTime = std::chrono::steady_clock::time_point;

struct Page {
  int status = 200;
  std::string_view type = kPlainText;
  std::string body;
  std::string_view headers = {};  ///< further ones, each with its line end
};

constexpr std::pair<int, std::string_view> kStatusNames[] = {
    {200, "OK"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {409, "Conflict"},
    {431, "Request Header Fields Too Large"},
    {500, "Internal Server Error"},
};

std::string_view NameOf(int status) {
  for (const auto& [number, name] : kStatusNames) {
    if (number == status) return name;
  }
  return "Service Unavailable";
}

std::string_view FurtherHeader(int status) {
  if (status == 401) return "WWW-Authenticate: Basic realm=\"neardup\"\r\n";
  return status == 405 ? "Allow: GET, HEAD\r\n" : "";
}

std::string AnswerText(const Page& page, bool with_body) {
  return fmt::format(
      "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\n{}{}Connection: close\r\n\r\n{}",
      page.status, NameOf(page.status), page.type, page.body.size(), FurtherHeader(page.status),
      page.headers, with_body ? page.body : "");
}

/// What the header Authorization must hold.
std::string BasicCredentials(const std::string& user, const std::string& password) {
  const std::string text = fmt::format("{}:{}", user, password);
  std::string encoded((text.size() + 2) / 3 * 4 + 1, '\0');
  const int size = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(encoded.data()),
                                   reinterpret_cast<const unsigned char*>(text.data()),
                                   static_cast<int>(text.size()));
  encoded.resize(static_cast<size_t>(size));
  return "Basic " + encoded;
}

/// Value of the first header with this name, in small letters; empty without one.
std::string_view HeaderOf(std::string_view request, std::string_view name) {
  size_t line = request.find('\n');
  while (line != std::string_view::npos) {
    const std::string_view rest = request.substr(line + 1);
    const std::string_view text = rest.substr(0, rest.find_first_of("\r\n"));
    const size_t colon = text.find(':');
    if (colon == name.size() && strncasecmp(text.data(), name.data(), colon) == 0) {
      const size_t value = text.find_first_not_of(' ', colon + 1);
      return value == std::string_view::npos ? std::string_view() : text.substr(value);
    }
    line = request.find('\n', line + 1);
  }
  return {};
}

/// Whether the host is an address, or a name of this server. A foreign site can point its own name
/// at this machine, and then read the pages through a visitor's browser. It cannot do so with an
/// address.
bool IsOwnName(std::string_view host, std::string_view configured) {
  const bool is_ipv6 = host.starts_with('[');
  const size_t end = is_ipv6 ? host.find(']') : std::min(host.find(':'), host.size());
  if (end == std::string_view::npos) return false;
  const std::string name(host.substr(is_ipv6 ? 1 : 0, is_ipv6 ? end - 1 : end));
  std::array<unsigned char, sizeof(in6_addr)> address;
  const auto is = [&name](std::string_view other) {
    return name.size() == other.size() && strncasecmp(name.data(), other.data(), other.size()) == 0;
  };
  return is("localhost") || (!name.empty() && is(configured)) ||
         inet_pton(is_ipv6 ? AF_INET6 : AF_INET, name.c_str(), address.data()) == 1;
}

/// Address of a peer, without its port.
using PeerAddress = std::array<unsigned char, sizeof(in6_addr)>;

PeerAddress AddressOf(const sockaddr_storage& peer) {
  PeerAddress address = {};
  if (peer.ss_family == AF_INET6) {
    const auto& of_ipv6 = reinterpret_cast<const sockaddr_in6&>(peer).sin6_addr;
    std::memcpy(address.data(), &of_ipv6, sizeof(of_ipv6));
  } else if (peer.ss_family == AF_INET) {
    const auto& of_ipv4 = reinterpret_cast<const sockaddr_in&>(peer).sin_addr;
    std::memcpy(address.data(), &of_ipv4, sizeof(of_ipv4));
  }
  return address;
}

/// One request and its answer. Then the peer closes, which keeps the answer from being cut off.
struct Connection {
  Descriptor socket;
  PeerAddress peer = {};
  std::optional<TlsSession> tls;  ///< none: plain text
  SteadyTime end;
  /// What poll waits for.
  short wanted = POLLIN;
  std::string request;
  std::string answer;  ///< empty: the request is not complete
  size_t sent = 0;

  bool is_answering() const { return !answer.empty() && sent < answer.size(); }
  bool is_answered() const { return !answer.empty() && sent == answer.size(); }
};

bool MayTryAgain() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

Transfer TransferOf(ssize_t count, Transfer::State again) {
  if (count > 0) return {Transfer::State::kMoved, static_cast<size_t>(count)};
  return {count < 0 && MayTryAgain() ? again : Transfer::State::kOver};
}

Transfer Read(Connection& connection, char* bytes, size_t size) {
  if (connection.tls) return connection.tls->Read(bytes, size);
  return TransferOf(recv(connection.socket.get(), bytes, size, 0), Transfer::State::kWantRead);
}

Transfer Write(Connection& connection, std::string_view bytes) {
  if (connection.tls) return connection.tls->Write(bytes.data(), bytes.size());
  return TransferOf(send(connection.socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
                    Transfer::State::kWantWrite);
}

/// Waits until the transfer can go on. Returns false when the connection is over.
bool WaitFor(Connection& connection, const Transfer& transfer) {
  connection.wanted = transfer.state == Transfer::State::kWantWrite ? POLLOUT : POLLIN;
  return transfer.state != Transfer::State::kOver;
}

bool IsComplete(std::string_view request) {
  return request.find("\r\n\r\n") != std::string_view::npos ||
         request.find("\n\n") != std::string_view::npos;
}

/// Listens on the first address of the host that it can have. Keeps the reason in errno, or 0 there
/// if the host name has no address.
Descriptor Listen(const HttpOptions& options) {
  addrinfo hints = {};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  addrinfo* found = nullptr;
  errno = 0;
  const int looked_up =
      getaddrinfo(options.host.c_str(), std::to_string(options.port).c_str(), &hints, &found);
  if (looked_up != 0) {
    if (looked_up != EAI_SYSTEM) errno = 0;
    return Descriptor();
  }
  Descriptor listening;
  for (const addrinfo* address = found; address != nullptr; address = address->ai_next) {
    Descriptor candidate(socket(address->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (candidate.get() < 0) continue;
    const int yes = 1;
    const int no = 0;
    setsockopt(candidate.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    if (address->ai_family == AF_INET6) {
      setsockopt(candidate.get(), IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof(no));
    }
    if (bind(candidate.get(), address->ai_addr, address->ai_addrlen) == 0 &&
        listen(candidate.get(), kBacklog) == 0) {
      listening = std::move(candidate);
      break;
    }
  }
  const int reason = errno;
  freeaddrinfo(found);
  errno = reason;
  return listening;
}

uint16_t PortOf(const Descriptor& listening) {
  sockaddr_storage address = {};
  socklen_t size = sizeof(address);
  getsockname(listening.get(), reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.ss_family == AF_INET6
                   ? reinterpret_cast<const sockaddr_in6*>(&address)->sin6_port
                   : reinterpret_cast<const sockaddr_in*>(&address)->sin_port);
}

}  // namespace

/// One thread that never waits for a peer: it polls all connections.
struct HttpServer::Parts {
  HttpPages pages;
  std::string host;  ///< HttpOptions::host
  const Health* health = nullptr;
  std::unique_ptr<TlsServer> tls;  ///< none: plain text
  std::string credentials;         ///< empty: everybody may see every page
  std::chrono::milliseconds connection_time{0};
  Descriptor listening;
  Descriptor stop;
  std::vector<Connection> connections;  ///< the oldest first
  std::thread thread;

  void Run();
  void Accept();
  /// Closes the least important connection. There must be one.
  void CloseOne();
  /// Returns false when the connection is over.
  bool Serve(Connection& connection);
  bool Receive(Connection& connection);
  bool Send(Connection& connection);
  /// Throws away what comes after the request, until the peer closes.
  bool Drain(Connection& connection);
  std::string AnswerTo(std::string_view request) const;
  bool MaySee(std::string_view path, std::string_view request) const;
  Page PageAt(std::string_view path, std::string_view query) const;
};

void HttpServer::Parts::Run() {
  // OpenSSL writes to sockets that the peer may have closed.
  sigset_t pipe;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
  std::vector<pollfd> polled;
  while (true) {
    polled = {{stop.get(), POLLIN, 0}, {listening.get(), POLLIN, 0}};
    auto wake = SteadyTime::max();
    for (const Connection& connection : connections) {
      polled.push_back({connection.socket.get(), connection.wanted, 0});
      wake = std::min(wake, connection.end);
    }
    int wait_ms = -1;
    if (!connections.empty()) {
      const auto left = wake - std::chrono::steady_clock::now();
      wait_ms = static_cast<int>(
          std::max<int64_t>(0, std::chrono::ceil<std::chrono::milliseconds>(left).count()));
    }
    if (poll(polled.data(), polled.size(), wait_ms) < 0 && errno != EINTR) return;
    if (polled[0].revents != 0) return;
    const auto now = std::chrono::steady_clock::now();
    size_t number = 2;
    std::erase_if(connections, [&](Connection& connection) {
      const bool ready = polled[number++].revents != 0;
      return (ready && !Serve(connection)) || now >= connection.end;
    });
    if (polled[1].revents != 0) Accept();
  }
}

void HttpServer::Parts::Accept() {
  for (size_t number = 0; number < kAcceptedMax; ++number) {
    sockaddr_storage peer = {};
    socklen_t size = sizeof(peer);
    Descriptor socket(accept4(listening.get(), reinterpret_cast<sockaddr*>(&peer), &size,
                              SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (socket.get() < 0) {
      const bool full = errno == EMFILE || errno == ENFILE;
      if (full && !connections.empty()) CloseOne();
      // The connection that cannot be accepted wakes poll again at once.
      if (full) std::this_thread::sleep_for(kNoDescriptorPause);
      return;
    }
    Connection connection;
    connection.socket = std::move(socket);
    connection.peer = AddressOf(peer);
    if (tls) connection.tls = tls->Accept(connection.socket.get());
    connection.end = std::chrono::steady_clock::now() + connection_time;
    if (!Serve(connection)) continue;
    if (connections.size() == kConnectionsMax) CloseOne();
    connections.push_back(std::move(connection));
  }
}

/// An answered connection waits only for its peer to close. If none is answered, the peer with the
/// most connections loses its oldest: a flood from one address evicts its own connections, and a
/// probe from another address has the time that it needs to send its request.
void HttpServer::Parts::CloseOne() {
  const auto is_answered = [](const Connection& each) { return each.is_answered(); };
  auto closed = std::find_if(connections.begin(), connections.end(), is_answered);
  if (closed == connections.end()) {
    std::map<PeerAddress, size_t> counts;
    for (const Connection& each : connections) ++counts[each.peer];
    const auto most =
        std::max_element(counts.begin(), counts.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    closed = std::find_if(connections.begin(), connections.end(),
                          [&](const Connection& each) { return each.peer == most->first; });
  }
  connections.erase(closed);
}

bool HttpServer::Parts::Serve(Connection& connection) {
  if (connection.is_answered()) return Drain(connection);
  if (!connection.is_answering() && !Receive(connection)) return false;
  return !connection.is_answering() || Send(connection);
}

bool HttpServer::Parts::Receive(Connection& connection) {
  char bytes[kRequestBytesMax];
  // As long as there are bytes: TLS may hold some that poll does not know of.
  while (connection.answer.empty()) {
    const Transfer read = Read(connection, bytes, sizeof(bytes));
    if (read.state != Transfer::State::kMoved) return WaitFor(connection, read);
    connection.request.append(bytes, read.bytes);
    if (IsComplete(connection.request)) {
      connection.answer = AnswerTo(connection.request);
    } else if (connection.request.size() >= kRequestBytesMax) {
      connection.answer =
          AnswerText({431, kPlainText,
                      fmt::format("expected a request of at most {} bytes\n", kRequestBytesMax)},
                     true);
    }
  }
  return true;
}

bool HttpServer::Parts::Drain(Connection& connection) {
  char bytes[kRequestBytesMax];
  const ssize_t count = recv(connection.socket.get(), bytes, sizeof(bytes), 0);
  return count > 0 || (count < 0 && MayTryAgain());
}

bool HttpServer::Parts::Send(Connection& connection) {
  while (connection.is_answering()) {
    const Transfer written =
        Write(connection, std::string_view(connection.answer).substr(connection.sent));
    if (written.state != Transfer::State::kMoved) return WaitFor(connection, written);
    connection.sent += written.bytes;
  }
  connection.wanted = POLLIN;
  if (connection.tls) connection.tls->End();
  return shutdown(connection.socket.get(), SHUT_WR) == 0;
}

bool HttpServer::Parts::MaySee(std::string_view path, std::string_view request) const {
  const bool is_open = path != "/metrics" && path != "/status" && (path != "/" || !pages.page);
  if (credentials.empty() || is_open) return true;
  const std::string_view found = HeaderOf(request, "authorization");
  return found.size() == credentials.size() &&
         CRYPTO_memcmp(found.data(), credentials.data(), found.size()) == 0;
}

std::string HttpServer::Parts::AnswerTo(std::string_view request) const {
  const std::string_view line = request.substr(0, request.find_first_of("\r\n"));
  const size_t method_end = line.find(' ');
  const size_t path_end = line.find(' ', std::min(method_end, line.size() - 1) + 1);
  if (method_end == std::string_view::npos || path_end == std::string_view::npos ||
      !line.substr(path_end + 1).starts_with("HTTP/1.")) {
    return AnswerText({400, kPlainText, "expected a request such as GET /metrics HTTP/1.1\n"},
                      true);
  }
  const std::string_view method = line.substr(0, method_end);
  if (method != "GET" && method != "HEAD") {
    return AnswerText({405, kPlainText, "expected the method GET\n"}, true);
  }
  const std::string_view target = line.substr(method_end + 1, path_end - method_end - 1);
  const std::string_view path = target.substr(0, target.find('?'));
  if (!MaySee(path, request)) {
    return AnswerText({401, kPlainText, "expected metrics.user and metrics.password\n"}, true);
  }
  if (pages.page && (path == "/" || path == "/status") && credentials.empty() &&
      !IsOwnName(HeaderOf(request, "host"), host)) {
    return AnswerText({403, kPlainText,
                       "expected an address, localhost or metrics.host as the host; to use another "
                       "name, set metrics.user and metrics.password\n"},
                      method == "GET");
  }
  constexpr std::string_view kApp = "?app=";
  const std::string_view query = target.substr(path.size());
  if (query.starts_with(kApp) && query.substr(kApp.size()) != pages.app) {
    return AnswerText({409, kPlainText, "this is an instance of another app\n"}, method == "GET");
  }
  return AnswerText(PageAt(path, query), method == "GET");
}

Page HttpServer::Parts::PageAt(std::string_view path, std::string_view query) const {
  const auto printed = [path](std::string_view type, const std::function<std::string()>& body) {
    try {
      return Page{200, type, body()};
    } catch (const std::exception& error) {
      return Page{500, kPlainText, fmt::format("{} cannot be printed: {}\n", path, error.what())};
    }
  };
  const auto answered = [](const HealthAnswer& answer) {
    return Page{answer.ok ? 200 : 503, kPlainText, answer.text + "\n"};
  };
  if (path == "/metrics") return printed(kMetricsType, pages.metrics);
  if (path == "/status") return printed(kJson, pages.status);
  if (path == "/healthz") return answered(health->Alive());
  if (path == "/readyz") return answered(health->Ready());
  if (path == "/" && !pages.page) return {200, kHtml, kIndex};
  if (path == "/") {
    Page page = printed(kHtml, pages.page);
    page.headers = LivePageHeaders(query.empty());
    return page;
  }
  return {404, kPlainText, "expected /metrics, /status, /healthz or /readyz\n"};
}

Result<std::unique_ptr<HttpServer>> HttpServer::Start(const HttpOptions& options, HttpPages pages,
                                                      const Health& health) {
  auto parts = std::make_unique<Parts>();
  parts->pages = std::move(pages);
  parts->host = options.host;
  parts->health = &health;
  parts->connection_time = std::chrono::milliseconds(options.connection_ms_max);
  if (!options.tls_certificate_path.empty()) {
    NEARDUP_ASSIGN(parts->tls, TlsServer::New(options.tls_certificate_path, options.tls_key_path));
  }
  if (!options.user.empty()) {
    parts->credentials = BasicCredentials(options.user, options.password);
  }
  parts->listening = Listen(options);
  if (parts->listening.get() < 0) {
    return Error{
        ErrorCode::kConfig,
        fmt::format("cannot serve metrics on {}:{}: {}; set metrics.host and metrics.port to an "
                    "address of this machine that is free, or metrics.port to 0 for no metrics",
                    options.host, options.port,
                    errno != 0 ? std::strerror(errno) : "the host name cannot be resolved")};
  }
  parts->stop = Descriptor(eventfd(0, EFD_CLOEXEC));
  if (parts->stop.get() < 0) {
    return Error{ErrorCode::kInternal,
                 fmt::format("cannot serve metrics: eventfd: {}", std::strerror(errno))};
  }
  parts->thread = std::thread([raw = parts.get()] { raw->Run(); });
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(parts)));
}

HttpServer::HttpServer(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

HttpServer::~HttpServer() {
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(parts_->stop.get(), &one, sizeof(one));
  parts_->thread.join();
}

uint16_t HttpServer::port() const { return PortOf(parts_->listening); }

}  // namespace neardup
