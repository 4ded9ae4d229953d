#include "service/metrics/tls.h"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <system_error>

namespace neardup {
namespace {

/// The oldest error that the calling thread's last call of OpenSSL left.
std::string Cause() {
  char text[256] = "no reason given";
  if (const unsigned long code = ERR_get_error(); code != 0) {
    ERR_error_string_n(code, text, sizeof(text));
  }
  ERR_clear_error();
  return text;
}

Error CannotUse(std::string_view what, const std::filesystem::path& path) {
  return {ErrorCode::kConfig,
          fmt::format("cannot use {} {}: {}; expected a PEM file", what, path.string(), Cause())};
}

}  // namespace

void FreeTls::operator()(ssl_st* session) const { SSL_free(session); }
void FreeTls::operator()(ssl_ctx_st* context) const { SSL_CTX_free(context); }

// ---- TlsSession

Transfer TlsSession::Read(char* bytes, size_t size) {
  ERR_clear_error();
  size_t moved = 0;
  const int returned = SSL_read_ex(session_.get(), bytes, size, &moved);
  return After(returned, moved);
}

Transfer TlsSession::Write(const char* bytes, size_t size) {
  ERR_clear_error();
  size_t moved = 0;
  const int returned = SSL_write_ex(session_.get(), bytes, size, &moved);
  return After(returned, moved);
}

void TlsSession::End() {
  ERR_clear_error();
  SSL_shutdown(session_.get());
}

Transfer TlsSession::After(int returned, size_t bytes) const {
  using enum Transfer::State;
  if (returned == 1) return {kMoved, bytes};
  switch (SSL_get_error(session_.get(), returned)) {
    case SSL_ERROR_WANT_READ:
      return {kWantRead};
    case SSL_ERROR_WANT_WRITE:
      return {kWantWrite};
    default:
      return {kOver};
  }
}

// ---- TlsServer

TlsServer::TlsServer(std::filesystem::path certificate, std::filesystem::path key)
    : certificate_(std::move(certificate)), key_(std::move(key)) {}

Result<std::unique_ptr<TlsServer>> TlsServer::New(const std::filesystem::path& certificate,
                                                  const std::filesystem::path& key) {
  std::unique_ptr<TlsServer> server(new TlsServer(certificate, key));
  server->stamp_ = server->Stamp();
  NEARDUP_TRY(server->Load());
  return server;
}

Result<void> TlsServer::Load() {
  ERR_clear_error();
  std::unique_ptr<SSL_CTX, FreeTls> fresh(SSL_CTX_new(TLS_server_method()));
  if (!fresh) return Error{ErrorCode::kInternal, fmt::format("cannot use TLS: {}", Cause())};
  SSL_CTX_set_min_proto_version(fresh.get(), TLS1_2_VERSION);
  SSL_CTX_set_mode(fresh.get(),
                   SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  // Each connection carries one answer. Nobody resumes it.
  SSL_CTX_set_session_cache_mode(fresh.get(), SSL_SESS_CACHE_OFF);
  if (SSL_CTX_use_certificate_chain_file(fresh.get(), certificate_.c_str()) != 1) {
    return CannotUse("the certificate", certificate_);
  }
  if (SSL_CTX_use_PrivateKey_file(fresh.get(), key_.c_str(), SSL_FILETYPE_PEM) != 1) {
    return CannotUse("the private key", key_);
  }
  context_ = std::move(fresh);
  return {};
}

std::string TlsServer::Stamp() const {
  std::string stamp;
  for (const std::filesystem::path& path : {certificate_, key_}) {
    std::error_code failed;
    const auto time = std::filesystem::last_write_time(path, failed);
    if (failed) return {};
    const auto size = std::filesystem::file_size(path, failed);
    if (failed) return {};
    stamp += fmt::format("{} {} ", time.time_since_epoch().count(), size);
  }
  return stamp;
}

TlsSession TlsServer::Accept(int socket) {
  // Two files cannot be replaced at one moment: a pair that does not fit yet is tried again with
  // the next connection.
  if (const std::string stamp = Stamp(); stamp != stamp_ && !stamp.empty() && Load().ok()) {
    stamp_ = stamp;
  }
  std::unique_ptr<SSL, FreeTls> session(SSL_new(context_.get()));
  SSL_set_fd(session.get(), socket);
  SSL_set_accept_state(session.get());
  return TlsSession(std::move(session));
}

}  // namespace neardup
