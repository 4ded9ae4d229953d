// Features of texts: weighted tokens, and hashes of adjacent tokens.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace neardup {

/// A distinct token and its weight.
struct Feature {
  uint64_t hash = 0;
  uint64_t weight = 0;

  bool operator==(const Feature&) const = default;
};

/// The distinct tokens of a record and their weights. Most tokens of a record occur once and weigh
/// the same.
struct Features {
  std::span<const uint64_t> tokens;  ///< distinct, in an arbitrary order
  uint64_t weight = 0;               ///< of each of the tokens
  /// Some of the tokens again, and what they weigh in addition.
  std::span<const Feature> more;
};

/// The tokens of one text: from the `end` of the previous range up to `end`, an index.
struct TokenRange {
  size_t end = 0;
  uint32_t weight16 = 16;  ///< of the text's field, in steps of 1/16
};

/// Turns the tokens of a record into weighted features. Keeps scratch memory: one instance per
/// thread.
/// FORMAT: a token that occurs n times in all texts weighs w(n) x the mean weight16 of its
/// occurrences, rounded down, with w(n) = round(16 (1 + ln min(n, 63))). If all fields have the
/// weight 1, that is 16 w(n).
class FeatureCounter {
 public:
  /// `stamp` is where the numbers in the table of first occurrences begin, at least 1. They start
  /// anew before they reach 2^32.
  explicit FeatureCounter(uint32_t stamp = 1) : next_stamp_(stamp) {}

  /// Valid until the next call. `ranges` must cover all tokens.
  Features Count(std::span<const uint64_t> tokens, std::span<const TokenRange> ranges);
  /// The distinct hashes in an arbitrary order, valid until the next call.
  std::span<const uint64_t> Distinct(std::span<const uint64_t> hashes);

 private:
  // Most hashes have a slot of firsts_ to themselves, so that one look tells whether a hash has
  // occurred before. The others are crowded; an ordinary hash table sorts them out.
  void PrepareFirsts(size_t hash_count);
  /// Index of the first hash of the record that has this one's slot.
  size_t First(uint64_t hash) const { return firsts_[hash & first_mask_] - first_stamp_; }
  /// Fills distinct_, and lists the repeats and the crowded hashes.
  void Separate(std::span<const uint64_t> hashes);
  /// Adds the crowded hashes to distinct_. Fills crowd_places_.
  void SeparateCrowd(std::span<const uint64_t> hashes);

  /// What tokens that occur several times weigh in addition, if all texts have the same weight.
  void AddRepeats(std::span<const uint64_t> tokens, uint32_t weight16);
  /// The whole weight of each token.
  void AddWeights(std::span<const uint64_t> tokens, std::span<const TokenRange> ranges);

  /// Slots: first_stamp_ + the index of the first hash of the record that has the slot; a smaller
  /// number, left by an earlier record, if there is none. The stamps spare clearing the table. The
  /// first first_mask_ + 1 slots, a power of two, are in use.
  std::vector<uint32_t> firsts_;
  uint64_t first_mask_ = 0;
  uint64_t first_stamp_ = 1;
  uint64_t next_stamp_;
  std::vector<uint64_t> distinct_;
  size_t distinct_count_ = 0;
  std::vector<uint32_t> repeats_;  ///< for each repeat the index of the first
  size_t repeat_count_ = 0;
  std::vector<uint32_t> crowded_;  ///< indices of the crowded hashes, ascending
  size_t crowded_count_ = 0;
  std::vector<uint32_t> crowd_places_;  ///< for each crowded hash its index in distinct_
  /// Hash table of the crowded hashes with open addressing: index in distinct_ + 1; 0: free.
  std::vector<uint32_t> slots_;

  /// How often a token occurs, and the sum of its weight16: by the index of the first, then by
  /// the index in distinct_ for crowded ones.
  std::vector<uint32_t> counts_;
  std::vector<uint64_t> sums_;
  std::vector<Feature> more_;
  size_t more_count_ = 0;
};

/// Appends the hashes of all pairs of adjacent tokens of one text, of which Fingerprint::order is
/// made. FORMAT: a pair a, b is Mix64(Mix64(a) + b); a text of one token gives Mix64(Mix64(a)).
void AppendPairs(std::span<const uint64_t> tokens, std::vector<uint64_t>& pairs);

/// Appends the hashes of all triples of adjacent tokens of one text, of which the text keys are
/// made. `pairs`: what AppendPairs appends for the text. FORMAT: a triple a, b, c is
/// Mix64(Mix64(Mix64(a) + b) + c), where Mix64(Mix64(a) + b) is the pair a, b; a text of one or two
/// tokens gives Mix64 of the hash of its pair.
void AppendTriples(std::span<const uint64_t> tokens, std::span<const uint64_t> pairs,
                   std::vector<uint64_t>& triples);

}  // namespace neardup
