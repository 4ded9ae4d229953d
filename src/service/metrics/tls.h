// The server's side of TLS on sockets that never block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "neardup/result.h"

struct ssl_st;
struct ssl_ctx_st;

namespace neardup {

struct FreeTls {
  void operator()(ssl_st* session) const;
  void operator()(ssl_ctx_st* context) const;
};

/// What a read or a write on a socket came to.
struct Transfer {
  enum class State : uint8_t {
    kMoved,      ///< `bytes` were moved
    kWantRead,   ///< try again when the socket can be read
    kWantWrite,  ///< try again when the socket can be written
    kOver,       ///< the peer has closed the connection, or broke the protocol
  };
  State state = State::kOver;
  size_t bytes = 0;
};

/// One TLS connection. The handshake is part of the first reads.
class TlsSession {
 public:
  explicit TlsSession(std::unique_ptr<ssl_st, FreeTls> session) : session_(std::move(session)) {}

  Transfer Read(char* bytes, size_t size);
  Transfer Write(const char* bytes, size_t size);
  /// Tells the peer that no more bytes follow.
  void End();

 private:
  Transfer After(int returned, size_t bytes) const;

  std::unique_ptr<ssl_st, FreeTls> session_;
};

/// A certificate and its key, read from PEM files. One thread.
class TlsServer {
 public:
  /// Fails with kConfig, and names the file, if a file cannot be read or the key does not fit.
  static Result<std::unique_ptr<TlsServer>> New(const std::filesystem::path& certificate,
                                                const std::filesystem::path& key);

  /// Begins a connection on the socket, which must outlive it. If the files have changed, it shows
  /// the new certificate; as long as they cannot be used, it shows the old one.
  TlsSession Accept(int socket);

 private:
  TlsServer(std::filesystem::path certificate, std::filesystem::path key);
  Result<void> Load();
  /// Empty if a file cannot be looked at.
  std::string Stamp() const;

  std::filesystem::path certificate_;
  std::filesystem::path key_;
  std::string stamp_;  ///< of the files at the last look
  std::unique_ptr<ssl_ctx_st, FreeTls> context_;
};

}  // namespace neardup
