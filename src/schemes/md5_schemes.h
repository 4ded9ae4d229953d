// MD5, for the schemes whose method is built on it.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "schemes/scheme.h"

namespace neardup {

/// The 16 bytes of RFC 1321, each half read little-endian.
struct Md5Digest {
  uint64_t first = 0;
  uint64_t last = 0;

  bool operator==(const Md5Digest&) const = default;
};

/// Whether OpenSSL offers MD5 here: not in FIPS mode. Md5 wants it.
bool Md5IsOffered();

Md5Digest Md5(std::string_view bytes);

// The schemes that are built on MD5.

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
