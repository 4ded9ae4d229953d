// The sentences of a record.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "commands/evaluate/scheme.h"

namespace neardup {

struct Sentence {
  /// Hash64 of its tokens, each followed by a space (detect/feature/text_features.h), so that
  /// case, width, spaces and punctuation do not matter.
  uint64_t hash = 0;
  /// Number of tokens.
  size_t tokens = 0;
  /// Number of its paragraph, counted through the record; each text begins a new paragraph.
  size_t paragraph = 0;

  bool operator==(const Sentence&) const = default;
};

/// Markup is removed first. A sentence ends after one of .!?;… at the end of a word,
/// after their ideographic and full-width forms anywhere, and at the end of a line, which also
/// ends the paragraph. Sentences without a token are left out.
std::vector<Sentence> FindSentences(std::span<const SchemeText> texts);

}  // namespace neardup
