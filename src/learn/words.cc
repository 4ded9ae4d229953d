#include "learn/words.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "detect/feature/character.h"

namespace neardup {
namespace {

constexpr std::string_view kWhite = " \t\r\n";

CharacterClass ClassAt(const char*& at) {
  const uint32_t code_point = DecodeUtf8(at);
  return ClassOf(code_point);
}

bool IsWhite(char c) { return kWhite.find(c) != std::string_view::npos; }

/// Length in bytes of the full stop or other end mark at the start of `text`; 0 if there is none.
/// An ASCII stop counts only before white space or at the end, so that 3.14 has none.
size_t StopLength(std::string_view text) {
  constexpr std::array<std::string_view, 5> kWideStops = {"。", "！", "？", "；", "…"};
  for (const std::string_view stop : kWideStops) {
    if (text.substr(0, stop.size()) == stop) return stop.size();
  }
  const bool ascii = text[0] == '.' || text[0] == '!' || text[0] == '?';
  return ascii && (text.size() == 1 || IsWhite(text[1])) ? 1 : 0;
}

/// Length in bytes of the sentence at the start of `text`. `text` must not begin with white space.
size_t SentenceLength(std::string_view text) {
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\n') return at;
    const size_t stop = StopLength(text.substr(at));
    if (stop > 0) return at + stop;
  }
  return text.size();
}

std::string TakeWhite(std::string_view& text) {
  size_t length = 0;
  while (length < text.size() && IsWhite(text[length])) ++length;
  const std::string white(text.substr(0, length));
  text.remove_prefix(length);
  return white;
}

}  // namespace

CutWords CutIntoWords(std::string_view text) {
  CutWords cut;
  bool in_run = false;
  const char* const end = text.data() + text.size();
  for (const char* at = text.data(); at < end;) {
    const char* const begin = at;
    const CharacterClass kind = ClassAt(at);
    const std::string_view character(begin, static_cast<size_t>(at - begin));
    const bool follows_word = !cut.words.empty() && cut.words.back().gap.empty();
    if (kind == CharacterClass::kSingle) {
      cut.words.push_back({std::string(character), "", false});
    } else if ((kind == CharacterClass::kRun && in_run) ||
               (kind == CharacterClass::kMark && follows_word)) {
      cut.words.back().text += character;
    } else if (kind == CharacterClass::kRun) {
      cut.words.push_back({std::string(character), "", true});
    } else if (cut.words.empty()) {
      cut.lead += character;
    } else {
      cut.words.back().gap += character;
    }
    in_run = kind == CharacterClass::kRun || (kind == CharacterClass::kMark && in_run);
  }
  return cut;
}

std::string Join(const CutWords& cut) {
  std::string text = cut.lead;
  for (const CutWord& word : cut.words) text += word.text + word.gap;
  return text;
}

CutSentences CutIntoSentences(std::string_view text) {
  CutSentences cut;
  cut.lead = TakeWhite(text);
  while (!text.empty()) {
    std::string_view sentence = text.substr(0, SentenceLength(text));
    text.remove_prefix(sentence.size());
    size_t kept = sentence.size();
    while (kept > 0 && IsWhite(sentence[kept - 1])) --kept;
    std::string gap(sentence.substr(kept));
    gap += TakeWhite(text);
    cut.sentences.emplace_back(sentence.substr(0, kept));
    cut.gaps.push_back(std::move(gap));
  }
  return cut;
}

std::string Join(const CutSentences& cut) {
  std::string text = cut.lead;
  for (size_t i = 0; i < cut.sentences.size(); ++i) text += cut.sentences[i] + cut.gaps[i];
  return text;
}

namespace {

/// Bounds the time and memory of the comparison.
constexpr size_t kWordsMax = 600;
/// Words that are kept at each end of a long stretch.
constexpr size_t kSharedKept = 8;
constexpr size_t kDifferingKept = 20;
constexpr const char* kEllipsis = "\u2026 ";

/// With the capital letters of ASCII as small letters.
std::string Folded(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

struct Words {
  std::vector<CutWord> words;
  std::vector<std::string> folded;
  std::vector<bool> shared;
  bool cut = false;

  explicit Words(std::string_view text) : words(CutIntoWords(text).words) {
    cut = words.size() > kWordsMax;
    if (cut) words.resize(kWordsMax);
    for (const CutWord& word : words) folded.push_back(Folded(word.text));
    shared.resize(words.size());
  }
};

/// Marks a longest common subsequence in both texts, by dynamic programming.
void MarkShared(Words& a, Words& b) {
  const size_t columns = b.words.size() + 1;
  // length(i, j): longest common subsequence of the words from i and from j on.
  std::vector<uint16_t> lengths((a.words.size() + 1) * columns);
  const auto length = [&](size_t i, size_t j) -> uint16_t& { return lengths[i * columns + j]; };
  for (size_t i = a.words.size(); i-- > 0;) {
    for (size_t j = b.words.size(); j-- > 0;) {
      length(i, j) = a.folded[i] == b.folded[j] ? static_cast<uint16_t>(length(i + 1, j + 1) + 1)
                                                : std::max(length(i + 1, j), length(i, j + 1));
    }
  }
  for (size_t i = 0, j = 0; i < a.words.size() && j < b.words.size();) {
    if (a.folded[i] == b.folded[j]) {
      a.shared[i++] = true;
      b.shared[j++] = true;
    } else if (length(i + 1, j) >= length(i, j + 1)) {
      ++i;
    } else {
      ++j;
    }
  }
}

std::vector<TextStretch> Stretches(const Words& text) {
  std::vector<TextStretch> stretches;
  for (size_t begin = 0; begin < text.words.size();) {
    size_t end = begin;
    while (end < text.words.size() && text.shared[end] == text.shared[begin]) ++end;
    const size_t kept = text.shared[begin] ? kSharedKept : kDifferingKept;
    TextStretch& stretch = stretches.emplace_back();
    stretch.differs = !text.shared[begin];
    for (size_t i = begin; i < end; ++i) {
      if (end - begin > 2 * kept + 1 && i == begin + kept) {
        stretch.text += kEllipsis;
        i = end - kept;
      }
      stretch.text += text.words[i].text + text.words[i].gap;
    }
    begin = end;
  }
  if (text.cut) stretches.push_back({kEllipsis, false});
  return stretches;
}

}  // namespace

WordDifference CompareWords(std::string_view earlier, std::string_view later) {
  Words a(earlier);
  Words b(later);
  MarkShared(a, b);
  return {Stretches(a), Stretches(b)};
}

}  // namespace neardup
