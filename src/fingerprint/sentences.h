// The sentences of a record.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fingerprint/scheme.h"

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

}  // namespace neardup
