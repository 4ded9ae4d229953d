#include <algorithm>
#include <string>
#include <string_view>

#include "base/hash.h"
#include "feature/character.h"
#include "feature/markup.h"
#include "schemes/families.h"
#include "schemes/sentence.h"
#include "schemes/word_set.h"

namespace neardup {

namespace {

/// A set of hashes, compared by ShareOfLarger. A derived class says what is hashed.
class WordSetScheme : public Scheme {
 public:
  WordSetScheme(std::string_view name, double equal_share_min)
      : name_(name), equal_share_min_(equal_share_min) {}

  std::string_view name() const override { return name_; }

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

  std::string_view name_;
  double equal_share_min_;
};

class SegmentScheme : public WordSetScheme {
 public:
  explicit SegmentScheme(double equal_share_min) : WordSetScheme("segments", equal_share_min) {}

 private:
  void AppendWords(std::span<const SchemeText> texts, std::vector<uint64_t>& words) const override {
    for (const Sentence& sentence : FindSentences(texts)) words.push_back(sentence.hash);
  }
};

class StructureScheme : public WordSetScheme {
 public:
  explicit StructureScheme(double equal_share_min) : WordSetScheme("structure", equal_share_min) {}

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
  FeatureCodeScheme(size_t characters, double equal_share_min)
      : WordSetScheme("feature-code", equal_share_min), characters_(characters) {}

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

std::unique_ptr<Scheme> NewSegments(double equal_share_min) {
  return std::make_unique<SegmentScheme>(equal_share_min);
}

std::unique_ptr<Scheme> NewStructure(double equal_share_min) {
  return std::make_unique<StructureScheme>(equal_share_min);
}

std::unique_ptr<Scheme> NewFeatureCode(size_t characters, double equal_share_min) {
  return std::make_unique<FeatureCodeScheme>(characters, equal_share_min);
}

}  // namespace neardup
