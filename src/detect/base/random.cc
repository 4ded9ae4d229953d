#include "detect/base/random.h"

#include <random>

namespace neardup {

uint64_t DrawId() {
  std::random_device random;
  uint64_t id = 0;
  while (id == 0) id = (uint64_t{random()} << 32) | random();
  return id;
}

}  // namespace neardup
