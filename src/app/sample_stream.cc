#include "app/sample_stream.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/sample_draft.h"

namespace neardup {
namespace {

using Json = nlohmann::ordered_json;

constexpr uint64_t kCopyPerMille = 250;
constexpr uint64_t kMalformedPerMille = 3;
constexpr uint64_t kStepMsMax = 3000;

/// Kinds of copies, in the shares they have: one of the list each time.
constexpr std::array kCopyKinds = {
    SampleKind::kExactCopy,       SampleKind::kExactCopy,    SampleKind::kExactCopy,
    SampleKind::kFormatChanged,   SampleKind::kReordered,    SampleKind::kWordsReplaced,
    SampleKind::kWordsReplaced,   SampleKind::kWordInserted, SampleKind::kWordInserted,
    SampleKind::kSentenceDropped, SampleKind::kFieldChanged};

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
Sentence& AnySentence(SampleDraft& draft, SeededRandom& random) {
  return draft.body[random.Below(draft.body.size())];
}

/// Another word than `than`.
std::string OtherWord(const std::vector<std::string>& words, const std::string& than,
                      SeededRandom& random) {
  while (true) {
    if (const std::string& word = random.Pick(words); word != than) return word;
  }
}

SampleDraft Edited(SampleDraft draft, SampleKind kind, SeededRandom& random) {
  const SampleLanguage& language = LanguageOf(draft.shape);
  if (kind == SampleKind::kReordered) {
    const auto shift = static_cast<std::ptrdiff_t>(1 + random.Below(draft.body.size() - 1));
    std::rotate(draft.body.begin(), draft.body.begin() + shift, draft.body.end());
  } else if (kind == SampleKind::kWordsReplaced) {
    for (uint64_t left = 1 + random.Below(3); left > 0; --left) {
      Sentence& sentence = AnySentence(draft, random);
      std::string& word = sentence[random.Below(sentence.size())];
      word = OtherWord(language.nouns, word, random);
    }
  } else if (kind == SampleKind::kWordInserted) {
    Sentence& sentence = AnySentence(draft, random);
    const auto place = static_cast<std::ptrdiff_t>(random.Below(sentence.size() + 1));
    sentence.insert(sentence.begin() + place, random.Pick(language.adjectives));
  } else if (kind == SampleKind::kSentenceDropped) {
    draft.body.erase(draft.body.begin() +
                     static_cast<std::ptrdiff_t>(random.Below(draft.body.size())));
  } else if (kind == SampleKind::kFieldChanged && draft.shape == SampleShape::kProduct) {
    draft.price_cents += 1 + random.Below(2000);
  } else if (kind == SampleKind::kFieldChanged) {
    draft.source = OtherWord(language.sources, draft.source, random);
  }
  return draft;
}

// ---- JSON

std::string Capitalised(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] += 'A' - 'a';
  return text;
}

std::string Text(const Sentence& sentence, const SampleLanguage& language) {
  std::string text;
  for (const std::string& word : sentence) {
    const bool mark = word[0] == ',' || word[0] == ';';
    if (!text.empty() && !mark) text += language.gap;
    text += word;
  }
  return Capitalised(text);
}

std::string Text(const std::vector<Sentence>& body, const SampleLanguage& language) {
  std::string text;
  for (const Sentence& sentence : body) {
    if (!text.empty()) text += language.gap;
    text += Text(sentence, language) + language.stop;
  }
  return text;
}

Json ToJson(const SampleDraft& draft, const std::string& id, int64_t timestamp_ms) {
  const SampleLanguage& language = LanguageOf(draft.shape);
  Json json = {{"id", id}, {"published", Rfc3339(timestamp_ms)}};
  if (draft.shape == SampleShape::kProduct) {
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

std::vector<SampleRecord> GenerateSampleStream(const SampleOptions& options) {
  SeededRandom random(options.seed);
  std::vector<SampleRecord> records;
  records.reserve(options.count);
  std::vector<std::pair<size_t, SampleDraft>> originals;
  int64_t now_ms = options.start_ms;
  while (records.size() < options.count) {
    SampleRecord record;
    record.key = "s" + std::to_string(options.seed) + "-" + std::to_string(records.size());
    record.timestamp_ms = now_ms;
    now_ms += static_cast<int64_t>(random.Below(kStepMsMax));
    SampleDraft draft;
    if (!originals.empty() && random.Chance(kCopyPerMille)) {
      const auto& [index, original] = originals[random.Below(originals.size())];
      record.kind = kCopyKinds[random.Below(kCopyKinds.size())];
      record.original = index;
      draft = Edited(original, record.kind, random);
    } else {
      draft = DraftRecord(static_cast<SampleShape>(random.Below(3)), random);
    }
    const Json json = ToJson(draft, record.key, record.timestamp_ms);
    record.payload = record.kind == SampleKind::kFormatChanged ? Reformatted(json) : json.dump();
    if (!record.original && random.Chance(kMalformedPerMille * 4 / 3)) {
      record.kind = SampleKind::kMalformed;
      record.payload = Malformed(record.payload, record.key, random);
    } else if (!record.original) {
      originals.emplace_back(records.size(), std::move(draft));
    }
    records.push_back(std::move(record));
  }
  return records;
}

}  // namespace neardup
