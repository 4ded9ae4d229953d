// The schemes that choose tokens by how common they are and hash what is left.
#pragma once

#include <cstdint>
#include <memory>

#include "schemes/scheme.h"
#include "schemes/token_counts.h"

namespace neardup {

using SharedFrequencies = std::shared_ptr<const DocumentFrequencies>;

struct MultiMd5TokensOptions {
  /// Candidates have the same set of so many most frequent tokens, 1 or more.
  uint32_t first_tokens = 0;
  /// Duplicates have at least this share of the larger set of tokens in common.
  double equal_share_min = 0;
};

/// Multi-MD5 with tokens for fields. The tokens' own 64-bit hashes stand where the method has MD5
/// sums: only their being equal counts.
/// FORMAT: words are HashWords of the most frequent tokens (of equally frequent ones those of
/// smaller hash), ascending, then all distinct tokens, ascending; key is the first word.
std::unique_ptr<Scheme> NewMultiMd5Tokens(const MultiMd5TokensOptions& options);

struct IMatchOptions {
  /// Of the sample's records, a token of the lexicon stands in at least so many...
  uint32_t records_min = 0;
  /// ... and in at most this share.
  double record_share_max = 0;
};

/// I-Match (Chowdhury, Frieder, Grossman and McCabe 2002): one hash of the tokens that are neither
/// rare nor common. FORMAT: word and key are HashWords of the distinct tokens that are in the
/// lexicon, ascending; where there is none, Mix64(HashWords + 1) of all tokens.
std::unique_ptr<Scheme> NewIMatch(const IMatchOptions& options, SharedFrequencies frequencies);

/// %-IDF: one hash of the record's rarest tokens, sorted, as a share of its distinct tokens
/// (rounded up). FORMAT: word and key are HashWords of them, ascending. Rarer is what stands in
/// fewer records of the sample, then what has the smaller hash.
std::unique_ptr<Scheme> NewIdfString(double token_share, SharedFrequencies frequencies);

struct PageAttributesOptions {
  /// How many top tokens, 1 or more.
  uint32_t top_tokens = 0;
  /// Smaller / larger of the two records' weight of their top tokens, at least.
  double weight_ratio_min = 0;
};

/// Page attributes: a summary, which is the sentence of most tokens, and the top tokens by weight,
/// which is count x idf, or the count where there are no frequencies. Duplicates are records of
/// equal top tokens in equal order (distance 0), of equal top tokens and nearly equal weight of
/// these (1), or of equal summary (2).
/// FORMAT: words {HashWords of the top tokens by falling weight (then by hash), HashWords of them
/// ascending, sum of their weights, Sentence::hash of the summary (the first of several; 0 for
/// none)}; keys are the second and, unless it is 0, the fourth. idf is
/// round(256 (1 + ln((records + 1) / (records of the token + 1)))).
std::unique_ptr<Scheme> NewPageAttributes(const PageAttributesOptions& options,
                                          SharedFrequencies frequencies);

}  // namespace neardup
