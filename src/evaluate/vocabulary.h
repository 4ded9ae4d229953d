// Words to put into copies: those of the stream itself, as often as they stand there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/seeded_random.h"
#include "evaluate/text_cutter.h"

namespace neardup {

/// Keeps a random sample (Vitter 1985, algorithm R), so that its memory is bounded.
class Vocabulary {
 public:
  explicit Vocabulary(uint64_t seed) : random_(seed) {}

  /// Takes the words of a text in; it must be valid UTF-8.
  void Add(std::string_view text);

  /// A word of that sort of script (CutWord::spaced) other than `than`; nullopt when hardly any is
  /// known.
  std::optional<std::string> Pick(bool spaced, std::string_view than, SeededRandom& random) const;

 private:
  struct Reservoir {
    std::vector<std::string> words;
    uint64_t seen = 0;
  };

  SeededRandom random_;
  Reservoir spaced_;
  Reservoir unspaced_;
};

}  // namespace neardup
