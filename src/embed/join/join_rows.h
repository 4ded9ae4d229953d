// Records as rows, one for each key. Near records have rows with a common key.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "batch/fingerprint_columns.h"
#include "neardup/fingerprint.h"
#include "neardup/options.h"

namespace neardup {

/// A record under one of its keys: what a comparison needs, and no payload.
struct JoinRow {
  int64_t key = 0;
  int64_t number = 0;  ///< of the record in its order, from 0
  uint64_t simhash = 0;
  uint64_t order = 0;    ///< of the fingerprint; if only equal records match, all bits of `exact`
  uint64_t numbers = 0;  ///< of the fingerprint
  int64_t time_ms = 0;
  uint16_t exact = 0;     ///< the bits of the fingerprint's `exact` that an index keeps
  uint16_t features = 0;  ///< FingerprintedRecord::features, at most 65,535

  bool operator==(const JoinRow&) const = default;
};

/// Rows, and the text keys of their records where the comparison needs them (MatchOptions::widen).
struct JoinRows {
  using Keys = std::array<uint32_t, ProbedKeys::kMax>;

  std::vector<JoinRow> rows;
  std::vector<Keys> text_keys;  ///< empty, or one for each row; 0 fills the places after the last

  size_t size() const { return rows.size(); }
  const Keys* keys_of(size_t row) const { return text_keys.empty() ? nullptr : &text_keys[row]; }
  void Add(const JoinRow& row, const Keys* keys);
};

/// Whether a key is a block of a simhash or a text key.
enum class JoinKeyKind : uint8_t { kBlock, kText };

/// Turns fingerprints into rows, one for each key of a record. If an index would compare two
/// records because of their simhashes, they have rows with a common key. So do two records that
/// share a text key.
class JoinKeys {
 public:
  explicit JoinKeys(const FilterOptions& options);

  /// Appends the rows of all records that can be compared. The first record has the number `first`.
  /// Event times after `time_max_ms` are set back to it.
  void AddRows(const FingerprintColumns& records, int64_t first, int64_t time_max_ms,
               JoinRows& to) const;

  JoinKeyKind KindOf(int64_t key) const;
  /// The part of a simhash that the key of a block leaves open. In a group of one key, an index
  /// compares only records whose tags differ in at most one bit.
  uint16_t TagOf(int64_t key, uint64_t simhash) const;

 private:
  MatchOptions match_;
};

}  // namespace neardup
