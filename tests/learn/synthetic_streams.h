// Synthetic streams whose correct calibration is known.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "detect/base/letter_word.h"
#include "detect/base/random.h"
#include "learn/sample.h"
#include "neardup/options.h"

namespace neardup {

/// `count` words of letters. Low numbers are frequent, as some words are in texts.
inline std::vector<std::string> RandomWords(SeededRandom& random, size_t count) {
  std::vector<std::string> words;
  for (size_t i = 0; i < count; ++i) {
    words.push_back(LetterWord(random.Below(1 + random.Below(4000))));
  }
  return words;
}

inline std::string TextRecord(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return R"({"text":")" + text + R"("})";
}

/// Texts of 60 words. Of 1000 texts, `copies_per_mille` are copies of an earlier text with
/// `words_changed` words replaced.
inline std::vector<std::string> TextStream(uint64_t seed, size_t records, uint64_t copies_per_mille,
                                           size_t words_changed) {
  SeededRandom random(seed);
  std::vector<std::vector<std::string>> originals;
  std::vector<std::string> payloads;
  while (payloads.size() < records) {
    if (originals.size() > 20 && random.Chance(copies_per_mille)) {
      std::vector<std::string> copy = random.Pick(originals);
      for (size_t i = 0; i < words_changed; ++i) copy[random.Below(copy.size())] = "edited";
      payloads.push_back(TextRecord(copy));
    } else {
      originals.push_back(RandomWords(random, 60));
      payloads.push_back(TextRecord(originals.back()));
    }
  }
  return payloads;
}

/// Log lines of twelve kinds. Two lines of a kind differ in a number.
inline std::vector<std::string> SeriesStream(uint64_t seed, size_t records) {
  SeededRandom random(seed);
  std::vector<std::vector<std::string>> kinds;
  for (int kind = 0; kind < 12; ++kind) kinds.push_back(RandomWords(random, 30));
  std::vector<std::string> payloads;
  for (size_t i = 0; i < records; ++i) {
    std::vector<std::string> words = random.Pick(kinds);
    words.push_back(std::to_string(i));
    payloads.push_back(TextRecord(words));
  }
  return payloads;
}

inline FilterOptions TextOptions() {
  FilterOptions options;
  options.record.fields = {{"text", 1.0}};
  return options;
}

/// The payloads as records at the positions {0, index}.
inline std::vector<RecordView> ViewsOf(const std::vector<std::string>& payloads) {
  std::vector<RecordView> views;
  for (const std::string& payload : payloads) {
    views.push_back({{0, static_cast<int64_t>(views.size())}, 0, payload});
  }
  return views;
}

inline Sample SampleOf(const std::vector<std::string>& payloads,
                       const std::vector<uint64_t>& hash_seeds) {
  Sample sample(TextOptions(), hash_seeds);
  for (const RecordView& view : ViewsOf(payloads)) sample.Add(view);
  return sample;
}

using Fields = std::vector<std::pair<std::string, std::string>>;

inline std::string RecordOf(const Fields& fields) {
  std::string record = "{";
  for (const auto& [name, text] : fields) {
    record += (record.size() > 1 ? "," : "") + ('"' + name + R"(":")") + text + '"';
  }
  return record + "}";
}

/// The same as one text.
inline std::string Phrase(SeededRandom& random, size_t words) {
  std::string text;
  for (size_t i = 0; i < words; ++i) {
    text += (i == 0 ? "" : " ") + LetterWord(random.Below(1 + random.Below(4000)));
  }
  return text;
}

/// Papers by a few authors and venues. Each is cited several times, with one or two of its four
/// fields written differently.
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

/// Bots that write the same comment on one page after the other. Of 1000 records,
/// `edited_per_mille` repeat an earlier one with a word added to its comment.
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

/// A message of a program: one of twelve texts, with a number and an address in it.
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
