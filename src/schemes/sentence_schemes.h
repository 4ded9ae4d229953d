// The sentences of a record.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "schemes/scheme.h"

namespace neardup {

struct Sentence {
  /// FORMAT: Hash64 of its tokens, each followed by a space (feature/token_list.h), so that case,
  /// width, spaces and punctuation do not matter.
  uint64_t hash = 0;
  size_t tokens = 0;
  /// Running number over the record; a text begins a new one.
  size_t paragraph = 0;

  bool operator==(const Sentence&) const = default;
};

/// FORMAT: markup is taken out. A sentence ends behind one of .!?;… at the end of a word, behind
/// their ideographic and full-width forms anywhere, and at the end of a line, which ends the
/// paragraph too. Those without a token are left out.
std::vector<Sentence> FindSentences(std::span<const SchemeText> texts);

// The schemes that compare sentences and what stands around punctuation.

/// Segment fingerprint: one hash for each of the n sentences of a record; duplicates have m of them
/// equal, m = equal_share_min x n of the record with more sentences.
/// FORMAT: words are the distinct Sentence::hash, ascending; keys as TakePrefixKeys.
std::unique_ptr<Scheme> NewSegments(double equal_share_min);

/// Text structure: like the segments, but only of the first and the last sentence of each
/// paragraph.
std::unique_ptr<Scheme> NewStructure(double equal_share_min);

/// Feature code: what stands around each punctuation mark, up to `characters` letters and digits on
/// either side. Duplicates have equal_share_min of the larger set of codes equal.
/// FORMAT: words are the distinct Hash64 of these characters in UTF-8, folded and without markup
/// (feature/character.h), ascending; the marks are .,;:!?、。 after folding; a mark with nothing
/// before it in its text has no code; a text without any gives one code, all of its letters and
/// digits, unless it has none. Keys as TakePrefixKeys.
std::unique_ptr<Scheme> NewFeatureCode(size_t characters, double equal_share_min);

}  // namespace neardup
