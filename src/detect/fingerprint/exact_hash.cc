#include "detect/fingerprint/exact_hash.h"

namespace neardup {

void ExactHash::Add(std::string_view text, uint64_t path_hash) {
  if (!text.empty()) sum_ += Hash64(text, path_hash);
}

uint64_t ExactHash::value() const {
  char bytes[8];
  for (int i = 0; i < 8; ++i) bytes[i] = static_cast<char>(sum_ >> (8 * i));
  return Hash64({bytes, sizeof bytes});
}

}  // namespace neardup
