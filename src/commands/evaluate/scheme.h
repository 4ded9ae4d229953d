// The interface of the comparison schemes: other methods than our own to tell duplicates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace neardup {

/// One text of a record, as a scheme sees it. The texts of one field are neighbours.
struct SchemeText {
  uint32_t field = 0;  ///< index into RecordOptions::fields
  /// The text of the record, unchanged: with its case, punctuation and line ends. Valid UTF-8.
  std::string_view raw;
  /// The folded tokens, each followed by a space (detect/feature/text_features.h).
  std::string_view normalised;
  /// The hashes of these tokens, in their order.
  std::span<const uint64_t> tokens;
};

/// What a comparison scheme keeps of a record.
struct Sketch {
  /// Compared by Scheme::Distance; their meaning is up to the scheme.
  std::vector<uint64_t> words;
  /// Two records are compared if they share one of these keys. Distinct.
  std::vector<uint64_t> keys;

  size_t bytes() const { return (words.capacity() + keys.capacity()) * sizeof(uint64_t); }
  bool operator==(const Sketch&) const = default;
};

/// Makes the sketch of a record and compares two sketches. Immutable: any number of threads may
/// share one instance.
class Scheme {
 public:
  virtual ~Scheme() = default;

  /// Replaces the contents of `sketch`. There may be no texts, and texts may be empty.
  virtual void Compute(std::span<const SchemeText> texts, Sketch& sketch) const = 0;
  /// Distance of a record to an earlier one, from the words of their sketches: 0 or more, 0 is
  /// nearest. nullopt: the two are no duplicates.
  virtual std::optional<int> Distance(std::span<const uint64_t> earlier,
                                      std::span<const uint64_t> later) const = 0;
  /// True if keys do not lead to all matches, so that each record must be compared with every
  /// earlier one. Such a scheme is for evaluation and small windows only.
  virtual bool scans_all() const { return false; }
};

// Counts of tokens: in one record, and over the records of a sample.

/// In how many records of a sample each token stands. Filled from a sample, then frozen: sketches
/// made with different frequencies cannot be compared. Tokens are the hashes of
/// SchemeText::tokens.
class DocumentFrequencies {
 public:
  /// Adds one record; `tokens` are its distinct tokens, in any order.
  void Add(std::span<const uint64_t> tokens);

  /// Number of records with this token; 0 for an unknown one.
  uint32_t Of(uint64_t token) const;
  uint32_t records() const { return records_; }
  /// The `count` tokens of most records, ascending by hash; all tokens if there are fewer. If two
  /// tokens are equally common, the smaller hash is taken first.
  std::vector<uint64_t> Commonest(size_t count) const;

 private:
  uint32_t records_ = 0;
  std::unordered_map<uint64_t, uint32_t> counts_;
};

using SharedFrequencies = std::shared_ptr<const DocumentFrequencies>;

struct TokenCount {
  uint64_t token = 0;
  uint32_t count = 0;  ///< in all texts of the record

  bool operator==(const TokenCount&) const = default;
};

/// The tokens of a record with their counts, ascending by token.
std::vector<TokenCount> CountTokens(std::span<const SchemeText> texts);

/// The distinct tokens of a record, ascending.
std::vector<uint64_t> DistinctTokens(std::span<const SchemeText> texts);

// Sets of hashes, kept as ascending words, and measures of how much two sets share.

/// The key of a record that has nothing to compare. Such records are equal to each other.
inline constexpr uint64_t kNothingKey = 0;

/// Hash: h starts as Mix64(number of words); each word makes it Mix64(h + word).
uint64_t HashWords(std::span<const uint64_t> words);

/// Sorts the words and drops repeats.
void MakeSet(std::vector<uint64_t>& words);

/// Number of words that two sets have in common.
size_t CountShared(std::span<const uint64_t> a, std::span<const uint64_t> b);

/// 1 - similarity in thousandths, rounded down; nullopt if similarity is below `similarity_min`.
std::optional<int> DistanceOf(double similarity, double similarity_min);

/// Shared words / words of the larger set; 1 for two empty sets.
double ShareOfLarger(std::span<const uint64_t> a, std::span<const uint64_t> b);
/// Jaccard's coefficient: shared words / words of either set; 1 for two empty sets.
double Jaccard(std::span<const uint64_t> a, std::span<const uint64_t> b);

/// Makes the smallest words of the set the keys of the sketch: as many as are needed for two sets
/// to share a key whenever one of the measures above is at least `similarity_min`. Such sets have
/// at least c = similarity_min x size words in common, so at least one common word is among the
/// size - c + 1 smallest of each (prefix filtering, Chaudhuri, Ganti and Kaushik 2006).
void TakePrefixKeys(double similarity_min, Sketch& sketch);

}  // namespace neardup
