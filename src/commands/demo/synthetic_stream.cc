#include "commands/demo/synthetic_stream.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <chrono>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "commands/demo/synthetic_words.h"
#include "commands/evaluate/planting.h"
#include "detect/base/random.h"

namespace neardup {
namespace {

using Json = nlohmann::ordered_json;
/// The words of a sentence, without its stop.
using WordList = std::vector<std::string>;

constexpr uint64_t kStepMsMax = 4000;

// Numbers of words that one record repeats.
constexpr size_t kNouns = 20;
constexpr size_t kAdjectives = 9;
constexpr size_t kVerbs = 10;
constexpr size_t kNames = 3;

constexpr std::array kPlantedKinds = {
    PlantedKind{{EditKind::kExact}, 3, "exact copy"},
    PlantedKind{{EditKind::kFormat}, 1, "format changed"},
    PlantedKind{{EditKind::kReordered}, 1, "sentences reordered"},
    PlantedKind{{EditKind::kReplaced, 1}, 2, "1 % of words replaced"},
    PlantedKind{{EditKind::kInserted, 1}, 2, "1 % of words inserted"},
    PlantedKind{{EditKind::kSentenceDrop}, 1, "sentence dropped"},
    PlantedKind{{EditKind::kFieldChange}, 1, "one field changed"},
};

/// Every field that any record has, except those excluded.
const std::vector<std::string> kFields = {"title",  "name",  "body", "description",
                                          "source", "brand", "price"};

enum class Shape : uint8_t { kEnglishNews, kChineseNews, kProduct };
constexpr uint64_t kShapes = 3;

const SyntheticLanguage& LanguageOf(Shape shape) {
  switch (shape) {
    case Shape::kEnglishNews:
      return EnglishNews();
    case Shape::kChineseNews:
      return ChineseNews();
    case Shape::kProduct:
      return EnglishProducts();
  }
  return EnglishNews();
}

/// The few words that one record repeats. Two unrelated records share few of them, like two real
/// articles.
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

/// Whether the byte at `at` is a slot (see SyntheticLanguage).
bool IsSlot(const std::string& pattern, size_t at) {
  const auto is_letter = [&](size_t i) {
    const char c = i < pattern.size() ? pattern[i] : ' ';
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  // A slot of a spaced pattern is a letter by itself; slots of an unspaced one may touch.
  const bool spaced = pattern.find(' ') != std::string::npos;
  const bool alone = !spaced || (!is_letter(at + 1) && (at == 0 || !is_letter(at - 1)));
  return alone && std::string_view("NAVPLOD").find(pattern[at]) != std::string_view::npos;
}

WordList FillPattern(const std::string& pattern, Cast& cast) {
  WordList words;
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

std::string Capitalised(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] += 'A' - 'a';
  return text;
}

std::string Text(const WordList& sentence, const SyntheticLanguage& language) {
  std::string text;
  for (const std::string& word : sentence) {
    const bool mark = word[0] == ',' || word[0] == ';';
    if (!text.empty() && !mark) text += language.gap;
    text += word;
  }
  return Capitalised(text);
}

std::string Rfc3339(int64_t ms) {
  const std::chrono::sys_time<std::chrono::milliseconds> time{std::chrono::milliseconds(ms)};
  const auto second = std::chrono::floor<std::chrono::seconds>(time);
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", second, (time - second).count());
}

/// An article or a product.
Json NewRecord(const std::string& id, int64_t timestamp_ms, SeededRandom& random) {
  const auto shape = static_cast<Shape>(random.Below(kShapes));
  const SyntheticLanguage& language = LanguageOf(shape);
  Cast cast(language, random);
  const std::string title = Text(FillPattern(random.Pick(language.titles), cast), language);
  std::string body;
  const size_t sentences = 10 + random.Below(7);
  for (const std::string& pattern : Draw(language.patterns, sentences, random)) {
    if (!body.empty()) body += language.gap;
    body += Text(FillPattern(pattern, cast), language) + language.stop;
  }
  const std::string source = random.Pick(language.sources);
  Json json = {{"id", id}, {"published", Rfc3339(timestamp_ms)}};
  if (shape == Shape::kProduct) {
    const uint64_t cents = 199 + random.Below(80'000);
    json["name"] = title;
    json["brand"] = source;
    json["description"] = body;
    json["price"] = fmt::format("{}.{:02}", cents / 100, cents % 100);
  } else {
    json["title"] = title;
    json["body"] = body;
    json["source"] = source;
  }
  return json;
}

std::string MalformedPayload(const std::string& id, int64_t timestamp_ms, SeededRandom& random) {
  const std::string payload = NewRecord(id, timestamp_ms, random).dump();
  switch (random.Below(6)) {
    case 0:  // truncated
      return payload.substr(0, payload.size() / 2);
    case 1: {  // not UTF-8
      std::string broken = payload;
      broken.insert(broken.size() - 2, "\xc3\x28\xff");
      return broken;
    }
    case 2:  // no field to compare
      return Json({{"id", id}}).dump();
    case 3:  // only nulls to compare
      return fmt::format(R"({{"id":"{}","title":null,"body":null}})", id);
    case 4:  // an array instead of an object
      return "[" + payload + "]";
    default:
      return "";
  }
}

/// Makes a stream: originals, copies of them, and malformed records in between.
class Generator {
 public:
  explicit Generator(const SyntheticOptions& options)
      : options_(options), random_(options.seed), now_ms_(options.start_ms) {}

  SyntheticStream Generate() {
    const size_t malformed = options_.count * 3 / 1000;
    const size_t copies = options_.count / 4;
    MakeOriginals(options_.count - copies - malformed);
    const PlantedStream planted = Plant(copies);
    Merge(planted, random_.Choose(malformed, options_.count));
    return std::move(stream_);
  }

 private:
  void MakeOriginals(size_t count) {
    for (size_t i = 0; i < count; ++i) {
      originals_.push_back(NewRecord(NewId(), now_ms_, random_).dump());
      original_ms_.push_back(now_ms_);
      now_ms_ += static_cast<int64_t>(random_.Below(kStepMsMax));
    }
  }

  PlantedStream Plant(size_t copies) const {
    if (originals_.empty()) return {};
    PlantingOptions planting;
    planting.fields = kFields;
    planting.copies = copies;
    planting.seed = options_.seed;
    for (const PlantedKind& kind : kPlantedKinds) {
      planting.edits.insert(planting.edits.end(), kind.share, kind.edit);
    }
    Result<PlantedStream> planted = PlantCopies(originals_, planting);
    assert(planted.ok() && planted->left_out == 0);
    return std::move(planted.value());
  }

  /// Puts malformed records at these places. A copy comes at the time of the record before it.
  void Merge(const PlantedStream& planted, const std::vector<size_t>& malformed) {
    auto next_malformed = malformed.begin();
    size_t next = 0;
    size_t next_original = 0;
    int64_t time_ms = options_.start_ms;
    while (stream_.records.size() < options_.count) {
      if (next_malformed != malformed.end() && *next_malformed == stream_.records.size()) {
        ++next_malformed;
        const std::string id = NewId();
        Add({id, id, kMalformedKind, ""}, MalformedPayload(id, time_ms, random_), time_ms);
      } else if (next < planted.payloads.size()) {
        const Label& label = planted.labels[next];
        if (label.original.empty()) time_ms = original_ms_[next_original++];
        Add(label, planted.payloads[next++], time_ms);
      } else {
        // In place of a copy for which no record allowed the edit.
        const std::string id = NewId();
        Add({id, id, "original", ""}, NewRecord(id, time_ms, random_).dump(), time_ms);
      }
    }
  }

  std::string NewId() { return fmt::format("s{}-{}", options_.seed, ids_++); }

  void Add(Label label, std::string payload, int64_t timestamp_ms) {
    stream_.records.push_back({label.id, std::move(payload), timestamp_ms});
    stream_.labels.push_back(std::move(label));
  }

  SyntheticOptions options_;
  SeededRandom random_;
  int64_t now_ms_;
  uint64_t ids_ = 0;
  std::vector<std::string> originals_;
  std::vector<int64_t> original_ms_;
  SyntheticStream stream_;
};

}  // namespace

std::span<const PlantedKind> PlantedKinds() { return kPlantedKinds; }

SyntheticStream GenerateSyntheticStream(const SyntheticOptions& options) {
  return Generator(options).Generate();
}

}  // namespace neardup
