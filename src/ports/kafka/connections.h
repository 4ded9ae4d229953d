// The connections of one client, and the switch that ends all of them for good.
#pragma once

#include <sys/socket.h>

#include <mutex>
#include <set>

namespace neardup {

/// The library's threads open and close connections; any thread may cut them.
class Connections {
 public:
  /// From now on this client sends nothing. Requests that are already on their way may arrive.
  void Cut();

  // What the library calls in place of connect() and close().
  /// 0, or an error number.
  int Open(int socket, const sockaddr* address, int address_bytes);
  int Close(int socket);

 private:
  std::mutex mutex_;  ///< guards all
  std::set<int> open_;
  bool cut_ = false;
};

}  // namespace neardup
