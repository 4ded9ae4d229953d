#include "detect/feature/text_features.h"

#include <algorithm>
#include <bit>
#include <iterator>

#include "detect/base/hash.h"
#include "detect/base/simd.h"

#define NEARDUP_LOOPS "detect/feature/text_features.inc"
#include "detect/base/each_level.inc"

namespace neardup {
namespace {

/// w(n) of FeatureCounter for n = 0 to 63. A table, because logarithms of different C libraries
/// differ in the last bit.
constexpr uint8_t kCountWeights[] = {
    0,  16, 27, 34, 38, 42, 45, 47, 49, 51, 53, 54, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65,
    65, 66, 67, 68, 68, 69, 69, 70, 70, 71, 71, 72, 72, 73, 73, 74, 74, 75, 75, 75, 76, 76,
    77, 77, 77, 78, 78, 78, 79, 79, 79, 80, 80, 80, 80, 81, 81, 81, 82, 82, 82, 82};
static_assert(std::size(kCountWeights) == 64);

uint64_t CountWeight(uint32_t count) {
  return kCountWeights[std::min<size_t>(count, std::size(kCountWeights) - 1)];
}

uint64_t Pair(uint64_t a, uint64_t b) { return Mix64(Mix64(a) + b); }

/// Numbers of tokens from which on a record counts as a longer one.
constexpr size_t kShort = size_t{1} << 10;
constexpr size_t kLong = size_t{1} << 16;

/// Makes room for `count` elements; those that are there remain.
template <class T>
void MakeRoom(std::vector<T>& elements, size_t count) {
  if (elements.size() < count) elements.resize(std::max(count, 2 * elements.size()));
}

}  // namespace

Features FeatureCounter::Count(std::span<const uint64_t> tokens,
                               std::span<const TokenRange> ranges) {
  Separate(tokens);
  const uint32_t weight16 = ranges.empty() ? 0 : ranges.front().weight16;
  const bool one_weight = std::all_of(ranges.begin(), ranges.end(),
                                      [=](const TokenRange& r) { return r.weight16 == weight16; });
  if (one_weight) {
    AddRepeats(tokens, weight16);
  } else {
    AddWeights(tokens, ranges);
  }
  const uint64_t weight = one_weight ? CountWeight(1) * weight16 : 0;
  return {std::span(distinct_).first(distinct_count_), weight, std::span(more_).first(more_count_)};
}

std::span<const uint64_t> FeatureCounter::Distinct(std::span<const uint64_t> hashes) {
  Separate(hashes);
  return std::span(distinct_).first(distinct_count_);
}

void FeatureCounter::Separate(std::span<const uint64_t> hashes) {
  PrepareFirsts(hashes.size());
  MakeRoom(distinct_, hashes.size() + 1);
  MakeRoom(repeats_, hashes.size() + 1);
  MakeRoom(crowded_, hashes.size() + 1);
  // In local variables, because the compiler cannot know that the loops leave the members alone.
  uint32_t* const slots = firsts_.data();
  uint64_t* const distinct = distinct_.data();
  uint32_t* const later = crowded_.data();
  const uint64_t mask = first_mask_;
  const auto stamp = static_cast<uint32_t>(first_stamp_);
  size_t distinct_count = 0;
  size_t later_count = 0;  // those that are not the first with their slot
  for (uint32_t i = 0; i < hashes.size(); ++i) {
    const uint64_t hash = hashes[i];
    const uint32_t found = slots[hash & mask];
    const bool first = found < stamp;
    slots[hash & mask] = first ? stamp + i : found;
    distinct[distinct_count] = hash;
    distinct_count += first;
    later[later_count] = i;
    later_count += !first;
  }
  distinct_count_ = distinct_count;

  uint32_t* const repeats = repeats_.data();
  size_t repeat_count = 0;
  size_t crowded_count = 0;
  for (size_t k = 0; k < later_count; ++k) {
    const uint32_t i = later[k];
    const uint32_t first = slots[hashes[i] & mask] - stamp;
    const bool crowded = hashes[first] != hashes[i];
    repeats[repeat_count] = first;
    repeat_count += !crowded;
    later[crowded_count] = i;
    crowded_count += crowded;
  }
  repeat_count_ = repeat_count;
  crowded_count_ = crowded_count;
  if (crowded_count_ > 0) SeparateCrowd(hashes);
}

void FeatureCounter::PrepareFirsts(size_t hash_count) {
  // The more slots, the fewer crowded hashes; the fewer slots, the more of them are in the cache.
  const size_t slots_each = hash_count < kShort ? 8 : hash_count < kLong ? 4 : 1;
  const size_t slot_count = std::bit_ceil(slots_each * hash_count + 1);
  first_mask_ = slot_count - 1;
  first_stamp_ = next_stamp_;
  MakeRoom(firsts_, slot_count);
  if (first_stamp_ + hash_count > UINT32_MAX) {
    std::fill(firsts_.begin(), firsts_.end(), 0);
    first_stamp_ = 1;
  }
  next_stamp_ = first_stamp_ + hash_count;
}

void FeatureCounter::SeparateCrowd(std::span<const uint64_t> hashes) {
  const size_t slot_count = std::bit_ceil(2 * crowded_count_ + 1);
  MakeRoom(slots_, slot_count);
  std::fill_n(slots_.begin(), slot_count, 0);
  MakeRoom(crowd_places_, crowded_count_);
  for (size_t i = 0; i < crowded_count_; ++i) {
    const uint64_t hash = hashes[crowded_[i]];
    // Not the lowest bits, because the lowest bits of crowded hashes are alike.
    uint64_t slot = (hash >> 32) & (slot_count - 1);
    while (slots_[slot] != 0 && distinct_[slots_[slot] - 1] != hash) {
      slot = (slot + 1) & (slot_count - 1);
    }
    if (slots_[slot] == 0) {
      distinct_[distinct_count_++] = hash;
      slots_[slot] = static_cast<uint32_t>(distinct_count_);
    }
    crowd_places_[i] = slots_[slot] - 1;
  }
}

void FeatureCounter::AddRepeats(std::span<const uint64_t> tokens, uint32_t weight16) {
  MakeRoom(counts_, tokens.size());
  MakeRoom(more_, repeat_count_ + crowded_count_);
  Feature* more = more_.data();
  const auto add = [&](uint64_t token, uint32_t count) {
    *more++ = {token, (CountWeight(count) - CountWeight(1)) * weight16};
  };
  // From here on repeats_ holds each index once.
  uint32_t* const counts = counts_.data();
  const auto repeats = std::span(repeats_).first(repeat_count_);
  for (const uint32_t first : repeats) counts[first] = 1;
  size_t kept = 0;
  for (const uint32_t first : repeats) {
    repeats[kept] = first;
    kept += counts[first]++ == 1;
  }
  for (const uint32_t first : repeats.first(kept)) add(tokens[first], counts[first]);

  const auto places = std::span(crowd_places_).first(crowded_count_);
  for (const uint32_t place : places) counts[place] = 0;
  for (const uint32_t place : places) ++counts[place];
  for (const uint32_t place : places) {
    if (counts[place] > 1) add(distinct_[place], counts[place]);
    counts[place] = 0;
  }
  more_count_ = static_cast<size_t>(more - more_.data());
}

void FeatureCounter::AddWeights(std::span<const uint64_t> tokens,
                                std::span<const TokenRange> ranges) {
  MakeRoom(counts_, 2 * tokens.size());
  MakeRoom(sums_, 2 * tokens.size());
  std::fill_n(counts_.begin(), 2 * tokens.size(), 0);
  std::fill_n(sums_.begin(), 2 * tokens.size(), 0);
  MakeRoom(more_, tokens.size());
  more_count_ = 0;
  size_t at = 0;
  size_t crowded = 0;
  for (const TokenRange& range : ranges) {
    for (; at < range.end; ++at) {
      size_t place = First(tokens[at]);
      if (crowded < crowded_count_ && crowded_[crowded] == at) {
        place = tokens.size() + crowd_places_[crowded++];
      }
      ++counts_[place];
      sums_[place] += range.weight16;
    }
  }
  for (size_t place = 0; place < 2 * tokens.size(); ++place) {
    const uint32_t count = counts_[place];
    if (count == 0) continue;
    const uint64_t token = place < tokens.size() ? tokens[place] : distinct_[place - tokens.size()];
    more_[more_count_++] = {token, CountWeight(count) * sums_[place] / count};
  }
}

void AppendPairs(std::span<const uint64_t> tokens, std::vector<uint64_t>& pairs) {
  if (tokens.empty()) return;
  const size_t begin = pairs.size();
  pairs.resize(begin + std::max<size_t>(tokens.size() - 1, 1));
  if (tokens.size() == 1) {
    pairs[begin] = Pair(tokens[0], 0);
    return;
  }
  size_t done = 0;
#if NEARDUP_WIDE
  if (UsesAvx512()) {
    done = avx512::Pairs(tokens, pairs.data() + begin);
  } else if (UsesAvx2()) {
    done = avx2::Pairs(tokens, pairs.data() + begin);
  }
#endif
  for (size_t i = done; i + 1 < tokens.size(); ++i) {
    pairs[begin + i] = Pair(tokens[i], tokens[i + 1]);
  }
}

void AppendTriples(std::span<const uint64_t> tokens, std::span<const uint64_t> pairs,
                   std::vector<uint64_t>& triples) {
  if (tokens.empty()) return;
  if (tokens.size() <= 2) {
    triples.push_back(Mix64(pairs[0]));
    return;
  }
  const size_t begin = triples.size();
  triples.resize(begin + tokens.size() - 2);
  size_t done = 0;
#if NEARDUP_WIDE
  if (UsesAvx512()) {
    done = avx512::Triples(tokens, pairs, triples.data() + begin);
  } else if (UsesAvx2()) {
    done = avx2::Triples(tokens, pairs, triples.data() + begin);
  }
#endif
  for (size_t i = done; i + 2 < tokens.size(); ++i) {
    triples[begin + i] = Mix64(pairs[i] + tokens[i + 2]);
  }
}

}  // namespace neardup
