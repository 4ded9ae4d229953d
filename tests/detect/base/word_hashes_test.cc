#include "detect/base/word_hashes.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "detect/base/hash.h"
#include "detect/base/simd_levels.h"

namespace neardup {
namespace {

constexpr uint32_t kSeed = 20260131;

/// Words with one byte between them.
struct Words {
  std::string text;
  std::vector<uint64_t> ends;

  void Add(const std::string& word) {
    text += word;
    ends.push_back(text.size());
    text += ' ';
  }
};

void ExpectHashes(const Words& words, uint64_t begin, uint64_t seed) {
  std::vector<char> readable(words.text.begin(), words.text.end());
  readable.resize(words.text.size() + kBytesReadBeyondWord, 'x');
  constexpr uint64_t kUntouched = 0x0123456789ABCDEF;
  std::vector<uint64_t> hashes(words.ends.size() + 1, kUntouched);
  HashWords(readable.data(), begin, words.ends, seed, hashes.data());
  for (size_t i = 0; i < words.ends.size(); ++i) {
    const uint64_t end = words.ends[i];
    ASSERT_EQ(hashes[i], Hash64(words.text.substr(begin, end - begin), seed))
        << "word " << i << " of " << end - begin << " bytes";
    begin = end + 1;
  }
  EXPECT_EQ(hashes.back(), kUntouched);
}

std::string RandomWord(std::mt19937_64& random, size_t size) {
  std::string word;
  while (word.size() < size) word += static_cast<char>(random());
  return word;
}

TEST(HashWords, AgreesWithHash64ForEverySizeAlone) {
  AtEachSimdLevel([] {
    std::mt19937_64 random(kSeed);
    for (size_t size = 1; size <= 300; ++size) {
      for (const uint64_t seed : {uint64_t{0}, uint64_t{1}, random()}) {
        Words words;
        words.Add(RandomWord(random, size));
        ExpectHashes(words, 0, seed);
      }
    }
  });
}

TEST(HashWords, AgreesWithHash64ForRowsOfWords) {
  AtEachSimdLevel([] {
    std::mt19937_64 random(kSeed);
    for (int round = 0; round < 3000; ++round) {
      const size_t size_max = 1 + random() % (round % 10 == 0 ? 40 : 12);
      Words words;
      words.text = RandomWord(random, random() % 5);
      const uint64_t begin = words.text.size();
      for (size_t i = random() % 40; i > 0; --i) {
        words.Add(RandomWord(random, 1 + random() % size_max));
      }
      ExpectHashes(words, begin, round % 2 == 0 ? 0 : random());
    }
  });
}

}  // namespace
}  // namespace neardup
