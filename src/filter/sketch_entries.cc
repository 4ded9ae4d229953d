#include <utility>

#include "filter/entry_index.h"
#include "index/sketch_index.h"

namespace neardup {
namespace {

class SketchEntries final : public EntryIndex {
 public:
  explicit SketchEntries(std::shared_ptr<const Scheme> scheme)
      : scheme_(std::move(scheme)), index_(*scheme_) {}

  std::optional<FoundEntry> FindNearest(const FingerprintedRecord& record, int64_t time_ms,
                                        int64_t window_ms) override {
    const auto match = index_.FindNearest(
        {record.sketch, time_ms, record.position, record.fingerprint.exact}, window_ms);
    if (!match) return std::nullopt;
    const bool exact = index_.exact(match->id) == record.fingerprint.exact;
    return FoundEntry{index_.origin(match->id), match->distance,
                      exact ? MatchKind::kExact : MatchKind::kNear};
  }

  Entry MakeEntry(const FingerprintedRecord& record, int64_t time_ms) const override {
    return {record.fingerprint, time_ms, record.position, {}, record.sketch};
  }
  void Insert(const Entry& entry) override {
    index_.Insert({entry.sketch, entry.time_ms, entry.origin, entry.fingerprint.exact});
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
  std::shared_ptr<const Scheme> scheme_;
  SketchIndex index_;
};

}  // namespace

std::unique_ptr<EntryIndex> NewSketchEntries(std::shared_ptr<const Scheme> scheme) {
  return std::make_unique<SketchEntries>(std::move(scheme));
}

}  // namespace neardup
