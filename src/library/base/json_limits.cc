#include "base/json_limits.h"

namespace neardup {

bool NestsDeeperThan(std::string_view json, size_t depth_max) {
  size_t depth = 0;
  bool in_text = false;
  for (size_t at = 0; at < json.size(); ++at) {
    const char c = json[at];
    if (c == '"') in_text = !in_text;
    if (in_text) {
      if (c == '\\') ++at;
    } else if (c == '[' || c == '{') {
      if (++depth > depth_max) return true;
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return false;
}

}  // namespace neardup
