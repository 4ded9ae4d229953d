#include <fmt/format.h>

#include <cstdlib>

#include "fuzz/fuzz_target.h"

namespace neardup {

void Require(bool holds, std::string_view text) {
  if (holds) return;
  fmt::print(stderr, "broken promise: {}\n", text);
  std::abort();
}

}  // namespace neardup
