// Made-up streams of records with several fields, whose right calibration is known.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/seeded_random.h"
#include "neardup/options.h"

namespace neardup {

using Fields = std::vector<std::pair<std::string, std::string>>;

inline std::string RecordOf(const Fields& fields) {
  std::string record = "{";
  for (const auto& [name, text] : fields) {
    record += (record.size() > 1 ? "," : "") + ('"' + name + R"(":")") + text + '"';
  }
  return record + "}";
}

/// Words of letters only; low numbers are frequent.
inline std::string LetterWord(uint64_t number) {
  std::string word;
  for (number += 26; number > 0; number /= 26) word += static_cast<char>('a' + number % 26);
  return word;
}
inline std::string Phrase(SeededRandom& random, size_t words) {
  std::string text;
  for (size_t i = 0; i < words; ++i) {
    text += (i == 0 ? "" : " ") + LetterWord(random.Below(1 + random.Below(4000)));
  }
  return text;
}

/// Papers of few authors and venues that are cited again and again, each time with one of the four
/// fields written differently, or two.
inline std::vector<std::string> CitationStream(uint64_t seed, size_t records) {
  SeededRandom random(seed);
  const auto some = [&](size_t count, size_t words) {
    std::vector<std::string> phrases;
    while (phrases.size() < count) phrases.push_back(Phrase(random, words));
    return phrases;
  };
  const std::vector<std::string> authors = some(12, 8);
  const std::vector<std::string> venues = some(8, 8);
  const std::vector<std::string> publishers = some(4, 5);
  std::vector<Fields> papers;
  while (papers.size() < records / 10) {
    papers.push_back({{"title", Phrase(random, 6)},
                      {"author", random.Pick(authors)},
                      {"venue", random.Pick(venues)},
                      {"publisher", random.Pick(publishers)}});
  }
  std::vector<std::string> payloads;
  while (payloads.size() < records) {
    Fields paper = random.Pick(papers);
    for (uint64_t changes = 1 + random.Below(2); changes > 0; --changes) {
      paper[random.Below(4)].second += " " + Phrase(random, 1 + random.Below(3));
    }
    payloads.push_back(RecordOf(paper));
  }
  return payloads;
}

/// Bots that say the same of one page after the other; of `edited_per_mille` of the records an
/// earlier one comes again with a word of its comment replaced.
inline std::vector<std::string> EditStream(uint64_t seed, size_t records,
                                           uint64_t edited_per_mille) {
  SeededRandom random(seed);
  std::vector<Fields> bots;
  for (int i = 0; i < 20; ++i) {
    bots.push_back({{"user", Phrase(random, 1)}, {"comment", Phrase(random, 24)}});
  }
  std::vector<Fields> edits;
  std::vector<std::string> payloads;
  while (payloads.size() < records) {
    if (edits.size() > 20 && random.Chance(edited_per_mille)) {
      Fields copy = random.Pick(edits);
      copy[1].second += " edited";
      payloads.push_back(RecordOf(copy));
      continue;
    }
    Fields edit = random.Pick(bots);
    edit.push_back({"page", LetterWord(1000 + edits.size()) + " " + Phrase(random, 1)});
    edits.push_back(edit);
    payloads.push_back(RecordOf(edit));
  }
  return payloads;
}

/// Messages of a program: twelve texts, each with numbers and an address in it.
inline Fields LogLine(SeededRandom& random) {
  SeededRandom kind(random.Below(12));
  return {{"component", LetterWord(kind.Below(3))},
          {"content", Phrase(kind, 16) + " block " + std::to_string(random.Below(1'000'000)) +
                          " from 10.0." + std::to_string(random.Below(200)) + ".7:80 done"}};
}

inline FilterOptions OptionsOf(const std::vector<std::string>& fields) {
  FilterOptions options;
  for (const std::string& field : fields) options.record.fields.push_back({field, 1.0});
  return options;
}

}  // namespace neardup
