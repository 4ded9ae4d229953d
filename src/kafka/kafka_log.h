// Where the client library's own log lines go.
#pragma once

#include <functional>
#include <string_view>

namespace neardup {

/// Called from threads of the library, several at once; must not call back into this room.
/// `level` is that of syslog: 3 error, 4 warning, 5 notice, 6 info, 7 debug.
using KafkaLog = std::function<void(int level, std::string_view text)>;

}  // namespace neardup
