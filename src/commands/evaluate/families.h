// Makes each comparison scheme. One source file implements one family: the schemes that compare
// whole fields, tokens, bits, characters, or sentences. schemes.h makes a scheme by its name and
// checks its parameters; the functions here expect the parameters that they name, in range.
#pragma once

#include <memory>

#include "commands/evaluate/schemes.h"

namespace neardup {

// field_schemes.cc: whole fields. The literature hashes a field with MD5. These schemes only ask
// whether two digests are equal, so they take XXH3, which is faster: they find the same duplicates,
// unless somebody constructs a collision, which is possible with either.

/// `md5`: one digest of all fields, unchanged; the baseline of every study of duplicates.
/// Sketch: words {low, high} of Hash128 of all raw texts by ascending field, each followed by a
/// byte 0; key {low}.
std::unique_ptr<Scheme> NewMd5(const SchemeValues& values, SharedFrequencies frequencies);

/// `multi-md5`: one digest for each field, in order of the fields' priority. The distance is the
/// number of fields that differ. The first `first_fields` fields that a record has are its first
/// fields. Candidates agree in at least `first_equal` of them, and duplicates in at least the share
/// `equal_share_min` of the fields that either of them has.
/// Sketch: word i is Hash64 of the raw texts of field i, each followed by a byte 0, and 1 instead
/// of 0; it is 0 if these texts are empty; zeros at the end are dropped. Each of the first fields
/// has the key Mix64(word + field). A record without a field has kNothingKey.
std::unique_ptr<Scheme> NewMultiMd5(const SchemeValues& values, SharedFrequencies frequencies);

/// `md5-then-multi`: takes what NewMd5 or NewMultiMd5 takes, so that exact copies of records with
/// few fields are found too. Sketch: words and keys of the one, then of the other.
std::unique_ptr<Scheme> NewMd5ThenMulti(const SchemeValues& values, SharedFrequencies frequencies);

// token_schemes.cc: tokens chosen by how common they are.

/// `multi-md5-tokens`: multi-MD5 over tokens instead of fields. The method takes MD5 sums of the
/// tokens; here their 64-bit hashes serve, because only equality counts. Candidates have the same
/// set of `first_tokens` most frequent tokens. Duplicates have at least the share `equal_share_min`
/// of the larger set of tokens in common.
/// Sketch: words are HashWords of the most frequent tokens (the smaller hash first if two are
/// equally frequent), ascending, then all distinct tokens, ascending; the key is the first word.
std::unique_ptr<Scheme> NewMultiMd5Tokens(const SchemeValues& values,
                                          SharedFrequencies frequencies);

/// `i-match` (Chowdhury, Frieder, Grossman and McCabe 2002): one hash of the tokens that are
/// neither rare nor common. A token of the lexicon stands in at least `records_min` records of the
/// sample, and in at most the share `record_share_max` of them.
/// Sketch: word and key are HashWords of the distinct tokens that are in the lexicon, ascending; if
/// there are none, Mix64(HashWords + 1) of all distinct tokens.
std::unique_ptr<Scheme> NewIMatch(const SchemeValues& values, SharedFrequencies frequencies);

/// `idf-string` (%-IDF): one hash of the record's rarest tokens; `token_share` is their share of
/// its distinct tokens, rounded up. Sketch: word and key are HashWords of these tokens, ascending.
/// A token that stands in fewer records of the sample is rarer, then one with a smaller hash.
std::unique_ptr<Scheme> NewIdfString(const SchemeValues& values, SharedFrequencies frequencies);

/// `page-attributes`: a summary, which is the sentence with most tokens, and the `top_tokens` top
/// tokens by weight, which is count x idf, or the count if there are no frequencies. Duplicates
/// have equal top tokens in equal order (distance 0), equal top tokens of nearly equal weight (1),
/// or equal summaries (2). Nearly equal: the ratio of the smaller to the larger of two records'
/// weights of their top tokens is at least `weight_ratio_min`.
/// Sketch: words {HashWords of the top tokens by falling weight (then by hash), HashWords of them
/// ascending, sum of their weights, Sentence::hash of the summary (the first of several; 0 if there
/// is none)}; the keys are the second word and, unless it is 0, the fourth. idf is
/// round(256 (1 + ln((records + 1) / (records of the token + 1)))).
std::unique_ptr<Scheme> NewPageAttributes(const SchemeValues& values,
                                          SharedFrequencies frequencies);

// bit_schemes.cc: signs of sums over all tokens, compared bit by bit. The distance is Hamming's.

/// `simhash` (Charikar 2002; found by blocks: Manku, Jain and Das Sarma 2007) of the distinct
/// tokens, each of weight 1.
/// Sketch: the word is Simhash of the tokens' hashes. It is cut into n blocks, the larger of 4 and
/// distance_max + 1; block i is the bits from 64 i / n to 64 (i + 1) / n; its key is
/// Mix64(block << 8 | i).
std::unique_ptr<Scheme> NewSimhash(const SchemeValues& values, SharedFrequencies frequencies);

/// `simhash-tf`: like NewSimhash, but the weight of a token is its count in the record, 65,535 at
/// most.
std::unique_ptr<Scheme> NewSimhashTf(const SchemeValues& values, SharedFrequencies frequencies);

/// `random-projection`, of 384 bits (Charikar 2002; in the form of Henzinger 2006, who allows 12
/// bits of difference). Every token has a random vector of 384 signs; a bit is the sign of their
/// sum, weighted by the token's count in the record, 65,535 at most.
/// Sketch: word j is Simhash of the features Mix64(token + j + 1) of these weights; keys as
/// in NewSimhash, but 384 bits in the larger of 12 and distance_max + 1 blocks.
std::unique_ptr<Scheme> NewRandomProjection(const SchemeValues& values,
                                            SharedFrequencies frequencies);

// character_schemes.cc: counts and runs of characters.

/// `char-vector`: counts of the characters of a dictionary, which are the `dictionary` commonest of
/// the sample, compared by Tanimoto's coefficient a.b / (a.a + b.b - a.b). Only the letters that
/// are tokens by themselves (CharacterClass::kSingle: Han, Kana, Hangul, Thai, ...) are counted;
/// other tokens use up places of the dictionary. So it is for texts of such scripts only. Scans
/// all. Sketch: words are the sum of the squared counts, then code point << 32 | count, ascending.
/// A record without such a character has the words {0, Hash64 of its token texts}; only its equals
/// are its duplicates.
std::unique_ptr<Scheme> NewCharVector(const SchemeValues& values, SharedFrequencies frequencies);

/// `char-vector-code` (character vector by machine code): needs no sample; a character counts at
/// the place code point % `buckets`. All letters and digits count, also in words, which says
/// little about texts of an alphabet. Scans all. Sketch: as NewCharVector, with the place instead
/// of the code point.
std::unique_ptr<Scheme> NewCharVectorCode(const SchemeValues& values,
                                          SharedFrequencies frequencies);

/// `shingles` (w-shingling: Broder, Glassman, Manasse and Zweig 1997): Jaccard's coefficient of the
/// sets of all shingles, `similarity_min` at least.
/// Sketch: the tokens of all texts are written one after the other without spaces. Words are the
/// distinct Hash64 of all runs of `shingle_length` characters in UTF-8, ascending; of the whole if
/// it is shorter; none if it is empty. Keys as TakePrefixKeys, so that no match is missed.
std::unique_ptr<Scheme> NewShingles(const SchemeValues& values, SharedFrequencies frequencies);

/// `minhash` (Broder 1997) of 128 permutations of the shingles, found by 25 bands of 5 (Indyk and
/// Motwani 1998). The distance is how many of the 128 minima differ; the share of equal ones
/// estimates Jaccard's coefficient. A pair at an estimate of 0.7 shares a band with a probability
/// of 0.99.
/// Sketch: the minimum of permutation i is the smallest (x a + b) >> 32 over the words x of
/// NewShingles, with a = Mix64(2 i + 1) | 1 and b = Mix64(2 i + 2), modulo 2^64. Word j holds the
/// minima 2 j (lower half) and 2 j + 1; a key is HashWords of a band's number and its 5 minima.
/// Without a shingle: no words, kNothingKey.
std::unique_ptr<Scheme> NewMinHash(const SchemeValues& values, SharedFrequencies frequencies);

// sentence_schemes.cc: sentences, and the text around punctuation marks.

/// `segments` (segment fingerprint): one hash for each sentence of a record. Duplicates have at
/// least `equal_share_min` of the sentences of the longer record in common.
/// Sketch: words are the distinct Sentence::hash, ascending; keys as TakePrefixKeys.
std::unique_ptr<Scheme> NewSegments(const SchemeValues& values, SharedFrequencies frequencies);

/// `structure` (text structure): like NewSegments, but only with the first and the last sentence of
/// each paragraph.
std::unique_ptr<Scheme> NewStructure(const SchemeValues& values, SharedFrequencies frequencies);

/// `feature-code`: a code for each punctuation mark, made of up to `characters` letters and digits
/// on either side of it. Duplicates have `equal_share_min` of the larger set of codes in common.
/// Sketch: words are the distinct Hash64 of these characters in UTF-8, folded and without markup
/// (detect/feature/character.h), ascending. The marks are .,;:!?、。 after folding; a mark with no
/// letter or digit before it in its text has no code. A text without a code, but with letters or
/// digits, gives one code of all of them. Keys as TakePrefixKeys.
std::unique_ptr<Scheme> NewFeatureCode(const SchemeValues& values, SharedFrequencies frequencies);

}  // namespace neardup
