// What the index is compared with: the same look-ups and the same answers by plainer means.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "bench/index_workload.h"
#include "neardup/options.h"

namespace neardup {

struct PeerPosting {
  uint64_t simhash = 0;
  uint32_t id = 0;
};

/// All keys, blocks and text keys, in one hash table of the standard library that leads to vectors.
/// A text key leads to eight entries at most, and goes when the last of them expires; what is dead
/// in the vectors of the blocks goes when these would grow.
class NaiveIndex {
 public:
  NaiveIndex(const MatchOptions& match, uint64_t entries_max)
      : match_(match), entries_max_(entries_max) {}

  /// True if the record is near an earlier one.
  bool Find(const IndexWorkload::Record& record);
  void Insert(const IndexWorkload::Record& record);

 private:
  struct Entry {
    Fingerprint fingerprint;
    std::array<uint64_t, 3> text_keys{};
    size_t text_key_count = 0;
  };

  bool IsLive(uint32_t id) const { return static_cast<uint32_t>(end_id_) - id <= entries_max_; }
  void AddToBlock(uint64_t key, const PeerPosting& posting);
  void ExpireOldest();

  MatchOptions match_;
  uint64_t entries_max_;
  std::unordered_map<uint64_t, std::vector<PeerPosting>> postings_;
  std::vector<Entry> entries_;  ///< a ring
  uint64_t end_id_ = 0;
  std::unordered_map<uint32_t, int> shared_;  ///< of one look-up
};

/// For each of the four blocks 65,536 buckets of full simhashes, which are all compared. No text
/// keys.
class FlatIndex {
 public:
  FlatIndex(const MatchOptions& match, uint64_t entries_max)
      : match_(match), entries_max_(entries_max), buckets_(size_t{4} << 16) {}

  bool Find(const IndexWorkload::Record& record);
  void Insert(const IndexWorkload::Record& record);

 private:
  struct Bucket {
    std::vector<uint64_t> simhashes;
    std::vector<uint32_t> ids;
  };

  MatchOptions match_;
  uint64_t entries_max_;
  std::vector<Bucket> buckets_;
  std::vector<Fingerprint> entries_;  ///< a ring
  uint64_t end_id_ = 0;
};

}  // namespace neardup
