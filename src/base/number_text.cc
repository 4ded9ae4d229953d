#include "base/number_text.h"

#include <cstdio>

namespace neardup {

std::string Hex64(uint64_t value) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
  return text;
}

}  // namespace neardup
