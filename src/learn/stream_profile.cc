#include "learn/stream_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <utility>

#include "base/hash.h"

namespace neardup {
namespace {

/// The profile's own filter remembers its records only.
FilterOptions WindowOf(FilterOptions options, size_t records_max) {
  const auto& range = WindowOptions::kEntriesMaxRange;
  options.window.entries_max = std::clamp<uint64_t>(records_max, range.min, range.max);
  return options;
}

template <size_t kSize>
uint64_t& Bin(std::array<uint64_t, kSize>& bins, size_t index) {
  return bins[std::min(index, kSize - 1)];
}

}  // namespace

StreamProfiler::StreamProfiler(const FilterOptions& options, size_t records_max)
    : options_(WindowOf(options, records_max)),
      records_max_(records_max),
      extractor_(options.record) {
  assert(options.scheme.is_own());
  profile_.options = ProfiledOptions(options);
  const std::vector<FieldSelector>& fields = options.record.fields;
  for (size_t i = 0; i < std::min(fields.size(), StreamProfile::kFieldsMax); ++i) {
    profile_.fields.push_back({fields[i].path});
  }
  if (fields.empty()) profile_.fields.emplace_back();
  value_.resize(profile_.fields.size());
  values_.resize(profile_.fields.size());
  Drop();
}

StreamProfiler::~StreamProfiler() = default;

void StreamProfiler::Add(const RecordView& record, const FingerprintedRecord& fingerprinted) {
  assert(!complete());
  if (record.value && record.value->size() > kProfiledBytesMax) return;
  ++profile_.records;
  if (fingerprinted.outcome.passed) return;
  CountVerdict(fingerprinted);
  if (fingerprinted.outcome.comparable()) CountFields(record);
}

void StreamProfiler::CountVerdict(const FingerprintedRecord& record) {
  const Verdict verdict = filter_->Decide(record);
  switch (verdict.decision) {
    case Decision::kDeadLetter:
      ++profile_.dead_letters;
      return;
    case Decision::kDuplicate:
      if (verdict.match.kind == MatchKind::kExact) {
        ++profile_.exact_duplicates;
      } else {
        ++profile_.near_duplicates;
        ++Bin(profile_.distances, static_cast<size_t>(verdict.match.distance));
      }
      return;
    case Decision::kUnique:
      ++profile_.unique;
      break;
  }
  const Fingerprint& fingerprint = record.fingerprint;
  const bool too_few_tokens = fingerprint.simhash == fingerprint.exact;
  if (too_few_tokens || options_.match.distance_max == 0) return;
  ++profile_.sketched;
  for (size_t bit = 0; bit < profile_.ones.size(); ++bit) {
    profile_.ones[bit] += fingerprint.simhash >> bit & 1;
  }
}

void StreamProfiler::CountFields(const RecordView& record) {
  std::fill(value_.begin(), value_.end(), 0);
  size_t bytes = 0;
  for (const TextPiece& piece : extractor_.Extract(record).pieces) {
    bytes += piece.text.size();
    if (piece.field >= value_.size() || piece.text.empty()) continue;
    // A sum does not depend on the order, and the members of an object may come in any order.
    value_[piece.field] += Mix64(Hash64(piece.text) + piece.path_hash);
  }
  ++Bin(profile_.lengths, static_cast<size_t>(std::bit_width(bytes)));
  for (size_t field = 0; field < value_.size(); ++field) {
    if (value_[field] != 0) values_[field].push_back(value_[field]);
  }
}

StreamProfile StreamProfiler::Take() {
  StreamProfile taken = profile_;
  for (size_t field = 0; field < values_.size(); ++field) {
    std::vector<uint64_t>& values = values_[field];
    taken.fields[field].present = values.size();
    std::sort(values.begin(), values.end());
    const auto end = std::unique(values.begin(), values.end());
    taken.fields[field].distinct = static_cast<uint64_t>(end - values.begin());
  }
  Drop();
  return taken;
}

void StreamProfiler::Drop() {
  StreamProfile empty;
  empty.options = profile_.options;
  empty.fields = std::move(profile_.fields);
  profile_ = std::move(empty);
  for (std::vector<uint64_t>& values : values_) values.clear();
  Result<std::unique_ptr<Filter>> filter = Filter::New(options_);
  assert(filter.ok());
  filter_ = std::move(*filter);
}

uint64_t ProfiledOptions(const FilterOptions& options) {
  const MatchOptions& match = options.match;
  return Hash64(fmt::format("{} {} {} {} {} {} {} {} {}", FingerprintSpec(options),
                            match.distance_max, match.distance_sum_max, match.features_per_bit,
                            match.widen, match.text_keys, match.neighbours,
                            options.window.window_ms, options.window.lateness_ms));
}

StreamProfile ProfileOf(std::span<const RecordView> records, const FilterOptions& options) {
  records = records.first(std::min(records.size(), kProfiledRecords));
  StreamProfiler profiler(options, records.size());
  Fingerprinter fingerprinter(options);
  for (const RecordView& record : records) profiler.Add(record, fingerprinter.Compute(record));
  return profiler.Take();
}

}  // namespace neardup
