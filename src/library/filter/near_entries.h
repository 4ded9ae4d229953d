// The entries of the filter's own scheme.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "filter/remembered_entries.h"
#include "index/index.h"
#include "neardup/entry.h"
#include "neardup/fingerprint.h"
#include "neardup/options.h"
#include "neardup/verdict.h"

namespace neardup {

/// An EntryIndex over an Index. LookUp does most of the work for a batch; FindNearest looks among
/// the entries that came since.
class NearEntries final : public RememberedEntries<Index> {
 public:
  explicit NearEntries(const FilterOptions& options);

  /// Upper bound of bytes() while at most `live_max` entries are live.
  static uint64_t BytesMax(const FilterOptions& options, uint64_t live_max);

  void Prefetch(std::span<const FingerprintedRecord> records, size_t next) const override;
  void LookUp(std::span<const FingerprintedRecord> records, int64_t time_max_ms,
              std::span<LookedUp> found) const override;
  std::optional<Match> FindNearest(const FingerprintedRecord& record, int64_t time_ms,
                                   const LookedUp& ahead) override;
  std::vector<Match> FindAll(const FingerprintedRecord& record, int64_t time_ms) const override;
  Entry Remember(const FingerprintedRecord& record, int64_t time_ms) override;
  void Restore(std::span<const Entry> entries) override;
  void BeginRestore() override { index_.BeginLoad(); }
  void EndRestore() override { index_.EndLoad(); }
  void Rollback(std::span<const Entry> newest) override;
  uint64_t candidates() const override { return candidates_ahead_ + index_.candidates(); }
  uint64_t keys_refused() const override { return index_.keys_refused(); }
  std::optional<IndexStatistics> Statistics() const override { return index_.Statistics(); }

 private:
  IndexQuery QueryOf(const FingerprintedRecord& record, int64_t time_ms) const;
  bool StillHolds(const LookedUp& ahead, int64_t time_ms) const;
  void LookUpGroup(std::span<const FingerprintedRecord> records, int64_t time_max_ms,
                   std::span<LookedUp> found) const;

  /// Changes whenever a number may have been given to another entry. Never 0.
  uint64_t revision_ = 1;
  uint64_t candidates_ahead_ = 0;  ///< comparisons of the LookUp results that FindNearest used
};

}  // namespace neardup
