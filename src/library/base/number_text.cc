#include "base/number_text.h"

#include <fmt/format.h>

namespace neardup {

std::string Hex64(uint64_t value) { return fmt::format("{:016x}", value); }

std::string Grouped(uint64_t number) {
  std::string digits = std::to_string(number);
  for (size_t place = digits.size(); place > 3; place -= 3) digits.insert(place - 3, ",");
  return digits;
}

std::string Counted(uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", Grouped(count), noun, count == 1 ? "" : "s");
}

}  // namespace neardup
