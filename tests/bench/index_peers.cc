#include "bench/index_peers.h"

#include <algorithm>
#include <bit>

#include "detect/index/match.h"

namespace neardup {
namespace {

constexpr size_t kTextKeysMax = 8;
constexpr size_t kStoredMax = 3;

uint64_t BlockKey(uint64_t simhash, size_t table) {
  return table << 32 | (simhash >> (16 * table) & 0xFFFF);
}
uint64_t TextKey(uint32_t key) { return uint64_t{4} << 32 | key; }

bool Near(const MatchOptions& match, const Fingerprint& a, const Fingerprint& b, int shared) {
  return Accepts(match, NearnessOf(a, b, shared, IndexWorkload::kFeatures));
}

}  // namespace

bool NaiveIndex::Find(const IndexWorkload::Record& record) {
  const Fingerprint& sought = record.fingerprint;
  const int distance_max = match_.distance_max;
  bool found = false;
  shared_.clear();
  if (match_.text_keys) {
    for (const uint32_t key : record.text_keys.keys()) {
      const auto place = postings_.find(TextKey(key));
      if (place == postings_.end()) continue;
      for (const PeerPosting& posting : place->second) ++shared_[posting.id];
    }
    for (const auto& [id, shared] : shared_) {
      found |= Near(match_, entries_[id % entries_max_].fingerprint, sought, shared);
    }
  }
  for (size_t table = 0; table < 4; ++table) {
    const auto place = postings_.find(BlockKey(sought.simhash, table));
    if (place == postings_.end()) continue;
    for (const PeerPosting& posting : place->second) {
      if (std::popcount(posting.simhash ^ sought.simhash) > distance_max) continue;
      if (!IsLive(posting.id)) continue;
      found |= Near(match_, entries_[posting.id % entries_max_].fingerprint, sought, 0);
    }
  }
  return found;
}

void NaiveIndex::Insert(const IndexWorkload::Record& record) {
  if (end_id_ >= entries_max_) ExpireOldest();
  if (entries_.size() < entries_max_) entries_.emplace_back();
  Entry& entry = entries_[end_id_ % entries_max_];
  entry = {record.fingerprint, {}, 0};
  const PeerPosting posting{record.fingerprint.simhash, static_cast<uint32_t>(end_id_)};
  for (size_t table = 0; table < 4; ++table) {
    AddToBlock(BlockKey(posting.simhash, table), posting);
  }
  if (match_.text_keys) {
    for (const uint32_t key : record.text_keys.keys()) {
      if (entry.text_key_count == kStoredMax) break;
      std::vector<PeerPosting>& postings = postings_[TextKey(key)];
      if (postings.size() == kTextKeysMax) continue;
      postings.push_back(posting);
      entry.text_keys[entry.text_key_count++] = TextKey(key);
    }
  }
  ++end_id_;
}

void NaiveIndex::AddToBlock(uint64_t key, const PeerPosting& posting) {
  std::vector<PeerPosting>& postings = postings_[key];
  if (postings.size() == postings.capacity()) {
    const auto live = std::find_if(postings.begin(), postings.end(),
                                   [this](const PeerPosting& old) { return IsLive(old.id); });
    postings.erase(postings.begin(), live);
  }
  postings.push_back(posting);
}

void NaiveIndex::ExpireOldest() {
  const Entry& oldest = entries_[end_id_ % entries_max_];
  for (size_t i = 0; i < oldest.text_key_count; ++i) {
    const auto place = postings_.find(oldest.text_keys[i]);
    place->second.erase(place->second.begin());  // it is the oldest of its key, too
    if (place->second.empty()) postings_.erase(place);
  }
}

bool FlatIndex::Find(const IndexWorkload::Record& record) {
  const Fingerprint& sought = record.fingerprint;
  bool found = false;
  for (size_t table = 0; table < 4; ++table) {
    const Bucket& bucket = buckets_[table << 16 | (sought.simhash >> (16 * table) & 0xFFFF)];
    for (size_t i = 0; i < bucket.simhashes.size(); ++i) {
      if (std::popcount(bucket.simhashes[i] ^ sought.simhash) > match_.distance_max) continue;
      if (end_id_ - bucket.ids[i] > entries_max_) continue;
      found |= Near(match_, entries_[bucket.ids[i] % entries_max_], sought, 0);
    }
  }
  return found;
}

void FlatIndex::Insert(const IndexWorkload::Record& record) {
  if (entries_.size() < entries_max_) entries_.emplace_back();
  entries_[end_id_ % entries_max_] = record.fingerprint;
  for (size_t table = 0; table < 4; ++table) {
    const uint64_t simhash = record.fingerprint.simhash;
    Bucket& bucket = buckets_[table << 16 | (simhash >> (16 * table) & 0xFFFF)];
    if (bucket.ids.size() == bucket.ids.capacity()) {  // remove expired postings before it grows
      const auto dead = std::find_if(bucket.ids.begin(), bucket.ids.end(),
                                     [&](uint32_t id) { return end_id_ - id <= entries_max_; }) -
                        bucket.ids.begin();
      bucket.ids.erase(bucket.ids.begin(), bucket.ids.begin() + dead);
      bucket.simhashes.erase(bucket.simhashes.begin(), bucket.simhashes.begin() + dead);
    }
    bucket.simhashes.push_back(simhash);
    bucket.ids.push_back(static_cast<uint32_t>(end_id_));
  }
  ++end_id_;
}

}  // namespace neardup
