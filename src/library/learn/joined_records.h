// How much joined records share: whether a person would call them copies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace neardup {

/// Phrases of a record (hashes of three adjacent tokens): those below `limit`, distinct, ascending.
struct Phrases {
  std::vector<uint64_t> hashes;
  uint64_t limit = UINT64_MAX;
};

/// Of more than `most` phrases, the smallest ones are kept: they are a random sample, and the same
/// one in each record (bottom-k sketch, Broder 1997).
Phrases PhrasesOf(std::span<const uint64_t> triples, size_t most = SIZE_MAX);

/// The part of the phrases of the shorter record that the other record has, too, 0 to 1. It is 0 if
/// one of them has no phrases.
double SharedPhrases(const Phrases& a, const Phrases& b);

/// Counts over records that were joined by likeness.
struct JoinedRecords {
  /// Copies share more of their phrases than this, even with a fifth of their words replaced.
  static constexpr double kLikeShare = 0.3;
  /// A person calls records copies if they share as much.
  static constexpr double kCopyShare = 0.6;

  uint64_t near = 0;
  uint64_t unlike = 0;    ///< they share less than kLikeShare
  uint64_t doubtful = 0;  ///< they share less than kCopyShare

  void Add(double shared);
  /// The number of unlike or doubtful records, divided by the number that is allowed: 1 % or 15 %
  /// of `near`, and what may be chance in one sample. Above 1 the settings join what is no copy.
  double Excess() const;

  bool operator==(const JoinedRecords&) const = default;
};

}  // namespace neardup
