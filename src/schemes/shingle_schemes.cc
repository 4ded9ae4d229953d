#include "schemes/shingle_schemes.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/hash.h"
#include "feature/character.h"
#include "schemes/word_set.h"

namespace neardup {

namespace {

using Words = std::span<const uint64_t>;

constexpr size_t kPermutations = 128;
constexpr size_t kBands = 25;
constexpr size_t kRows = 5;

class ShingleScheme : public Scheme {
 public:
  explicit ShingleScheme(const ShingleOptions& options) : options_(options) {}

  std::string_view name() const override { return "shingles"; }

  void Compute(std::span<const SchemeText> texts, Sketch& sketch) const override {
    sketch.words = CharacterShingles(texts, options_.shingle_length);
    TakePrefixKeys(options_.similarity_min, sketch);
  }

  std::optional<int> Distance(Words earlier, Words later) const override {
    // The smaller set over the larger one bounds the coefficient.
    const auto less = static_cast<double>(std::min(earlier.size(), later.size()));
    const auto more = static_cast<double>(std::max(earlier.size(), later.size()));
    if (less < options_.similarity_min * more - 1e-6) return {};
    return DistanceOf(Jaccard(earlier, later), options_.similarity_min);
  }

 private:
  ShingleOptions options_;
};

class MinHashScheme : public Scheme {
 public:
  explicit MinHashScheme(const ShingleOptions& options) : options_(options) {
    for (size_t i = 0; i < kPermutations; ++i) {
      factors_[i] = Mix64(2 * i + 1) | 1;
      addends_[i] = Mix64(2 * i + 2);
    }
  }

  std::string_view name() const override { return "minhash"; }

  void Compute(std::span<const SchemeText> texts, Sketch& sketch) const override {
    sketch = {};
    const auto shingles = CharacterShingles(texts, options_.shingle_length);
    if (shingles.empty()) {
      sketch.keys.push_back(kNothingKey);
      return;
    }
    std::array<uint64_t, kPermutations> minima;
    minima.fill(UINT64_MAX);
    for (const uint64_t shingle : shingles) {
      for (size_t i = 0; i < kPermutations; ++i) {
        minima[i] = std::min(minima[i], (shingle * factors_[i] + addends_[i]) >> 32);
      }
    }
    for (size_t i = 0; i < kPermutations; i += 2) {
      sketch.words.push_back(minima[i] | minima[i + 1] << 32);
    }
    for (size_t band = 0; band < kBands; ++band) {
      std::array<uint64_t, kRows + 1> rows = {band};
      std::copy_n(minima.begin() + band * kRows, kRows, rows.begin() + 1);
      sketch.keys.push_back(HashWords(rows));
    }
  }

  std::optional<int> Distance(Words earlier, Words later) const override {
    if (earlier.size() != later.size()) return {};
    size_t equal = 0;
    for (size_t i = 0; i < earlier.size(); ++i) {
      const uint64_t difference = earlier[i] ^ later[i];
      equal += (difference & UINT32_MAX) == 0;
      equal += difference >> 32 == 0;
    }
    const size_t all = 2 * earlier.size();
    const double similarity =
        all == 0 ? 1.0 : static_cast<double>(equal) / static_cast<double>(all);
    if (!DistanceOf(similarity, options_.similarity_min)) return {};
    return static_cast<int>(all - equal);
  }

 private:
  ShingleOptions options_;
  std::array<uint64_t, kPermutations> factors_;
  std::array<uint64_t, kPermutations> addends_;
};

}  // namespace

std::vector<uint64_t> CharacterShingles(std::span<const SchemeText> texts, size_t length) {
  std::string bytes;
  for (const SchemeText& text : texts) {
    std::remove_copy(text.normalised.begin(), text.normalised.end(), std::back_inserter(bytes),
                     ' ');
  }
  std::vector<size_t> begins;  // of each character, and the end
  for (const char* at = bytes.data(); at < bytes.data() + bytes.size(); DecodeUtf8(at)) {
    begins.push_back(static_cast<size_t>(at - bytes.data()));
  }
  begins.push_back(bytes.size());
  const size_t characters = begins.size() - 1;
  std::vector<uint64_t> shingles;
  if (characters == 0) return shingles;
  const size_t run = std::min(length, characters);
  for (size_t i = 0; i + run <= characters; ++i) {
    shingles.push_back(Hash64({bytes.data() + begins[i], begins[i + run] - begins[i]}));
  }
  MakeSet(shingles);
  return shingles;
}

std::unique_ptr<Scheme> NewShingles(const ShingleOptions& options) {
  return std::make_unique<ShingleScheme>(options);
}

std::unique_ptr<Scheme> NewMinHash(const ShingleOptions& options) {
  return std::make_unique<MinHashScheme>(options);
}

}  // namespace neardup
