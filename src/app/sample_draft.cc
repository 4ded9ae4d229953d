#include "app/sample_draft.h"

#include <algorithm>
#include <utility>

namespace neardup {
namespace {

constexpr size_t kNouns = 20;
constexpr size_t kAdjectives = 9;
constexpr size_t kVerbs = 10;
constexpr size_t kNames = 3;

/// The words one record keeps coming back to. Because each has its own few, two unrelated records
/// share little, as two real articles do.
class Cast {
 public:
  Cast(const SampleLanguage& language, SeededRandom& random) : random_(random) {
    nouns_ = Some(language.nouns, kNouns);
    adjectives_ = Some(language.adjectives, kAdjectives);
    verbs_ = Some(language.verbs, kVerbs);
    places_ = Some(language.places, kNames);
    for (size_t i = 0; i < kNames; ++i) {
      const std::string given = random.Pick(language.given_names);
      const std::string family = random.Pick(language.family_names);
      people_.push_back(language.family_name_first ? family + given : given + " " + family);
      organisations_.push_back(places_[i] + language.gap + random.Pick(language.organisations));
    }
  }

  std::string Fill(char slot) {
    switch (slot) {
      case 'N':
        return random_.Pick(nouns_);
      case 'A':
        return random_.Pick(adjectives_);
      case 'V':
        return random_.Pick(verbs_);
      case 'P':
        return random_.Pick(people_);
      case 'L':
        return random_.Pick(places_);
      case 'O':
        return random_.Pick(organisations_);
      default:
        return std::to_string(2 + random_.Below(random_.Chance(800) ? 90 : 4000));
    }
  }

 private:
  std::vector<std::string> Some(const std::vector<std::string>& words, size_t count) {
    std::vector<std::string> some;
    for (size_t i = 0; i < count; ++i) some.push_back(random_.Pick(words));
    return some;
  }

  SeededRandom& random_;
  std::vector<std::string> nouns_;
  std::vector<std::string> adjectives_;
  std::vector<std::string> verbs_;
  std::vector<std::string> people_;
  std::vector<std::string> places_;
  std::vector<std::string> organisations_;
};

bool IsSlot(const std::string& pattern, size_t at) {
  const auto is_letter = [&](size_t i) {
    const char c = i < pattern.size() ? pattern[i] : ' ';
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  // In unspaced text slots may stand side by side; in spaced text they stand alone.
  const bool spaced = pattern.find(' ') != std::string::npos;
  const bool alone = !spaced || (!is_letter(at + 1) && (at == 0 || !is_letter(at - 1)));
  return alone && std::string_view("NAVPLOD").find(pattern[at]) != std::string_view::npos;
}

Sentence FillPattern(const std::string& pattern, Cast& cast) {
  Sentence words;
  std::string word;
  const auto end_word = [&] {
    if (!word.empty()) words.push_back(std::exchange(word, ""));
  };
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == ' ') {
      end_word();
    } else if (IsSlot(pattern, i)) {
      end_word();
      words.push_back(cast.Fill(pattern[i]));
    } else {
      word += pattern[i];
    }
  }
  end_word();
  return words;
}

/// `count` different elements in random order.
std::vector<std::string> Draw(std::vector<std::string> from, size_t count, SeededRandom& random) {
  count = std::min(count, from.size());
  for (size_t i = 0; i < count; ++i) std::swap(from[i], from[i + random.Below(from.size() - i)]);
  from.resize(count);
  return from;
}

}  // namespace

const SampleLanguage& LanguageOf(SampleShape shape) {
  switch (shape) {
    case SampleShape::kEnglishNews:
      return EnglishNews();
    case SampleShape::kChineseNews:
      return ChineseNews();
    case SampleShape::kProduct:
      return EnglishProducts();
  }
  return EnglishNews();
}

SampleDraft DraftRecord(SampleShape shape, SeededRandom& random) {
  const SampleLanguage& language = LanguageOf(shape);
  Cast cast(language, random);
  SampleDraft draft;
  draft.shape = shape;
  draft.title = FillPattern(random.Pick(language.titles), cast);
  const size_t sentences = 10 + random.Below(7);
  for (const std::string& pattern : Draw(language.patterns, sentences, random)) {
    draft.body.push_back(FillPattern(pattern, cast));
  }
  draft.source = random.Pick(language.sources);
  draft.price_cents = 199 + random.Below(80'000);
  return draft;
}

}  // namespace neardup
