#include "bench/index_workload.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "detect/base/hash.h"

namespace neardup {
namespace {

constexpr uint64_t kCentres = 2000;
constexpr uint64_t kSharedKeys = 100'000;
constexpr uint64_t kFamilyKeys = 20;
constexpr uint64_t kSoughtNumbers = uint64_t{1} << 40;

/// A sequence of random numbers; each record has its own (SplitMix64).
class Dice {
 public:
  explicit Dice(uint64_t seed) : state_(seed) {}
  uint64_t Next() { return Mix64(state_ += 0x9e3779b97f4a7c15); }

 private:
  uint64_t state_;
};

/// A rank from 0 to n - 1; the probability of rank r is about proportional to 1 / (r + 1).
uint64_t Zipf(uint64_t dice, uint64_t n) {
  const double share = static_cast<double>(dice >> 11) * 0x1p-53;
  const auto rank = static_cast<uint64_t>(std::pow(static_cast<double>(n), share)) - 1;
  return std::min(rank, n - 1);
}

uint64_t Flipped(uint64_t code, uint64_t flips, Dice& dice) {
  uint64_t mask = 0;
  while (static_cast<uint64_t>(std::popcount(mask)) < flips) {
    mask |= uint64_t{1} << dice.Next() % 64;
  }
  return code ^ mask;
}

}  // namespace

IndexWorkload::IndexWorkload(Kind kind, uint64_t window, uint64_t seed)
    : kind_(kind), window_(window), seed_(Mix64(seed)) {
  Dice dice(seed_);
  for (uint64_t i = 0; i < kCentres; ++i) centres_.push_back(dice.Next());
}

IndexWorkload::Record IndexWorkload::New(uint64_t number) const {
  Dice dice(seed_ ^ Mix64(number + 1));
  Record record;
  record.fingerprint = {dice.Next(), dice.Next(), dice.Next(), dice.Next() & dice.Next()};
  if (kind_ != Kind::kUniform) {
    const uint64_t rank = kind_ == Kind::kFamily ? 0 : Zipf(dice.Next(), kCentres);
    const uint64_t centre = centres_[rank];
    record.fingerprint.simhash = centre ^ (record.fingerprint.simhash & dice.Next());
  }
  while (!record.text_keys.full()) {
    const uint64_t own = dice.Next();
    const uint32_t key = KeyOf(own, dice.Next());
    const auto keys = record.text_keys.keys();
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) record.text_keys.Add(key);
  }
  return record;
}

uint32_t IndexWorkload::KeyOf(uint64_t dice, uint64_t shared_dice) const {
  uint64_t wide = dice;
  if (kind_ == Kind::kFamily) {
    if (dice % 4 != 0) wide = Mix64(shared_dice % kFamilyKeys + 11);
  } else if (dice % 8 == 0) {
    wide = Mix64(Zipf(shared_dice, kSharedKeys) + 7);
  }
  return static_cast<uint32_t>(wide >> 32) | 1;
}

IndexWorkload::Record IndexWorkload::Copy(uint64_t number, uint64_t seed) const {
  Dice dice(seed);
  const Record original = New(number);
  Record record;
  record.near_copy = dice.Next() % 2 == 0;
  const uint64_t flips = record.near_copy ? 1 + dice.Next() % 3 : 5 + dice.Next() % 4;
  record.fingerprint = original.fingerprint;
  record.fingerprint.simhash = Flipped(original.fingerprint.simhash, flips, dice);
  record.fingerprint.order = Flipped(original.fingerprint.order, dice.Next() % 8, dice);
  record.fingerprint.exact = dice.Next();
  for (const uint32_t key : original.text_keys.keys()) {
    const bool kept = dice.Next() % 4 != 0;
    record.text_keys.Add(kept ? key : static_cast<uint32_t>(dice.Next() >> 32) | 1);
  }
  return record;
}

const std::vector<IndexWorkload::Record>& IndexWorkload::Next(size_t count, bool copies) {
  records_.clear();
  for (size_t i = 0; i < count; ++i) {
    const uint64_t dice = Mix64(seed_ + ++sought_);
    if (!copies || next_ == 0 || dice % 5 != 0) {
      records_.push_back(New(next_++));
    } else {
      const uint64_t back = Mix64(dice) % std::min(next_, window_);
      records_.push_back(Copy(next_ - 1 - back, dice));
    }
  }
  return records_;
}

const std::vector<IndexWorkload::Record>& IndexWorkload::NextSought(size_t count) {
  records_.clear();
  for (size_t i = 0; i < count; ++i) {
    const uint64_t dice = Mix64(seed_ + ++sought_);
    const uint64_t back = Mix64(dice) % std::min(std::max<uint64_t>(next_, 1), window_);
    records_.push_back(dice % 5 != 0 ? New(kSoughtNumbers + sought_)
                                     : Copy(next_ - 1 - back, dice));
  }
  return records_;
}

}  // namespace neardup
