// What is learned from a sample of a stream, for its fingerprints.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace neardup {

/// Every fingerprint depends on the model: fingerprints of different models cannot be
/// compared, so the model must not change while its entries are remembered. The default is for a
/// stream that nothing is known about.
struct Model {
  /// Arbitrary: every seed gives different, equally good fingerprints.
  uint64_t hash_seed = 0;
  /// Per simhash bit, what the records of the stream have in common; subtracting it moves unrelated
  /// records apart. The value of a bit is the mean over the sample of 4096 * s / r, where s is the
  /// bit's sum in a record and r the root mean square of all 64 sums of that record. Range
  /// -kCentreMax to kCentreMax. All 0: nothing is subtracted.
  std::array<int32_t, 64> centre{};
  static constexpr int32_t kCentreMax = 65536;
  /// Hashes of three adjacent tokens that occur in very many records and so are not used as text
  /// keys. Ascending.
  std::vector<uint64_t> common;
  /// Hashes of texts that records of different key fields share, such as headings that come again,
  /// and that therefore say little. Records of such a text are equal only if their free fields
  /// (FieldSelector::free) are, too. Ascending.
  std::vector<uint64_t> standing;

  bool operator==(const Model&) const = default;
};

}  // namespace neardup
