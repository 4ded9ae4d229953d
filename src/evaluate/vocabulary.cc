#include "evaluate/vocabulary.h"

#include <utility>

namespace neardup {
namespace {
constexpr size_t kWordsMost = 50'000;
constexpr int kTriesMost = 50;
}  // namespace

void Vocabulary::Add(std::string_view text) {
  for (CutWord& word : CutIntoWords(text).words) {
    Reservoir& reservoir = word.spaced ? spaced_ : unspaced_;
    ++reservoir.seen;
    if (reservoir.words.size() < kWordsMost) {
      reservoir.words.push_back(std::move(word.text));
    } else if (const uint64_t place = random_.Below(reservoir.seen); place < kWordsMost) {
      reservoir.words[place] = std::move(word.text);
    }
  }
}

std::optional<std::string> Vocabulary::Pick(bool spaced, std::string_view than,
                                            SeededRandom& random) const {
  const std::vector<std::string>& words = spaced ? spaced_.words : unspaced_.words;
  for (int i = 0; i < kTriesMost && !words.empty(); ++i) {
    if (const std::string& word = random.Pick(words); word != than) return word;
  }
  return std::nullopt;
}

}  // namespace neardup
