#include "learn/stream_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <utility>

#include "detect/base/hash.h"
#include "detect/index/processor.h"
#include "neardup/filter.h"

namespace neardup {
namespace {

template <size_t kSize>
uint64_t& Bin(std::array<uint64_t, kSize>& bins, size_t index) {
  return bins[std::min(index, kSize - 1)];
}

}  // namespace

StreamProfiler::StreamProfiler(const FilterOptions& options, size_t records_max)
    : match_(options.match),
      window_ms_(options.window.window_ms),
      records_max_(records_max),
      extractor_(options.record),
      reader_(options) {
  profile_.options = ProfiledOptions(options);
  const std::vector<FieldSelector>& fields = options.record.fields;
  for (size_t i = 0; i < std::min(fields.size(), StreamProfile::kFieldsMax); ++i) {
    profile_.fields.push_back({fields[i].path});
  }
  if (fields.empty()) profile_.fields.emplace_back();
  value_.resize(profile_.fields.size());
  values_.resize(profile_.fields.size());
}

void StreamProfiler::Add(const RecordView& record, const FingerprintedRecord& fingerprinted) {
  assert(!complete());
  if (record.value && record.value->size() > kProfiledBytesMax) return;
  ++profile_.records;
  if (fingerprinted.outcome.passed) return;
  CountVerdict(record, fingerprinted);
  if (fingerprinted.outcome.comparable()) CountFields(record);
}

Phrases StreamProfiler::PhrasesIn(const RecordView& record) {
  constexpr size_t kPhrasesMax = 256;
  reader_.Read(record);
  return PhrasesOf(reader_.Count().triples, kPhrasesMax);
}

void StreamProfiler::CountVerdict(const RecordView& record,
                                  const FingerprintedRecord& fingerprinted) {
  if (!fingerprinted.outcome.comparable()) {
    ++profile_.dead_letters;
    return;
  }
  const std::optional<EntryMatch> match = Find(fingerprinted);
  if (!match) {
    CountUnique(record, fingerprinted);
  } else if (match->kind == MatchKind::kExact) {
    ++profile_.exact_duplicates;
  } else {
    ++profile_.near_duplicates;
    ++Bin(profile_.distances, static_cast<size_t>(match->distance));
    profile_.joined.Add(SharedPhrases(originals_[match->id].phrases, PhrasesIn(record)));
  }
}

std::optional<EntryMatch> StreamProfiler::Find(const FingerprintedRecord& record) const {
  const int distance_max = DistanceMax(match_);
  const Fingerprint& sought = record.fingerprint;
  std::optional<EntryMatch> best;
  for (size_t id = 0; id < originals_.size(); ++id) {
    const int distance = BitCount(simhashes_[id] ^ sought.simhash);
    if (distance > distance_max) continue;  // as it is for most originals
    const Original& original = originals_[id];
    if (!WithinWindow(original.time_ms, record.outcome.time_ms, window_ms_)) continue;
    EntryMatch match{id, distance, BitCount(original.fingerprint.order ^ sought.order),
                     MatchKind::kExact};
    if (original.fingerprint.exact != sought.exact) {
      match.kind = MatchKind::kNear;
      const int shared = SharedKeys(original.text_keys.keys(), record.text_keys.keys());
      if (!Accepts(match_, NearnessOf(sought, original.fingerprint, shared, record.features))) {
        continue;
      }
    }
    if (!best || Better(match, *best)) best = match;
  }
  return best;
}

void StreamProfiler::CountUnique(const RecordView& record,
                                 const FingerprintedRecord& fingerprinted) {
  ++profile_.unique;
  const Fingerprint& fingerprint = fingerprinted.fingerprint;
  const bool too_few_tokens = fingerprint.simhash == fingerprint.exact;
  const bool sketched = !too_few_tokens && match_.distance_max > 0;
  Original original{fingerprint, {}, fingerprinted.outcome.time_ms, {}};
  for (const uint32_t key : fingerprinted.text_keys.keys()) {
    if (!original.text_keys.full()) original.text_keys.Add(key);
  }
  if (sketched) original.phrases = PhrasesIn(record);
  originals_.push_back(std::move(original));
  simhashes_.push_back(fingerprint.simhash);
  if (!sketched) return;
  ++profile_.sketched;
  for (size_t bit = 0; bit < profile_.ones.size(); ++bit) {
    profile_.ones[bit] += fingerprint.simhash >> bit & 1;
  }
}

void StreamProfiler::CountFields(const RecordView& record) {
  std::ranges::fill(value_, 0);
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
    std::ranges::sort(values);
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
  originals_.clear();
  simhashes_.clear();
}

uint64_t ProfiledOptions(const FilterOptions& options) {
  const MatchOptions& match = options.match;
  return Hash64(fmt::format("{} {} {} {} {} {} {} {} {} {}", FingerprintSpec(options),
                            match.distance_max, match.distance_sum_max, match.features_per_bit,
                            match.widen, match.text_keys, match.neighbours, match.numbers,
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
