#include "bench/naive_fingerprint.h"

#include <cctype>
#include <functional>
#include <nlohmann/json.hpp>
#include <unordered_map>

namespace neardup {
namespace {

std::vector<std::string> WordsOf(const std::string& text) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool wide =
        byte >= 0xE0;  // begins a character of three bytes or more, such as a Han character
    if (wide && !word.empty()) {
      words.push_back(word);
      word.clear();
    }
    if (byte >= 0x80 || std::isalnum(byte) != 0) {
      word += static_cast<char>(std::tolower(byte));
    } else if (!word.empty()) {
      words.push_back(word);
      word.clear();
    }
  }
  if (!word.empty()) words.push_back(word);
  return words;
}

uint64_t SimhashOf(const std::unordered_map<std::string, int>& counts) {
  std::vector<int> sums(64);
  for (const auto& [word, count] : counts) {
    const size_t hash = std::hash<std::string>()(word);
    for (size_t bit = 0; bit < 64; ++bit) sums[bit] += (hash >> bit & 1) != 0 ? count : -count;
  }
  uint64_t simhash = 0;
  for (size_t bit = 0; bit < 64; ++bit) {
    if (sums[bit] > 0) simhash |= uint64_t{1} << bit;
  }
  return simhash;
}

}  // namespace

NaiveFingerprint ComputeNaively(std::string_view json, const std::vector<std::string>& members) {
  const nlohmann::json record = nlohmann::json::parse(json);
  std::unordered_map<std::string, int> words;
  std::unordered_map<std::string, int> pairs;
  for (const std::string& member : members) {
    const std::vector<std::string> found = WordsOf(record.at(member).get<std::string>());
    for (size_t i = 0; i < found.size(); ++i) {
      ++words[found[i]];
      if (i > 0) pairs[found[i - 1] + ' ' + found[i]] = 1;
    }
  }
  return {SimhashOf(words), SimhashOf(pairs)};
}

}  // namespace neardup
