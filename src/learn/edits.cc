#include "learn/edits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <iterator>
#include <utility>

#include "detect/feature/character.h"
#include "learn/words.h"

namespace neardup {
namespace {

/// Words that a vocabulary keeps for each kind of script.
constexpr size_t kWordsMost = 50'000;
/// Draws for a word that is not the excluded one.
constexpr int kWordTriesMost = 50;

/// Position of a word in several texts.
struct Place {
  size_t text = 0;
  size_t word = 0;
};

std::vector<Place> PlacesOf(std::span<const CutWords> cuts) {
  std::vector<Place> places;
  for (size_t text = 0; text < cuts.size(); ++text) {
    for (size_t word = 0; word < cuts[text].words.size(); ++word) places.push_back({text, word});
  }
  return places;
}

bool ReplaceWord(CutWord& word, const Vocabulary& vocabulary, SeededRandom& random) {
  std::optional<std::string> other = vocabulary.Pick(word.spaced, word.text, random);
  if (!other) return false;
  word.text = std::move(*other);
  return true;
}

/// Swaps two letters of the word. A word without two different ASCII letters side by side, such as
/// a character of Chinese, is replaced.
bool MisspellWord(CutWord& word, const Vocabulary& vocabulary, SeededRandom& random) {
  const size_t first = random.Below(word.text.size());
  for (size_t i = 0; i + 1 < word.text.size(); ++i) {
    const size_t at = (first + i) % (word.text.size() - 1);
    char& letter = word.text[at];
    char& next = word.text[at + 1];
    if (letter == next || !IsAsciiLetter(letter) || !IsAsciiLetter(next)) continue;
    std::swap(letter, next);
    return true;
  }
  return ReplaceWord(word, vocabulary, random);
}

/// Inserts a word after the word at `place`.
bool InsertWord(CutWords& cut, size_t place, const Vocabulary& vocabulary, SeededRandom& random) {
  CutWord& before = cut.words[place];
  std::optional<std::string> text = vocabulary.Pick(before.spaced, "", random);
  if (!text) return false;
  CutWord inserted{std::move(*text), std::move(before.gap), before.spaced};
  before.gap = before.spaced ? " " : "";
  cut.words.insert(cut.words.begin() + static_cast<std::ptrdiff_t>(place) + 1, std::move(inserted));
  return true;
}

/// Keeps the punctuation around the word, and a space between two words that would otherwise meet.
void DeleteWord(CutWords& cut, size_t place) {
  const std::string gap = cut.words[place].gap;
  cut.words.erase(cut.words.begin() + static_cast<std::ptrdiff_t>(place));
  if (place == 0) return;
  CutWord& before = cut.words[place - 1];
  const bool white = gap.find_first_not_of(" \t") == std::string::npos;
  if (!white || before.gap.empty()) before.gap = gap;
  const bool runs_meet = before.gap.empty() && before.spaced && place < cut.words.size();
  if (runs_meet && cut.words[place].spaced) before.gap = " ";
}

/// Cuts `count` words off the longest text, or adds as many to it.
bool EditEnd(EditKind kind, size_t count, std::vector<CutWords>& cuts, const Vocabulary& vocabulary,
             SeededRandom& random) {
  CutWords& longest = *std::ranges::max_element(
      cuts, [](const CutWords& a, const CutWords& b) { return a.words.size() < b.words.size(); });
  if (kind == EditKind::kCut) {
    if (longest.words.size() <= count) return false;
    longest.words.resize(longest.words.size() - count);
    return true;
  }
  for (size_t i = 0; i < count; ++i) {
    if (!InsertWord(longest, longest.words.size() - 1, vocabulary, random)) return false;
  }
  return true;
}

void JoinAll(std::span<const CutWords> cuts, std::span<std::string> texts) {
  for (size_t i = 0; i < texts.size(); ++i) texts[i] = Join(cuts[i]);
}

}  // namespace

void Vocabulary::Add(std::string_view text) {
  for (CutWord& word : CutIntoWords(text).words) {
    Reservoir& reservoir = word.spaced ? spaced_ : unspaced_;
    ++reservoir.seen;
    if (reservoir.words.size() < kWordsMost) {
      reservoir.words.push_back(std::move(word.text));
    } else if (const uint64_t place = random_.Below(reservoir.seen); place < kWordsMost) {
      reservoir.words[place] = std::move(word.text);
    }
  }
}

std::optional<std::string> Vocabulary::Pick(bool spaced, std::string_view excluded,
                                            SeededRandom& random) const {
  const std::vector<std::string>& words = spaced ? spaced_.words : unspaced_.words;
  for (int i = 0; i < kWordTriesMost && !words.empty(); ++i) {
    if (const std::string& word = random.Pick(words); word != excluded) return word;
  }
  return std::nullopt;
}

bool HasStrength(EditKind kind) {
  return kind == EditKind::kInserted || kind == EditKind::kDeleted || kind == EditKind::kReplaced ||
         kind == EditKind::kCut || kind == EditKind::kAdded || kind == EditKind::kTypo;
}

std::string_view Name(EditKind kind) {
  constexpr std::string_view kNames[] = {"exact",    "reordered",    "inserted",      "deleted",
                                         "replaced", "field-change", "sentence-drop", "format",
                                         "cut",      "added",        "typo"};
  static_assert(std::size(kNames) == std::size(kEditKinds));
  return kNames[static_cast<size_t>(kind)];
}

std::optional<EditKind> EditKindOf(std::string_view name) {
  for (const EditKind kind : kEditKinds) {
    if (Name(kind) == name) return kind;
  }
  return std::nullopt;
}

std::string Name(const Edit& edit) {
  if (!HasStrength(edit.kind)) return std::string(Name(edit.kind));
  return fmt::format("{}-{}", Name(edit.kind), edit.strength_percent);
}

bool EditWords(const Edit& edit, std::span<std::string> texts, const Vocabulary& vocabulary,
               SeededRandom& random) {
  assert(HasStrength(edit.kind));
  std::vector<CutWords> cuts;
  for (const std::string& text : texts) cuts.push_back(CutIntoWords(text));
  const std::vector<Place> places = PlacesOf(cuts);
  const size_t wanted =
      std::max<size_t>(1, (places.size() * static_cast<size_t>(edit.strength_percent) + 50) / 100);
  // At least one word must be left.
  if (places.size() < wanted + (edit.kind == EditKind::kDeleted ? 1 : 0)) return false;
  if (edit.kind == EditKind::kCut || edit.kind == EditKind::kAdded) {
    const bool edited = EditEnd(edit.kind, wanted, cuts, vocabulary, random);
    if (edited) JoinAll(cuts, texts);
    return edited;
  }
  const std::vector<size_t> chosen = random.Choose(wanted, places.size());
  // From the back, so that the positions of the remaining places stay valid.
  for (auto number = chosen.rbegin(); number != chosen.rend(); ++number) {
    const auto [text, word] = places[*number];
    CutWords& cut = cuts[text];
    bool edited = true;
    if (edit.kind == EditKind::kDeleted) {
      DeleteWord(cut, word);
    } else if (edit.kind == EditKind::kInserted) {
      edited = InsertWord(cut, word, vocabulary, random);
    } else if (edit.kind == EditKind::kTypo) {
      edited = MisspellWord(cut.words[word], vocabulary, random);
    } else {
      edited = ReplaceWord(cut.words[word], vocabulary, random);
    }
    if (!edited) return false;
  }
  JoinAll(cuts, texts);
  return true;
}

bool ReorderSentences(std::string& text, SeededRandom& random) {
  CutSentences cut = CutIntoSentences(text);
  const std::vector<std::string> before = cut.sentences;
  if (std::ranges::adjacent_find(before, std::not_equal_to<>()) == before.end()) {
    return false;
  }
  while (cut.sentences == before) random.Shuffle(cut.sentences);
  text = Join(cut);
  return true;
}

bool DropSentence(std::string& text, SeededRandom& random) {
  CutSentences cut = CutIntoSentences(text);
  if (cut.sentences.size() < 2) return false;
  const auto dropped = static_cast<std::ptrdiff_t>(random.Below(cut.sentences.size()));
  cut.sentences.erase(cut.sentences.begin() + dropped);
  cut.gaps.erase(cut.gaps.begin() + dropped);
  text = Join(cut);
  return true;
}

namespace {

using Json = RecordCopier::Json;

Json Parse(std::string_view payload) {
  return Json::parse(payload, nullptr, /*allow_exceptions=*/false);
}

/// Appends every text in `value` to `texts`.
void Collect(Json& value, std::vector<std::string*>& texts) {
  if (value.is_string()) texts.push_back(value.get_ptr<std::string*>());
  if (!value.is_structured()) return;
  for (Json& below : value) Collect(below, texts);
}

bool IsShorter(const std::string* a, const std::string* b) { return a->size() < b->size(); }

size_t TextBytes(Json& value) {
  std::vector<std::string*> texts;
  Collect(value, texts);
  size_t bytes = 0;
  for (const std::string* text : texts) bytes += text->size();
  return bytes;
}

/// Several words in upper case, but for those with a digit. The case of one word alone, and of
/// identifiers, may count.
std::string UpperCase(std::string text) {
  if (text.find(' ') == std::string::npos) return text;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(' ', begin), text.size());
    const auto word = std::span(text).subspan(begin, end - begin);
    if (std::ranges::none_of(word, IsAsciiDigit)) {
      std::transform(word.begin(), word.end(), word.begin(), [](char c) {
        return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
      });
    }
    begin = end + 1;
  }
  return text;
}

