#include "schemes/char_vector_schemes.h"

#include <algorithm>
#include <string>

#include "base/hash.h"
#include "feature/character.h"
#include "schemes/word_set.h"

namespace neardup {

namespace {

using Words = std::span<const uint64_t>;

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

class CountVectorScheme : public Scheme {
 public:
  CountVectorScheme(std::string_view name, double similarity_min)
      : name_(name), similarity_min_(similarity_min) {}

  std::string_view name() const override { return name_; }
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
    // a.b <= |a| |b|: most pairs are too different in size and cost no more than this.
    const double both_max = similarity_min_ / (1 + similarity_min_) * (squares_a + squares_b);
    if (squares_a * squares_b < 0.999999 * both_max * both_max) return {};
    const auto both = static_cast<double>(DotProduct(earlier.subspan(1), later.subspan(1)));
    return DistanceOf(both / (squares_a + squares_b - both), similarity_min_);
  }

 private:
  virtual void AppendPlaces(const SchemeText& text, std::vector<uint32_t>& places) const = 0;

  std::string_view name_;
  double similarity_min_;
};

class CharVectorScheme : public CountVectorScheme {
 public:
  CharVectorScheme(size_t dictionary, double similarity_min, SharedFrequencies frequencies)
      : CountVectorScheme("char-vector", similarity_min),
        dictionary_(frequencies->Commonest(dictionary)) {}

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
  CharVectorCodeScheme(uint32_t buckets, double similarity_min)
      : CountVectorScheme("char-vector-code", similarity_min), buckets_(buckets) {}

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

}  // namespace

std::unique_ptr<Scheme> NewCharVector(size_t dictionary, double similarity_min,
                                      SharedFrequencies frequencies) {
  return std::make_unique<CharVectorScheme>(dictionary, similarity_min, std::move(frequencies));
}

std::unique_ptr<Scheme> NewCharVectorCode(uint32_t buckets, double similarity_min) {
  return std::make_unique<CharVectorCodeScheme>(buckets, similarity_min);
}

}  // namespace neardup
