// Plainer indexes to compare with: the same look-ups and the same answers by simpler means.
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

/// Keeps all keys (blocks and text keys) in one std::unordered_map to vectors of postings. A text
/// key has eight postings at most and is removed when the last of them expires. Expired postings of
/// blocks are removed when their vector would grow.
class NaiveIndex {
 public:
  NaiveIndex(const MatchOptions& match, uint64_t entries_max)
      : match_(match), entries_max_(entries_max) {}

  /// Returns whether an earlier record is near.
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
  std::vector<Entry> entries_;  ///< a ring buffer
  uint64_t end_id_ = 0;
  std::unordered_map<uint32_t, int> shared_;  ///< text keys shared with an entry, in one look-up
};

/// Keeps 65,536 buckets of whole SimHashes for each of the four blocks, and compares all of a
/// bucket. Has no text keys.
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
  std::vector<Fingerprint> entries_;  ///< a ring buffer
  uint64_t end_id_ = 0;
};

}  // namespace neardup
