// What an index is made of: written by Index, read by its searches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "index/block_table.h"
#include "index/entry_store.h"
#include "index/key_table.h"
#include "neardup/fingerprint.h"
#include "neardup/options.h"

namespace neardup {

inline constexpr size_t kBlocks = 4;
inline constexpr int kBlockBits = 16;

constexpr uint16_t BlockOf(uint64_t simhash, size_t table) {
  return static_cast<uint16_t>(simhash >> (table * static_cast<size_t>(kBlockBits)));
}
/// The other block of the same half.
constexpr uint16_t PartnerOf(uint64_t simhash, size_t table) { return BlockOf(simhash, table ^ 1); }

constexpr bool ExactOnly(const MatchOptions& match) { return match.distance_max == 0; }

struct IndexParts {
  MatchOptions match;
  EntryStore entries;
  std::vector<BlockTable> tables;     ///< one only where nothing but equal records match
  std::optional<KeyTable> text_keys;  ///< where they are used

  LiveIds live() const {
    return {static_cast<uint32_t>(entries.begin_id()), static_cast<uint32_t>(entries.size())};
  }
  uint64_t FullId(uint32_t id) const {
    return entries.begin_id() + (id - static_cast<uint32_t>(entries.begin_id()));
  }
  /// Where only equal records match, `exact` in all its bits is kept in the place of the order
  /// sketch, which nothing asks for then.
  Fingerprint Kept(const Fingerprint& fingerprint) const {
    if (!ExactOnly(match)) return fingerprint;
    return {fingerprint.simhash, fingerprint.exact, fingerprint.exact};
  }
};

}  // namespace neardup
