// What an index is measured with: records made of their number alone, so that none has to be kept.
#pragma once

#include <cstdint>
#include <vector>

#include "neardup/fingerprint.h"

namespace neardup {

/// Four in five records are new, one is a copy of one of the newest `window` ones: half of the
/// copies with one to three bits flipped, half with five to eight, and most of the text keys. A
/// record has eight keys, of which one in eight comes from a stock of 100,000 that all share, where
/// a few are very frequent (Zipf).
class IndexWorkload {
 public:
  enum class Kind {
    kUniform,    ///< all simhashes are equally likely
    kClustered,  ///< around one of 2,000 centres, a few of them very frequent: a quarter flipped
    kFamily,     ///< around a single one, and six of eight keys come from a stock of twenty
  };
  /// Distinct tokens of each record.
  static constexpr uint32_t kFeatures = 100;

  IndexWorkload(Kind kind, uint64_t window, uint64_t seed);

  struct Record {
    Fingerprint fingerprint;
    ProbedKeys text_keys;
    bool near_copy = false;  ///< within three bits of an earlier one
  };
  /// The next `count` records of the stream. With `copies` false all are new.
  const std::vector<Record>& Next(size_t count, bool copies = true);
  /// The next of a stream that is only looked up: the new ones are in no index.
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
