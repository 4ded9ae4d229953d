#include <algorithm>
#include <array>
#include <iterator>
#include <string>

#include "commands/evaluate/families.h"
#include "commands/evaluate/scheme.h"
#include "detect/base/hash.h"
#include "detect/feature/character.h"

namespace neardup {
namespace {

using Words = std::span<const uint64_t>;

constexpr size_t kPermutations = 128;
constexpr size_t kBands = 25;
constexpr size_t kBandRows = 5;

// A word of a count vector: place << 32 | count.
uint64_t PlaceOf(uint64_t word) { return word >> 32; }
uint64_t CountOf(uint64_t word) { return word & UINT32_MAX; }

uint64_t DotProduct(Words a, Words b) {
  uint64_t sum = 0;
  size_t i = 0;
  size_t j = 0;
  while (i < a.size() && j < b.size()) {
    const uint64_t place_a = PlaceOf(a[i]);
    const uint64_t place_b = PlaceOf(b[j]);
    if (place_a == place_b) sum += CountOf(a[i]) * CountOf(b[j]);
    i += place_a <= place_b;
    j += place_b <= place_a;
  }
  return sum;
}

/// Compares count vectors; a derived class says at which place a character counts.
class CountVectorScheme : public Scheme {
 public:
  explicit CountVectorScheme(const SchemeValues& values)
      : similarity_min_(values.Real("similarity_min")) {}

  bool scans_all() const override { return true; }

  void Compute(std::span<const SchemeText> texts, Sketch& sketch) const override {
    std::vector<uint32_t> places;
    std::string bytes;
    for (const SchemeText& text : texts) {
      AppendPlaces(text, places);
      bytes += text.normalised;
    }
    std::sort(places.begin(), places.end());
    sketch = {.words = {0}, .keys = {}};
    for (auto at = places.begin(); at != places.end();) {
      const auto next = std::upper_bound(at, places.end(), *at);
      const auto count = static_cast<uint64_t>(next - at);
      sketch.words[0] += count * count;
      sketch.words.push_back(uint64_t{*at} << 32 | count);
      at = next;
    }
    if (places.empty()) sketch.words.push_back(Hash64(bytes));
  }

  std::optional<int> Distance(Words earlier, Words later) const override {
    if (earlier[0] == 0 || later[0] == 0) {
      if (!std::equal(earlier.begin(), earlier.end(), later.begin(), later.end())) return {};
      return 0;
    }
    const auto squares_a = static_cast<double>(earlier[0]);
    const auto squares_b = static_cast<double>(later[0]);
    // a.b <= |a| |b|, so that most pairs are ruled out by their sizes alone.
    const double both_max = similarity_min_ / (1 + similarity_min_) * (squares_a + squares_b);
    if (squares_a * squares_b < 0.999999 * both_max * both_max) return {};
    const auto both = static_cast<double>(DotProduct(earlier.subspan(1), later.subspan(1)));
    return DistanceOf(both / (squares_a + squares_b - both), similarity_min_);
  }

 private:
  virtual void AppendPlaces(const SchemeText& text, std::vector<uint32_t>& places) const = 0;

  double similarity_min_;
};

class CharVectorScheme : public CountVectorScheme {
 public:
  CharVectorScheme(const SchemeValues& values, const DocumentFrequencies& frequencies)
      : CountVectorScheme(values), dictionary_(frequencies.Commonest(values.Whole("dictionary"))) {}

 private:
  void AppendPlaces(const SchemeText& text, std::vector<uint32_t>& places) const override {
    const char* at = text.normalised.data();
    for (const uint64_t token : text.tokens) {
      const uint32_t character = DecodeUtf8(at);
      const bool alone = *at == ' ';
      while (*at != ' ') ++at;
      ++at;
      if (alone && ClassOf(character) == CharacterClass::kSingle &&
          std::binary_search(dictionary_.begin(), dictionary_.end(), token)) {
        places.push_back(character);
      }
    }
  }

  std::vector<uint64_t> dictionary_;
};

class CharVectorCodeScheme : public CountVectorScheme {
 public:
  explicit CharVectorCodeScheme(const SchemeValues& values)
      : CountVectorScheme(values), buckets_(values.Whole("buckets")) {}

 private:
  void AppendPlaces(const SchemeText& text, std::vector<uint32_t>& places) const override {
    const char* at = text.normalised.data();
    const char* const end = at + text.normalised.size();
    while (at < end) {
      const uint32_t character = DecodeUtf8(at);
      if (character != ' ') places.push_back(character % buckets_);
    }
  }

  uint32_t buckets_;
};

/// The words of NewShingles.
std::vector<uint64_t> Shingles(std::span<const SchemeText> texts, size_t length) {
  std::string bytes;
  for (const SchemeText& text : texts) {
    std::remove_copy(text.normalised.begin(), text.normalised.end(), std::back_inserter(bytes),
                     ' ');
  }
  std::vector<size_t> begins;  // of each character; at the back, the end of the last
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

class ShingleScheme : public Scheme {
 public:
  explicit ShingleScheme(const SchemeValues& values)
      : length_(values.Whole("shingle_length")), similarity_min_(values.Real("similarity_min")) {}

  void Compute(std::span<const SchemeText> texts, Sketch& sketch) const override {
    sketch.words = Shingles(texts, length_);
    TakePrefixKeys(similarity_min_, sketch);
  }

  std::optional<int> Distance(Words earlier, Words later) const override {
    // The coefficient is at most the size of the smaller set over the size of the larger.
    const auto less = static_cast<double>(std::min(earlier.size(), later.size()));
    const auto more = static_cast<double>(std::max(earlier.size(), later.size()));
    if (less < similarity_min_ * more - 1e-6) return {};
    return DistanceOf(Jaccard(earlier, later), similarity_min_);
  }

 private:
  size_t length_;
  double similarity_min_;
};

class MinHashScheme : public Scheme {
 public:
  explicit MinHashScheme(const SchemeValues& values)
      : length_(values.Whole("shingle_length")), similarity_min_(values.Real("similarity_min")) {
    for (size_t i = 0; i < kPermutations; ++i) {
      factors_[i] = Mix64(2 * i + 1) | 1;
      addends_[i] = Mix64(2 * i + 2);
    }
  }

  void Compute(std::span<const SchemeText> texts, Sketch& sketch) const override {
    sketch = {};
    const auto shingles = Shingles(texts, length_);
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
      std::array<uint64_t, kBandRows + 1> rows = {band};
      std::copy_n(minima.begin() + band * kBandRows, kBandRows, rows.begin() + 1);
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
    if (!DistanceOf(similarity, similarity_min_)) return {};
    return static_cast<int>(all - equal);
  }

 private:
  size_t length_;
  double similarity_min_;
  std::array<uint64_t, kPermutations> factors_;
  std::array<uint64_t, kPermutations> addends_;
};

}  // namespace

std::unique_ptr<Scheme> NewCharVector(const SchemeValues& values, SharedFrequencies frequencies) {
  return std::make_unique<CharVectorScheme>(values, *frequencies);
}

std::unique_ptr<Scheme> NewCharVectorCode(const SchemeValues& values, SharedFrequencies) {
  return std::make_unique<CharVectorCodeScheme>(values);
}

std::unique_ptr<Scheme> NewShingles(const SchemeValues& values, SharedFrequencies) {
  return std::make_unique<ShingleScheme>(values);
}

std::unique_ptr<Scheme> NewMinHash(const SchemeValues& values, SharedFrequencies) {
  return std::make_unique<MinHashScheme>(values);
}

}  // namespace neardup
