// The seam behind which other ways to tell duplicates live.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "neardup/fingerprint.h"
#include "neardup/result.h"

namespace neardup {

/// One text of a record, as a scheme sees it. Texts of one field stand together.
struct SchemeText {
  uint32_t field = 0;  ///< index into RecordOptions::fields
  /// As in the record: case, punctuation and line ends are there. Valid UTF-8.
  std::string_view raw;
  /// Folded tokens, each followed by a space (feature/token_list.h).
  std::string_view normalised;
  /// Hash of each of these tokens, in order.
  std::span<const uint64_t> tokens;
};

/// Immutable and safe for any number of threads.
class Scheme {
 public:
  virtual ~Scheme() = default;

  /// Persisted as part of the FingerprintSpec: another encoding needs another name.
  virtual std::string_view name() const = 0;
  /// Replaces what `sketch` holds. Texts may be none or empty.
  virtual void Compute(std::span<const SchemeText> texts, Sketch& sketch) const = 0;
  /// How far a record is from an earlier one; nullopt: no duplicate. 0 is nearest.
  virtual std::optional<int> Distance(std::span<const uint64_t> earlier,
                                      std::span<const uint64_t> later) const = 0;
  /// A record has to be compared with every earlier one, because no key leads to all that Distance
  /// would take: right for evaluation and small windows only.
  virtual bool scans_all() const { return false; }
};

}  // namespace neardup
