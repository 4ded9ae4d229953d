#include "filter/entry_index.h"
#include "index/index.h"

namespace neardup {
namespace {

class FingerprintEntries final : public EntryIndex {
 public:
  explicit FingerprintEntries(const FilterOptions& options)
      : index_({.match = options.match, .entries_max = options.window.entries_max}) {}

  void Prefetch(const FingerprintedRecord& record) const override {
    index_.Prefetch(record.fingerprint, record.text_keys);
  }

  std::optional<FoundEntry> FindNearest(const FingerprintedRecord& record, int64_t time_ms,
                                        int64_t window_ms) override {
    const auto match = index_.FindNearest({.fingerprint = record.fingerprint,
                                           .text_keys = record.text_keys,
                                           .features = record.features,
                                           .position = record.position,
                                           .time_ms = time_ms,
                                           .window_ms = window_ms});
    if (!match) return std::nullopt;
    return FoundEntry{index_.entry(match->id).origin(), match->distance, match->kind};
  }

  Entry MakeEntry(const FingerprintedRecord& record, int64_t time_ms) const override {
    return {record.fingerprint, time_ms, record.position, index_.ChooseKeys(record.text_keys)};
  }
  void Insert(const Entry& entry) override { index_.Insert(entry); }
  void Rollback(std::span<const Entry> newest) override { index_.Rollback(newest); }
  void Expire(uint64_t begin_id) override { index_.Expire(begin_id); }

  int64_t time_ms(uint64_t id) const override { return index_.entry(id).time_ms(); }
  uint64_t begin_id() const override { return index_.begin_id(); }
  uint64_t end_id() const override { return index_.end_id(); }
  uint64_t bytes() const override { return index_.bytes(); }
  uint64_t candidates() const override { return index_.candidates(); }

 private:
  Index index_;
};

}  // namespace

std::unique_ptr<EntryIndex> NewFingerprintEntries(const FilterOptions& options) {
  return std::make_unique<FingerprintEntries>(options);
}

}  // namespace neardup
