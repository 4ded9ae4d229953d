// The interface of the comparison schemes: other methods than our own to tell duplicates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace neardup {

/// One text of a record, as a scheme sees it. The texts of one field are neighbours.
struct SchemeText {
  uint32_t field = 0;  ///< index into RecordOptions::fields
  /// The text of the record, unchanged: with its case, punctuation and line ends. Valid UTF-8.
  std::string_view raw;
  /// The folded tokens, each followed by a space (feature/text_features.h).
  std::string_view normalised;
  /// The hashes of these tokens, in their order.
  std::span<const uint64_t> tokens;
};

/// What a comparison scheme keeps of a record.
struct Sketch {
  /// Compared by Scheme::Distance; their meaning is up to the scheme.
  std::vector<uint64_t> words;
  /// Two records are compared if they share one of these. Distinct.
  std::vector<uint64_t> keys;

  size_t bytes() const { return (words.capacity() + keys.capacity()) * sizeof(uint64_t); }
  bool operator==(const Sketch&) const = default;
};

/// Makes the sketch of a record and compares two sketches. Immutable: any number of threads may
/// share one instance.
class Scheme {
 public:
  virtual ~Scheme() = default;

  virtual std::string_view name() const = 0;
  /// Replaces the contents of `sketch`. There may be no texts, and texts may be empty.
  virtual void Compute(std::span<const SchemeText> texts, Sketch& sketch) const = 0;
  /// Distance of a record to an earlier one, from the words of their sketches: 0 or more, 0 is
  /// nearest. nullopt: the two are no duplicates.
  virtual std::optional<int> Distance(std::span<const uint64_t> earlier,
                                      std::span<const uint64_t> later) const = 0;
  /// True if keys do not lead to all matches, so that each record must be compared with every
  /// earlier one. Such a scheme is for evaluation and small windows only.
  virtual bool scans_all() const { return false; }
};

}  // namespace neardup
