// The schemes that are built on MD5.
#pragma once

#include <cstdint>
#include <memory>

#include "fingerprint/scheme.h"

namespace neardup {

/// Equal or not: one MD5 of all fields as they are, the baseline of every study of duplicates.
/// FORMAT: words {first, last}, the halves of the MD5 of all raw texts by ascending field, each
/// followed by a byte 0; key {first}.
std::unique_ptr<Scheme> NewMd5();

struct MultiMd5Options {
  /// Two records are candidates when of the first so many fields that each of them has...
  uint32_t first_fields = 0;
  /// ... so many are equal, 1 or more.
  uint32_t first_equal = 0;
  /// Duplicates have at least this share of the fields that stand in either equal.
  double equal_share_min = 0;
};

/// Multi-MD5: one fingerprint for each field, in order of the fields' priority. The distance is the
/// number of fields that differ.
/// FORMAT: word i is the first half of the MD5 of the raw texts of field i, each followed by a byte
/// 0; 0 when these are empty; no zeros stand at the end. A key is Mix64(word + field), for each of
/// the first fields that are there.
std::unique_ptr<Scheme> NewMultiMd5(const MultiMd5Options& options);

/// NewMd5 and NewMultiMd5 in sequence, so that exact copies of records with few fields are found
/// too. FORMAT: words of the one, then of the other; the keys of both.
std::unique_ptr<Scheme> NewMd5ThenMulti(const MultiMd5Options& options);

}  // namespace neardup
