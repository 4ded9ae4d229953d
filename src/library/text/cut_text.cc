#include "text/cut_text.h"

#include <array>
#include <cstdint>
#include <utility>

#include "feature/character.h"

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

}  // namespace neardup
