#include "bench/timed_index.h"

#include <algorithm>

namespace neardup {
namespace {

/// Records of a batch. What their look-ups read stays in the L2 cache until they are decided.
constexpr size_t kTogether = 256;
/// Entries that expire together, as at a commit.
constexpr uint64_t kPortion = 1000;

}  // namespace

std::vector<IndexQuery> TimedIndex::QueriesOf(std::span<const Record> records) {
  std::vector<IndexQuery> queries;
  queries.reserve(records.size());
  for (const Record& record : records) {
    queries.push_back({.fingerprint = record.fingerprint,
                       .text_keys = record.text_keys,
                       .features = IndexWorkload::kFeatures,
                       .position = {1, 0}});
  }
  return queries;
}

uint64_t TimedIndex::Find(std::span<const Record> records) {
  uint64_t matches = 0;
  for (; !records.empty(); records = records.subspan(std::min(kTogether, records.size()))) {
    LookUp(records.first(std::min(kTogether, records.size())));
    for (const Nearest& nearest : found_) matches += nearest.match ? 1 : 0;
  }
  return matches;
}

uint64_t TimedIndex::Decide(std::span<const Record> records) {
  uint64_t matches = 0;
  for (; !records.empty(); records = records.subspan(std::min(kTogether, records.size()))) {
    const uint64_t since_id = index_.end_id();
    LookUp(records.first(std::min(kTogether, records.size())));
    for (size_t i = 0; i < found_.size(); ++i) {
      queries_[i].since_id = since_id;
      // Even after a match: an entry inserted since may be nearer.
      const bool newest = index_.FindNearest(queries_[i]).has_value();
      if (found_[i].match || newest) {
        ++matches;
      } else {
        Insert(records[i]);
      }
    }
  }
  return matches;
}

bool TimedIndex::DecideAlone(const Record& record) {
  const bool found = index_.FindNearest(QueriesOf(std::span(&record, 1)).front()).has_value();
  if (!found) Insert(record);
  return found;
}

void TimedIndex::Insert(const Record& record) {
  const auto number = static_cast<int64_t>(index_.end_id());
  index_.Insert({record.fingerprint, number, {0, number}, index_.ChooseKeys(record.text_keys)});
  if (index_.size() >= entries_max_ + kPortion) index_.Expire(index_.end_id() - entries_max_);
}

void TimedIndex::LookUp(std::span<const Record> records) {
  queries_ = QueriesOf(records);
  found_.resize(records.size());
  const Index& index = index_;
  index.FindNearest(queries_, found_);
  for (const Nearest& nearest : found_) {
    candidates_ += nearest.candidates;
    entries_read_ += nearest.match ? 1 : nearest.candidates;
  }
}

}  // namespace neardup
