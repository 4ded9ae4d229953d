#include <utility>

#include "filter/entry_index.h"
#include "index/sketch_index.h"

namespace neardup {
namespace {

class SketchEntries final : public EntryIndex {
 public:
  explicit SketchEntries(std::shared_ptr<const Scheme> scheme)
      : scheme_(std::move(scheme)), index_(*scheme_) {}

  std::optional<Repeated> FindNearest(const FingerprintedRecord& record, int64_t time_ms,
                                      int64_t window_ms, const LookedUp*) override {
    const auto match = index_.FindNearest(SoughtOf(record, time_ms), window_ms);
    if (!match) return std::nullopt;
    return RepeatedOf(*match, record);
  }
  std::vector<Repeated> FindAll(const FingerprintedRecord& record, int64_t time_ms,
                                int64_t window_ms) const override {
    std::vector<Repeated> all;
    for (const SketchMatch& match : index_.FindAll(SoughtOf(record, time_ms), window_ms)) {
      all.push_back(RepeatedOf(match, record));
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
  Repeated RepeatedOf(const SketchMatch& match, const FingerprintedRecord& record) const {
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
