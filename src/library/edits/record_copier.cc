#include "edits/record_copier.h"

#include <algorithm>
#include <span>
#include <utility>

#include "feature/character.h"

namespace neardup {

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
    if (std::none_of(word.begin(), word.end(), IsAsciiDigit)) {
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
  const auto longest = std::max_element(places.begin(), places.end(), IsShorter);
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
  present.erase(
      std::max_element(present.begin(), present.end(), [&record](const auto& a, const auto& b) {
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
  std::string* const longest = *std::max_element(texts.begin(), texts.end(), IsShorter);
  for (std::string* text : texts) *text = text == longest ? MarkUp(*text) : UpperCase(*text);
  Json reversed = Json::object();
  for (auto field = record.rbegin(); field != record.rend(); ++field) {
    reversed[field.key()] = field.value();
  }
  record = std::move(reversed);
  return true;
}

}  // namespace neardup
