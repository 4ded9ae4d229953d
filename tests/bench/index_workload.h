// The records that an index is measured with. Each is computed from its number, so that none has to
// be kept.
#pragma once

#include <cstdint>
#include <vector>

#include "neardup/fingerprint.h"

namespace neardup {

/// Of five records four are new and one is a copy of one of the newest `window` records. Half of
/// the copies have one to three bits flipped and half five to eight; a copy keeps most text keys. A
/// record has eight text keys. One key in eight comes from a stock of 100,000 that all records
/// share, of which a few are very frequent (Zipf).
class IndexWorkload {
 public:
  enum class Kind {
    kUniform,  ///< all SimHashes are equally likely
    /// The SimHash is one of 2,000 centres with a quarter of the bits flipped; a few centres are
    /// very frequent.
    kClustered,
    kFamily,  ///< like kClustered with one centre; six of eight text keys come from a stock of 20
  };
  /// Number of distinct tokens of each record.
  static constexpr uint32_t kFeatures = 100;

  IndexWorkload(Kind kind, uint64_t window, uint64_t seed);

  struct Record {
    Fingerprint fingerprint;
    ProbedKeys text_keys;
    bool near_copy = false;  ///< within three bits of an earlier record
  };
  /// The next `count` records of the stream; all are new unless `copies`. Valid until the next
  /// call.
  const std::vector<Record>& Next(size_t count, bool copies = true);
  /// The next `count` records of a stream that is only looked up: its new records are in no index.
  /// Valid until the next call.
  const std::vector<Record>& NextSought(size_t count);

 private:
  Record New(uint64_t number) const;
  Record Copy(uint64_t number, uint64_t seed) const;
  uint32_t KeyOf(uint64_t dice, uint64_t shared_dice) const;

  Kind kind_;
  uint64_t window_;
  uint64_t seed_;
  std::vector<uint64_t> centres_;
  uint64_t next_ = 0;
  uint64_t sought_ = 0;
  std::vector<Record> records_;
};

}  // namespace neardup
