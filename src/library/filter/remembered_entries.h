// What is the same for the entries of every scheme: which of them are left after a commit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "filter/entry_index.h"
#include "index/match.h"
#include "neardup/options.h"

namespace neardup {

/// `AnyIndex` numbers its entries consecutively in order of arrival: Index or SketchIndex.
template <class AnyIndex>
class RememberedEntries : public EntryIndex {
 public:
  void Hide(int64_t horizon_ms) final { visible_id_ = FirstLeft(horizon_ms, 0); }

  void Forget(int64_t horizon_ms, size_t kept) final {
    const uint64_t left = FirstLeft(horizon_ms, kept);
    for (uint64_t id = index_.begin_id(); id < left; ++id) {
      ++(index_.time_ms(id) < horizon_ms ? forgotten_.expired : forgotten_.evicted);
      if (keeps_forgotten_) taken_.push_back({index_.origin(id), id});
    }
    index_.Expire(left);
    visible_id_ = 0;
  }

  void KeepForgotten() final { keeps_forgotten_ = true; }
  std::vector<ForgottenRecord> TakeForgotten() final { return std::exchange(taken_, {}); }

  uint64_t size() const final { return index_.size(); }
  uint64_t begin_number() const final { return index_.begin_id(); }
  uint64_t end_number() const final { return index_.end_id(); }
  const Forgotten& forgotten() const final { return forgotten_; }
  int64_t oldest_time_ms() const final {
    return index_.size() == 0 ? INT64_MIN : index_.time_ms(index_.begin_id());
  }
  uint64_t bytes() const final { return index_.bytes(); }

 protected:
  template <class... Arguments>
  explicit RememberedEntries(const WindowOptions& window, Arguments&&... index)
      : window_ms_(window.window_ms),
        index_(std::forward<Arguments>(index)...),
        entries_max_(window.entries_max) {}

  std::vector<Match> Describe(const std::vector<EntryMatch>& found) const {
    std::vector<Match> matches;
    matches.reserve(found.size());
    for (const EntryMatch& match : found) matches.push_back(index_.MatchOf(match));
    return matches;
  }

  const int64_t window_ms_;
  AnyIndex index_;
  uint64_t visible_id_ = 0;  ///< entries with smaller numbers are hidden

 private:
  /// The first entry that Forget would leave.
  uint64_t FirstLeft(int64_t horizon_ms, size_t kept) const {
    const uint64_t end_id = index_.end_id() - kept;
    uint64_t id = index_.begin_id();
    if (end_id - id > entries_max_) id = end_id - entries_max_;
    while (id < end_id && index_.time_ms(id) < horizon_ms) ++id;
    return id;
  }

  const uint64_t entries_max_;
  Forgotten forgotten_;
  bool keeps_forgotten_ = false;
  std::vector<ForgottenRecord> taken_;  ///< forgotten since TakeForgotten
};

}  // namespace neardup
