#include "schemes/sentence.h"

#include <string_view>
#include <utility>

#include "base/hash.h"
#include "feature/character.h"
#include "feature/markup.h"
#include "feature/tokeniser.h"

namespace neardup {

namespace {

/// What a character ends.
enum class Stop : uint8_t {
  kNone,
  kSentenceAtWordEnd,  ///< a sentence, if it stands at the end of a word
  kSentence,
  kParagraph,
};

Stop StopOf(uint32_t code_point) {
  switch (code_point) {
    case '.':
    case '!':
    case '?':
    case ';':
    case 0x2026:  // horizontal ellipsis
      return Stop::kSentenceAtWordEnd;
    case 0x3002:  // ideographic full stop
    case 0xFF61:  // its half-width form
    case 0xFF0E:  // full-width full stop
    case 0xFF01:  // full-width exclamation mark
    case 0xFF1F:  // full-width question mark
    case 0xFF1B:  // full-width semicolon
      return Stop::kSentence;
    case '\n':
    case '\r':
    case 0x85:    // next line
    case 0x2028:  // line separator
    case 0x2029:  // paragraph separator
      return Stop::kParagraph;
    default:
      return Stop::kNone;
  }
}

/// Whether the text ends at `at`, or what follows is a space, a control character or not ASCII.
bool EndsWord(const char* at, const char* end) {
  return at == end || static_cast<unsigned char>(*at) <= 0x20 ||
         static_cast<unsigned char>(*at) >= 0x80;
}

/// Splits texts into sentences with their paragraphs.
class Splitter {
 public:
  void Split(std::string_view text) {
    const char* begin = text.data();
    const char* at = begin;
    const char* const end = at + text.size();
    while (at < end) {
      const Stop stop = StopOf(DecodeUtf8(at));
      if (stop == Stop::kNone || (stop == Stop::kSentenceAtWordEnd && !EndsWord(at, end))) continue;
      Add({begin, static_cast<size_t>(at - begin)});
      begin = at;
      if (stop == Stop::kParagraph) ++paragraph_;
    }
    Add({begin, static_cast<size_t>(end - begin)});
    ++paragraph_;
  }
  std::vector<Sentence> Take() { return std::move(sentences_); }

 private:
  void Add(std::string_view sentence) {
    tokens_.Clear();
    tokeniser_.Tokenise(sentence, tokens_);
    if (tokens_.token_count() == 0) return;
    sentences_.push_back({Hash64(tokens_.TextFrom(0)), tokens_.token_count(), paragraph_});
  }

  Tokeniser tokeniser_{false};
  TokenList tokens_;
  size_t paragraph_ = 0;
  std::vector<Sentence> sentences_;
};

}  // namespace

std::vector<Sentence> FindSentences(std::span<const SchemeText> texts) {
  Splitter splitter;
  MarkupStripper markup;
  for (const SchemeText& text : texts) splitter.Split(markup.Strip(text.raw));
  return splitter.Take();
}

}  // namespace neardup
