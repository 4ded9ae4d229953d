#include "kafka/connections.h"

#include <unistd.h>

#include <cerrno>

namespace neardup {

void Connections::Cut() {
  const std::lock_guard<std::mutex> lock(mutex_);
  cut_ = true;
  for (const int socket : open_) shutdown(socket, SHUT_RDWR);
}

int Connections::Open(int socket, const sockaddr* address, int address_bytes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (cut_) return ECONNREFUSED;
  // The socket does not block, so that the connection comes about later.
  if (connect(socket, address, static_cast<socklen_t>(address_bytes)) != 0 &&
      errno != EINPROGRESS) {
    return errno;
  }
  open_.insert(socket);
  return 0;
}

int Connections::Close(int socket) {
  const std::lock_guard<std::mutex> lock(mutex_);
  open_.erase(socket);
  return close(socket);
}

}  // namespace neardup
