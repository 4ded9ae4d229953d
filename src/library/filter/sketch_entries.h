// The entries of a comparison scheme.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "filter/remembered_entries.h"
#include "index/sketch_index.h"
#include "neardup/entry.h"
#include "neardup/fingerprint.h"
#include "neardup/options.h"
#include "neardup/verdict.h"
#include "schemes/scheme.h"

namespace neardup {

/// An EntryIndex over a SketchIndex, for comparisons and small windows: nothing is looked up ahead.
class SketchEntries final : public RememberedEntries<SketchIndex> {
 public:
  SketchEntries(const WindowOptions& window, std::shared_ptr<const Scheme> scheme)
      : RememberedEntries(window, *scheme), scheme_(std::move(scheme)) {}

  void Prefetch(std::span<const FingerprintedRecord>, size_t) const override {}
  void LookUp(std::span<const FingerprintedRecord>, int64_t,
              std::span<LookedUp> found) const override {
    std::fill(found.begin(), found.end(), LookedUp());
  }
  std::optional<Match> FindNearest(const FingerprintedRecord& record, int64_t time_ms,
                                   const LookedUp&) override {
    const auto best = index_.FindNearest(EntryOf(record, time_ms), window_ms_, visible_id_);
    if (!best) return std::nullopt;
    return index_.MatchOf(*best);
  }
  std::vector<Match> FindAll(const FingerprintedRecord& record, int64_t time_ms) const override {
    return Describe(index_.FindAll(EntryOf(record, time_ms), window_ms_, visible_id_));
  }
  Entry Remember(const FingerprintedRecord& record, int64_t time_ms) override {
    Entry entry = EntryOf(record, time_ms);
    index_.Insert(entry);
    return entry;
  }
  void Restore(std::span<const Entry> entries) override {
    for (const Entry& entry : entries) index_.Insert(entry);
  }
  void BeginRestore() override {}
  void EndRestore() override {}
  void Rollback(std::span<const Entry> newest) override {
    visible_id_ = 0;
    index_.Rollback(index_.end_id() - newest.size());
  }
  uint64_t candidates() const override { return index_.candidates(); }
  uint64_t keys_refused() const override { return 0; }
  std::optional<IndexStatistics> Statistics() const override { return std::nullopt; }

 private:
  static Entry EntryOf(const FingerprintedRecord& record, int64_t time_ms) {
    return {record.fingerprint, time_ms, record.position, {}, record.sketch};
  }

  std::shared_ptr<const Scheme> scheme_;
};

}  // namespace neardup
