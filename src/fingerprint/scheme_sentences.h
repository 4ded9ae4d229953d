// The schemes that compare sentences and what stands around punctuation.
#pragma once

#include <cstddef>
#include <memory>

#include "fingerprint/scheme.h"

namespace neardup {

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
