#include "commands/evaluate/sentence_schemes.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "commands/evaluate/families.h"
#include "detect/base/hash.h"
#include "detect/feature/character.h"
#include "detect/feature/markup.h"
#include "detect/feature/tokeniser.h"

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

namespace {

/// A set of hashes, compared by ShareOfLarger. A derived class says what is hashed.
class WordSetScheme : public Scheme {
 public:
  explicit WordSetScheme(const SchemeValues& values)
      : equal_share_min_(values.Real("equal_share_min")) {}

  void Compute(std::span<const SchemeText> texts, Sketch& sketch) const override {
    sketch.words.clear();
    AppendWords(texts, sketch.words);
    MakeSet(sketch.words);
    TakePrefixKeys(equal_share_min_, sketch);
  }

  std::optional<int> Distance(std::span<const uint64_t> earlier,
                              std::span<const uint64_t> later) const override {
    return DistanceOf(ShareOfLarger(earlier, later), equal_share_min_);
  }

 private:
  virtual void AppendWords(std::span<const SchemeText> texts,
                           std::vector<uint64_t>& words) const = 0;

  double equal_share_min_;
};

class SegmentScheme : public WordSetScheme {
 public:
  using WordSetScheme::WordSetScheme;

 private:
  void AppendWords(std::span<const SchemeText> texts, std::vector<uint64_t>& words) const override {
    for (const Sentence& sentence : FindSentences(texts)) words.push_back(sentence.hash);
  }
};

class StructureScheme : public WordSetScheme {
 public:
  using WordSetScheme::WordSetScheme;

 private:
  void AppendWords(std::span<const SchemeText> texts, std::vector<uint64_t>& words) const override {
    const auto sentences = FindSentences(texts);
    const auto same_paragraph = [&sentences](size_t a, size_t b) {
      return b < sentences.size() && sentences[a].paragraph == sentences[b].paragraph;
    };
    for (size_t i = 0; i < sentences.size(); ++i) {
      const bool first = i == 0 || !same_paragraph(i - 1, i);
      if (first || !same_paragraph(i, i + 1)) words.push_back(sentences[i].hash);
    }
  }
};

bool IsMark(int32_t code_point) {
  constexpr std::u32string_view kMarks = U".,;:!?\u3001\u3002";
  return kMarks.find(static_cast<char32_t>(code_point)) != std::u32string_view::npos;
}

class FeatureCodeScheme : public WordSetScheme {
 public:
  explicit FeatureCodeScheme(const SchemeValues& values)
      : WordSetScheme(values), characters_(values.Whole("characters")) {}

 private:
  void AppendWords(std::span<const SchemeText> texts, std::vector<uint64_t>& words) const override {
    TextFolder folder;
    MarkupStripper markup;
    for (const SchemeText& text : texts) AppendCodes(folder.Fold(markup.Strip(text.raw)), words);
  }

  void AppendCodes(std::span<const int32_t> folded, std::vector<uint64_t>& words) const {
    std::vector<uint32_t> letters;
    std::vector<size_t> marks;  // for each mark, the number of letters before it
    for (const int32_t code_point : folded) {
      if (ClassOf(static_cast<uint32_t>(code_point)) != CharacterClass::kSeparator) {
        letters.push_back(static_cast<uint32_t>(code_point));
      } else if (IsMark(code_point) && !letters.empty()) {
        marks.push_back(letters.size());
      }
    }
    if (letters.empty()) return;
    if (marks.empty()) words.push_back(HashOf(letters));
    for (const size_t mark : marks) {
      const size_t begin = mark - std::min(mark, characters_);
      const size_t end = std::min(mark + characters_, letters.size());
      words.push_back(HashOf(std::span(letters).subspan(begin, end - begin)));
    }
  }

  static uint64_t HashOf(std::span<const uint32_t> letters) {
    std::string bytes(4 * letters.size(), '\0');
    size_t size = 0;
    for (const uint32_t letter : letters) size += EncodeUtf8(letter, bytes.data() + size);
    return Hash64({bytes.data(), size});
  }

  size_t characters_;
};

}  // namespace

std::unique_ptr<Scheme> NewSegments(const SchemeValues& values, SharedFrequencies) {
  return std::make_unique<SegmentScheme>(values);
}

std::unique_ptr<Scheme> NewStructure(const SchemeValues& values, SharedFrequencies) {
  return std::make_unique<StructureScheme>(values);
}

std::unique_ptr<Scheme> NewFeatureCode(const SchemeValues& values, SharedFrequencies) {
  return std::make_unique<FeatureCodeScheme>(values);
}

}  // namespace neardup
