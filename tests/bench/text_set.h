// Distinct texts, and where they come from.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace neardup {

/// Keeps the first of equal texts, in the order given, side by side in memory.
class TextSet {
 public:
  explicit TextSet(std::span<const std::string> texts);

  std::span<const std::string_view> texts() const { return texts_; }
  size_t bytes() const { return bytes_; }

 private:
  size_t bytes_ = 0;
  std::unique_ptr<char[]> memory_;
  std::vector<std::string_view> texts_;
};

/// 4 to 16 lower-case letters and digits, at random: what tokens look like.
TextSet ShortTexts(size_t count, uint64_t seed);

/// 64 lower-case letters and digits, in groups of 64: one at random, and copies of it with one
/// other character.
TextSet TwinTexts(size_t count, uint64_t seed);

/// The distinct tokens of texts in UTF-8, as the service cuts them: what its SimHash hashes.
TextSet TokensOf(std::span<const std::string_view> texts);

}  // namespace neardup
