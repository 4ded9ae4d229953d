// What is learned from a sample of a stream.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace neardup {

/// Part of what gives a fingerprint its meaning: frozen once a lane runs, because fingerprints of
/// two models cannot be compared. The default is that of a stream nothing is known of.
struct Model {
  /// Other seeds give other, equally good fingerprints.
  uint64_t hash_seed = 0;
  /// For each bit of the simhash the mean, over the sample, of 4096 times its sum divided by the
  /// root mean square of all 64 sums of a record. Subtracting what all records have in common moves
  /// unrelated records apart. Range -kCentreMax to kCentreMax; all 0: not centred.
  std::array<int32_t, 64> centre{};
  static constexpr int32_t kCentreMax = 65536;
  /// Hashes of three adjacent tokens that stand in very many records, ascending: no text keys.
  std::vector<uint64_t> common;

  bool operator==(const Model&) const = default;
};

}  // namespace neardup
