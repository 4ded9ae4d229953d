#include "evaluate/record_copier.h"

#include <algorithm>
#include <utility>

namespace neardup {
namespace {

using Json = nlohmann::ordered_json;

Json Parse(std::string_view payload) {
  return Json::parse(payload, nullptr, /*allow_exceptions=*/false);
}

/// Every text at `value` or below it.
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

}  // namespace

RecordCopier::RecordCopier(const std::vector<FieldPath>& fields, const FieldPath& id_field)
    : id_field_(ToPointer(id_field)) {
  for (const FieldPath& field : fields) fields_.emplace_back(ToPointer(field));
}

void RecordCopier::AddWords(std::string_view payload, Vocabulary& vocabulary) const {
  Json record = Parse(payload);
  for (const std::string* text : Texts(record)) vocabulary.Add(*text);
}

std::string RecordCopier::WithId(std::string_view payload, const std::string& id) const {
  Json record = Parse(payload);
  record[id_field_] = id;
  return record.dump();
}

std::optional<std::string> RecordCopier::Copy(std::string_view payload, const std::string& id,
                                              const Edit& edit, std::string_view donor,
                                              const Vocabulary& vocabulary,
                                              SeededRandom& random) const {
  Json record = Parse(payload);
  if (!Apply(edit, record, donor, vocabulary, random)) return std::nullopt;
  record[id_field_] = id;
  return record.dump();
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
  if (edit.kind == EditKind::kExact) return true;
  if (edit.kind == EditKind::kFieldChange) return ChangeField(record, donor, random);
  const std::vector<std::string*> places = Texts(record);
  if (places.empty()) return false;
  std::string& longest = **std::max_element(places.begin(), places.end(), IsShorter);
  if (edit.kind == EditKind::kReordered) return ReorderSentences(longest, random);
  if (edit.kind == EditKind::kSentenceDrop) return DropSentence(longest, random);
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
  // The longest is what the record is about.
  present.erase(
      std::max_element(present.begin(), present.end(), [&record](const auto& a, const auto& b) {
        return TextBytes(record[a]) < TextBytes(record[b]);
      }));
  const Json::json_pointer& field = random.Pick(present);
  if (!other.contains(field)) return false;
  record[field] = other[field];
  return true;
}

}  // namespace neardup
