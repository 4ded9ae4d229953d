// Where metrics and health are served.
#pragma once

#include <cstdint>
#include <string>

namespace neardup {

struct HttpOptions {
  std::string host = "0.0.0.0";
  /// 0: not served.
  uint16_t port = 9404;
};

}  // namespace neardup