/// The text in markup, with wider gaps between its words.
std::string MarkUp(std::string text) {
  for (size_t at = 0; (at = text.find(' ', at)) != std::string::npos; at += 3) {
    text.insert(at, at % 2 == 0 ? "  " : " \n");
  }
  return "<p>" + text + "</p>";
}

}  // namespace

RecordCopier::RecordCopier(const std::vector<FieldPath>& fields) {
  for (const FieldPath& field : fields) fields_.emplace_back(ToPointer(field));
}

void RecordCopier::AddWords(std::string_view payload, Vocabulary& vocabulary) const {
  Json record = Parse(payload);
  for (const std::string* text : Texts(record)) vocabulary.Add(*text);
}

std::optional<Json> RecordCopier::Edited(std::string_view payload, const Edit& edit,
                                         std::string_view donor, const Vocabulary& vocabulary,
                                         SeededRandom& random) const {
  Json record = Parse(payload);
  if (!Apply(edit, record, donor, vocabulary, random)) return std::nullopt;
  return record;
}

std::vector<std::string*> RecordCopier::Texts(Json& record) const {
  std::vector<std::string*> texts;
  for (const Json::json_pointer& field : fields_) {
    if (record.contains(field)) Collect(record[field], texts);
  }
  return texts;
}

bool RecordCopier::Apply(const Edit& edit, Json& record, std::string_view donor,
                         const Vocabulary& vocabulary, SeededRandom& random) const {
  const std::vector<std::string*> places = Texts(record);
  const auto longest = std::ranges::max_element(places, IsShorter);
  switch (edit.kind) {
    case EditKind::kExact:
      return true;
    case EditKind::kFieldChange:
      return ChangeField(record, donor, random);
    case EditKind::kFormat:
      return ChangeFormat(record);
    case EditKind::kReordered:
      return !places.empty() && ReorderSentences(**longest, random);
    case EditKind::kSentenceDrop:
      return !places.empty() && DropSentence(**longest, random);
    case EditKind::kInserted:
    case EditKind::kDeleted:
    case EditKind::kReplaced:
    case EditKind::kCut:
    case EditKind::kAdded:
    case EditKind::kTypo:
      break;
  }
  if (places.empty()) return false;
  std::vector<std::string> texts;
  for (const std::string* text : places) texts.push_back(*text);
  if (!EditWords(edit, texts, vocabulary, random)) return false;
  for (size_t i = 0; i < places.size(); ++i) *places[i] = std::move(texts[i]);
  return true;
}

bool RecordCopier::ChangeField(Json& record, std::string_view donor, SeededRandom& random) const {
  Json other = Parse(donor);
  std::vector<Json::json_pointer> present;
  for (const Json::json_pointer& field : fields_) {
    if (record.contains(field)) present.push_back(field);
  }
  if (present.size() < 2) return false;
  // Without its longest field, the record would no longer be a copy.
  present.erase(std::ranges::max_element(present, [&record](const auto& a, const auto& b) {
    return TextBytes(record[a]) < TextBytes(record[b]);
  }));
  const Json::json_pointer& field = random.Pick(present);
  if (!other.contains(field)) return false;
  record[field] = other[field];
  return true;
}

bool RecordCopier::ChangeFormat(Json& record) const {
  const std::vector<std::string*> texts = Texts(record);
  if (texts.empty()) return false;
  std::string* const longest = *std::ranges::max_element(texts, IsShorter);
  for (std::string* text : texts) *text = text == longest ? MarkUp(*text) : UpperCase(*text);
  return true;
}

}  // namespace neardup
