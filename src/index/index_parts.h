// What an index is made of: written by Index, read by its searches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "index/block_table.h"
#include "index/cover.h"
#include "index/entry_store.h"
#include "index/key_table.h"
#include "neardup/fingerprint.h"
#include "neardup/options.h"

namespace neardup {

struct IndexParts {
  MatchOptions match;
  Cover cover;
  EntryStore entries;
  std::vector<BlockTable> tables;     ///< of the cover
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
