#include "demo/synthetic_stream.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
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
  Cast(const SyntheticLanguage& language, SeededRandom& random) : random_(random) {
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

const SyntheticLanguage& LanguageOf(SyntheticShape shape) {
  switch (shape) {
    case SyntheticShape::kEnglishNews:
      return EnglishNews();
    case SyntheticShape::kChineseNews:
      return ChineseNews();
    case SyntheticShape::kProduct:
      return EnglishProducts();
  }
  return EnglishNews();
}

SyntheticDraft DraftRecord(SyntheticShape shape, SeededRandom& random) {
  const SyntheticLanguage& language = LanguageOf(shape);
  Cast cast(language, random);
  SyntheticDraft draft;
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

namespace {

using Json = nlohmann::ordered_json;

constexpr uint64_t kCopyPerMille = 250;
constexpr uint64_t kMalformedPerMille = 3;
constexpr uint64_t kStepMsMax = 3000;

/// Kinds of copies, in the shares they have: one of the list each time.
constexpr std::array kCopyKinds = {
    SyntheticKind::kExactCopy,       SyntheticKind::kExactCopy,    SyntheticKind::kExactCopy,
    SyntheticKind::kFormatChanged,   SyntheticKind::kReordered,    SyntheticKind::kWordsReplaced,
    SyntheticKind::kWordsReplaced,   SyntheticKind::kWordInserted, SyntheticKind::kWordInserted,
    SyntheticKind::kSentenceDropped, SyntheticKind::kFieldChanged};

std::string Rfc3339(int64_t ms) {
  using namespace std::chrono;
  const sys_time<milliseconds> time{milliseconds(ms)};
  const auto day = floor<days>(time);
  const year_month_day date(day);
  const hh_mm_ss clock(time - day);
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02d.%03dZ",
                static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                static_cast<unsigned>(date.day()), static_cast<int>(clock.hours().count()),
                static_cast<int>(clock.minutes().count()),
                static_cast<int>(clock.seconds().count()),
                static_cast<int>(clock.subseconds().count()));
  return text.data();
}

// ---- the copies

/// A sentence with at least one word; drafts have no others.
Sentence& AnySentence(SyntheticDraft& draft, SeededRandom& random) {
  return draft.body[random.Below(draft.body.size())];
}

/// Another word than `than`.
std::string OtherWord(const std::vector<std::string>& words, const std::string& than,
                      SeededRandom& random) {
  while (true) {
    if (const std::string& word = random.Pick(words); word != than) return word;
  }
}

SyntheticDraft Edited(SyntheticDraft draft, SyntheticKind kind, SeededRandom& random) {
  const SyntheticLanguage& language = LanguageOf(draft.shape);
  if (kind == SyntheticKind::kReordered) {
    const auto shift = static_cast<std::ptrdiff_t>(1 + random.Below(draft.body.size() - 1));
    std::rotate(draft.body.begin(), draft.body.begin() + shift, draft.body.end());
  } else if (kind == SyntheticKind::kWordsReplaced) {
    for (uint64_t left = 1 + random.Below(3); left > 0; --left) {
      Sentence& sentence = AnySentence(draft, random);
      std::string& word = sentence[random.Below(sentence.size())];
      word = OtherWord(language.nouns, word, random);
    }
  } else if (kind == SyntheticKind::kWordInserted) {
    Sentence& sentence = AnySentence(draft, random);
    const auto place = static_cast<std::ptrdiff_t>(random.Below(sentence.size() + 1));
    sentence.insert(sentence.begin() + place, random.Pick(language.adjectives));
  } else if (kind == SyntheticKind::kSentenceDropped) {
    draft.body.erase(draft.body.begin() +
                     static_cast<std::ptrdiff_t>(random.Below(draft.body.size())));
  } else if (kind == SyntheticKind::kFieldChanged && draft.shape == SyntheticShape::kProduct) {
    draft.price_cents += 1 + random.Below(2000);
  } else if (kind == SyntheticKind::kFieldChanged) {
    draft.source = OtherWord(language.sources, draft.source, random);
  }
  return draft;
}

// ---- JSON

std::string Capitalised(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] += 'A' - 'a';
  return text;
}

std::string Text(const Sentence& sentence, const SyntheticLanguage& language) {
  std::string text;
  for (const std::string& word : sentence) {
    const bool mark = word[0] == ',' || word[0] == ';';
    if (!text.empty() && !mark) text += language.gap;
    text += word;
  }
  return Capitalised(text);
}

std::string Text(const std::vector<Sentence>& body, const SyntheticLanguage& language) {
  std::string text;
  for (const Sentence& sentence : body) {
    if (!text.empty()) text += language.gap;
    text += Text(sentence, language) + language.stop;
  }
  return text;
}

Json ToJson(const SyntheticDraft& draft, const std::string& id, int64_t timestamp_ms) {
  const SyntheticLanguage& language = LanguageOf(draft.shape);
  Json json = {{"id", id}, {"published", Rfc3339(timestamp_ms)}};
  if (draft.shape == SyntheticShape::kProduct) {
    json["name"] = Text(draft.title, language);
    json["brand"] = draft.source;
    json["description"] = Text(draft.body, language);
    json["price"] = std::to_string(draft.price_cents / 100) + "." +
                    std::to_string(draft.price_cents % 100 / 10) +
                    std::to_string(draft.price_cents % 10);
  } else {
    json["title"] = Text(draft.title, language);
    json["body"] = Text(draft.body, language);
    json["source"] = draft.source;
  }
  return json;
}

/// The same content to a reader: upper case, markup, wide gaps, fields the other way round.
std::string Reformatted(const Json& json) {
  Json reversed = Json::object();
  for (auto field = json.rbegin(); field != json.rend(); ++field) {
    std::string text = field.value();
    if (field.key() == "title" || field.key() == "name") {
      std::transform(text.begin(), text.end(), text.begin(),
                     [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
    } else if (field.key() == "body" || field.key() == "description") {
      for (size_t at = 0; (at = text.find(' ', at)) != std::string::npos; at += 3) {
        text.insert(at, at % 2 == 0 ? "  " : " \n");
      }
      text = "<p>" + text + "</p>";
    }
    reversed[field.key()] = text;
  }
  return reversed.dump(2);
}

std::string Malformed(const std::string& payload, const std::string& id, SeededRandom& random) {
  switch (random.Below(6)) {
    case 0:  // torn off
      return payload.substr(0, payload.size() / 2);
    case 1: {  // not UTF-8
      std::string broken = payload;
      broken.insert(broken.size() - 2, "\xc3\x28\xff");
      return broken;
    }
    case 2:  // nothing to compare
      return Json({{"id", id}}).dump();
    case 3:  // nothing but nulls
      return R"({"id":")" + id + R"(","title":null,"body":null})";
    case 4:  // no object
      return "[" + payload + "]";
    default:
      return "";
  }
}

}  // namespace

std::vector<SyntheticRecord> GenerateSampleStream(const SyntheticOptions& options) {
  SeededRandom random(options.seed);
  std::vector<SyntheticRecord> records;
  records.reserve(options.count);
  std::vector<std::pair<size_t, SyntheticDraft>> originals;
  int64_t now_ms = options.start_ms;
  while (records.size() < options.count) {
    SyntheticRecord record;
    record.key = "s" + std::to_string(options.seed) + "-" + std::to_string(records.size());
    record.timestamp_ms = now_ms;
    now_ms += static_cast<int64_t>(random.Below(kStepMsMax));
    SyntheticDraft draft;
    if (!originals.empty() && random.Chance(kCopyPerMille)) {
      const auto& [index, original] = originals[random.Below(originals.size())];
      record.kind = kCopyKinds[random.Below(kCopyKinds.size())];
      record.original = index;
      draft = Edited(original, record.kind, random);
    } else {
      draft = DraftRecord(static_cast<SyntheticShape>(random.Below(3)), random);
    }
    const Json json = ToJson(draft, record.key, record.timestamp_ms);
    record.payload = record.kind == SyntheticKind::kFormatChanged ? Reformatted(json) : json.dump();
    if (!record.original && random.Chance(kMalformedPerMille * 4 / 3)) {
      record.kind = SyntheticKind::kMalformed;
      record.payload = Malformed(record.payload, record.key, random);
    } else if (!record.original) {
      originals.emplace_back(records.size(), std::move(draft));
    }
    records.push_back(std::move(record));
  }
  return records;
}

}  // namespace neardup
