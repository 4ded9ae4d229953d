#include "filter/entry_index.h"

#include <algorithm>
#include <array>
#include <utility>

#include "index/index.h"
#include "index/sketch_index.h"

namespace neardup {

namespace {

class FingerprintEntries final : public EntryIndex {
 public:
  explicit FingerprintEntries(const FilterOptions& options)
      : index_({.match = options.match, .entries_max = options.window.entries_max}) {}

  void Prefetch(const FingerprintedRecord& record) const override {
    index_.Prefetch(record.fingerprint, record.text_keys);
  }

  void LookUp(std::span<const FingerprintedRecord> records, int64_t time_max_ms, int64_t window_ms,
              std::span<LookedUp> found) const override {
    for (size_t begin = 0; begin < records.size(); begin += kTogether) {
      const size_t count = std::min(kTogether, records.size() - begin);
      LookUpTogether(records.subspan(begin, count), time_max_ms, window_ms,
                     found.subspan(begin, count));
    }
  }
  std::optional<Match> FindNearest(const FingerprintedRecord& record, int64_t time_ms,
                                   int64_t window_ms, const LookedUp* ahead) override {
    IndexQuery query = QueryOf(record, time_ms, window_ms);
    if (ahead != nullptr) query.since_id = ahead->end_id;
    std::optional<EntryMatch> best = index_.FindNearest(query);
    if (ahead != nullptr) {
      candidates_ahead_ += ahead->candidates;
      const EntryMatch earlier{ahead->id, ahead->distance, ahead->order_distance, ahead->kind};
      if (ahead->matches && (!best || Better(earlier, *best))) best = earlier;
    }
    if (!best) return std::nullopt;
    return MatchOf(*best);
  }
  std::vector<Match> FindAll(const FingerprintedRecord& record, int64_t time_ms,
                             int64_t window_ms) const override {
    std::vector<Match> all;
    for (const EntryMatch& match : index_.FindAll(QueryOf(record, time_ms, window_ms))) {
      all.push_back(MatchOf(match));
    }
    return all;
  }

  Entry MakeEntry(const FingerprintedRecord& record, int64_t time_ms) override {
    return {record.fingerprint, time_ms, record.position, index_.ChooseKeys(record.text_keys)};
  }
  void Insert(std::span<const Entry> entries) override { index_.Insert(entries); }
  void BeginLoad() override { index_.BeginLoad(); }
  void EndLoad() override { index_.EndLoad(); }
  void Rollback(std::span<const Entry> newest) override { index_.Rollback(newest); }
  void Expire(uint64_t begin_id) override { index_.Expire(begin_id); }

  int64_t time_ms(uint64_t id) const override { return index_.entry(id).time_ms(); }
  uint64_t begin_id() const override { return index_.begin_id(); }
  uint64_t end_id() const override { return index_.end_id(); }
  uint64_t bytes() const override { return index_.bytes(); }
  uint64_t candidates() const override { return index_.candidates() + candidates_ahead_; }
  std::optional<IndexStatistics> Statistics() const override { return index_.Statistics(); }

 private:
  /// Records whose look-ups overlap.
  static constexpr size_t kTogether = 256;

  static IndexQuery QueryOf(const FingerprintedRecord& record, int64_t time_ms, int64_t window_ms) {
    return {.fingerprint = record.fingerprint,
            .text_keys = record.text_keys,
            .features = record.features,
            .position = record.position,
            .time_ms = time_ms,
            .window_ms = window_ms};
  }
  Match MatchOf(const EntryMatch& match) const {
    const StoredEntry& entry = index_.entry(match.id);
    return {entry.origin(), entry.time_ms(), match.distance, match.kind};
  }
  void LookUpTogether(std::span<const FingerprintedRecord> records, int64_t time_max_ms,
                      int64_t window_ms, std::span<LookedUp> found) const {
    std::array<IndexQuery, kTogether> queries;
    std::array<Nearest, kTogether> nearest;
    for (size_t i = 0; i < records.size(); ++i) {
      queries[i] =
          QueryOf(records[i], std::min(records[i].outcome.time_ms, time_max_ms), window_ms);
    }
    index_.FindNearest(std::span(queries).first(records.size()),
                       std::span(nearest).first(records.size()));
    for (size_t i = 0; i < records.size(); ++i) {
      const EntryMatch match = nearest[i].match.value_or(EntryMatch());
      found[i] = {.revision = 1,
                  .end_id = index_.end_id(),
                  .time_ms = queries[i].time_ms,
                  .candidates = nearest[i].candidates,
                  .matches = nearest[i].match.has_value(),
                  .id = match.id,
                  .distance = match.distance,
                  .order_distance = match.order_distance,
                  .kind = match.kind};
    }
  }

  Index index_;
  uint64_t candidates_ahead_ = 0;  ///< of look-ups ahead that were used
};

}  // namespace

std::unique_ptr<EntryIndex> NewFingerprintEntries(const FilterOptions& options) {
  return std::make_unique<FingerprintEntries>(options);
}

namespace {

class SketchEntries final : public EntryIndex {
 public:
  explicit SketchEntries(std::shared_ptr<const Scheme> scheme)
      : scheme_(std::move(scheme)), index_(*scheme_) {}

  std::optional<Match> FindNearest(const FingerprintedRecord& record, int64_t time_ms,
                                   int64_t window_ms, const LookedUp*) override {
    const auto match = index_.FindNearest(SoughtOf(record, time_ms), window_ms);
    if (!match) return std::nullopt;
    return MatchOf(*match, record);
  }
  std::vector<Match> FindAll(const FingerprintedRecord& record, int64_t time_ms,
                             int64_t window_ms) const override {
    std::vector<Match> all;
    for (const SketchMatch& match : index_.FindAll(SoughtOf(record, time_ms), window_ms)) {
      all.push_back(MatchOf(match, record));
    }
    return all;
  }

  Entry MakeEntry(const FingerprintedRecord& record, int64_t time_ms) override {
    return {record.fingerprint, time_ms, record.position, {}, record.sketch};
  }
  void Insert(std::span<const Entry> entries) override {
    for (const Entry& entry : entries) {
      index_.Insert({entry.sketch, entry.time_ms, entry.origin, entry.fingerprint.exact});
    }
  }
  void Rollback(std::span<const Entry> newest) override {
    index_.Rollback(index_.end_id() - newest.size());
  }
  void Expire(uint64_t begin_id) override { index_.Expire(begin_id); }

  int64_t time_ms(uint64_t id) const override { return index_.time_ms(id); }
  uint64_t begin_id() const override { return index_.begin_id(); }
  uint64_t end_id() const override { return index_.end_id(); }
  uint64_t bytes() const override { return index_.bytes(); }
  uint64_t candidates() const override { return index_.candidates(); }

 private:
  static SketchEntry SoughtOf(const FingerprintedRecord& record, int64_t time_ms) {
    return {record.sketch, time_ms, record.position, record.fingerprint.exact};
  }
  Match MatchOf(const SketchMatch& match, const FingerprintedRecord& record) const {
    const bool exact = index_.exact(match.id) == record.fingerprint.exact;
    return {index_.origin(match.id), index_.time_ms(match.id), match.distance,
            exact ? MatchKind::kExact : MatchKind::kNear};
  }

  std::shared_ptr<const Scheme> scheme_;
  SketchIndex index_;
};

}  // namespace

std::unique_ptr<EntryIndex> NewSketchEntries(std::shared_ptr<const Scheme> scheme) {
  return std::make_unique<SketchEntries>(std::move(scheme));
}

}  // namespace neardup
