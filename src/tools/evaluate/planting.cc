#include "evaluate/planting.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/seeded_random.h"
#include "neardup/filter.h"
#include "record/field_extractor.h"
#include "record/field_selection.h"

namespace neardup {

namespace {

using Json = nlohmann::ordered_json;

/// Records that are tried for one copy.
constexpr int kTriesMost = 20;

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

std::string UpperCase(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  return text;
}

/// The text in markup, with wider gaps between its words.
std::string MarkUp(std::string text) {
  for (size_t at = 0; (at = text.find(' ', at)) != std::string::npos; at += 3) {
    text.insert(at, at % 2 == 0 ? "  " : " \n");
  }
  return "<p>" + text + "</p>";
}

/// Makes edited copies of JSON objects that the field extractor accepts.
class RecordCopier {
 public:
  RecordCopier(const std::vector<FieldPath>& fields, const FieldPath& id_field);

  /// Adds the words of the fields.
  void AddWords(std::string_view payload, Vocabulary& vocabulary) const;

  /// The record with another id.
  std::string WithId(std::string_view payload, const std::string& id) const;

  /// A copy with another id; nullopt if the record does not allow the edit. `donor` is the record
  /// that gives its value for kFieldChange.
  std::optional<std::string> Copy(std::string_view payload, const std::string& id, const Edit& edit,
                                  std::string_view donor, const Vocabulary& vocabulary,
                                  SeededRandom& random) const;

 private:
  /// Texts in the fields, in the order of `fields_`.
  std::vector<std::string*> Texts(Json& record) const;
  bool Apply(const Edit& edit, Json& record, std::string_view donor, const Vocabulary& vocabulary,
             SeededRandom& random) const;
  bool ChangeField(Json& record, std::string_view donor, SeededRandom& random) const;
  bool ChangeFormat(Json& record) const;

  std::vector<Json::json_pointer> fields_;
  Json::json_pointer id_field_;
};

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
  return record.dump(edit.kind == EditKind::kFormat ? 2 : -1);
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

struct Original {
  std::string payload;
  std::string id;
  uint64_t exact = 0;
  size_t cluster = 0;
  bool repeats = false;  ///< an earlier record is equal
};

struct PlantedCopy {
  std::string payload;
  Label label;
  size_t after = 0;  ///< number of the original that it follows
};

std::string ClusterName(size_t cluster) { return fmt::format("c{}", cluster + 1); }

/// Builds a planted stream: New, AddOriginals, MakeCopies, Finish, in this order.
class Planter {
 public:
  static Result<Planter> New(const PlantingOptions& options);

  Result<void> AddOriginals(const std::vector<std::string>& payloads);
  void MakeCopies();
  PlantedStream Finish();

 private:
  Planter(const PlantingOptions& options, const FilterOptions& filter,
          const std::vector<FieldPath>& fields, const FieldPath& id_field)
      : options_(options),
        fingerprinter_(filter),
        ids_(options.id_field),
        copier_(fields, id_field),
        vocabulary_(options.seed),
        random_(options.seed) {}

  Result<void> AddOriginal(const std::string& payload, int64_t line);
  std::optional<PlantedCopy> MakeCopy(const Edit& edit);
  std::string NewId(const std::string& original) const;
  FingerprintedRecord Fingerprinted(std::string_view payload) {
    return fingerprinter_.Compute({{}, 0, payload});
  }

  PlantingOptions options_;
  Fingerprinter fingerprinter_;
  RecordIdReader ids_;
  RecordCopier copier_;
  Vocabulary vocabulary_;
  SeededRandom random_;
  std::vector<Original> originals_;
  std::unordered_map<std::string, int64_t> line_of_id_;  ///< 0: the id of a copy
  std::unordered_map<uint64_t, size_t> cluster_of_exact_;
  std::vector<PlantedCopy> copies_;
  PlantedStream stream_;
};

Result<Planter> Planter::New(const PlantingOptions& options) {
  FilterOptions filter;
  for (const std::string& field : options.fields) filter.record.fields.push_back({field, 1.0});
  if (options.fields.empty() || options.edits.empty()) {
    return Error{ErrorCode::kConfig,
                 "--fields, --kinds: expected at least one field and one kind of copy"};
  }
  NEARDUP_TRY(CheckOptions(filter));
  const Result<FieldPath> id_field = ParseFieldPath(options.id_field);
  if (!id_field.ok()) {
    return Error{ErrorCode::kConfig,
                 fmt::format("--id-field \"{}\" {}", options.id_field, id_field.error().text)};
  }
  std::vector<FieldPath> fields;
  for (const std::string& field : options.fields) {
    NEARDUP_ASSIGN(const FieldPath path, ParseFieldPath(field));
    if (IsWithin(path, *id_field) || IsWithin(*id_field, path)) {
      return Error{ErrorCode::kConfig,
                   fmt::format("--id-field {}: this field is compared too, but every copy has "
                               "another id; remove it from --fields",
                               options.id_field)};
    }
    fields.push_back(path);
  }
  return Planter(options, filter, fields, *id_field);
}

Result<void> Planter::AddOriginals(const std::vector<std::string>& payloads) {
  for (size_t i = 0; i < payloads.size(); ++i) {
    NEARDUP_TRY(AddOriginal(payloads[i], static_cast<int64_t>(i) + 1));
  }
  if (payloads.empty()) {
    return Error{ErrorCode::kCorrupt, "is empty, expected JSON Lines with one record on each line"};
  }
  if (originals_.empty()) {
    return Error{
        ErrorCode::kCorrupt,
        fmt::format("none of the {} lines can be compared; expected JSON "
                    "objects with the fields of --fields{}{}",
                    payloads.size(), stream_.left_out > 0 ? ": " : "", stream_.first_left_out)};
  }
  return {};
}

Result<void> Planter::AddOriginal(const std::string& payload, int64_t line) {
  const FingerprintedRecord record = Fingerprinted(payload);
  if (record.outcome.reason != Reason::kNone) {
    if (stream_.left_out++ == 0) {
      stream_.first_left_out = fmt::format("line {}: {}", line, record.outcome.error);
    }
    return {};
  }
  Original original{payload, ids_.Read(payload, line), record.fingerprint.exact, 0, false};
  if (!ids_.Has(payload)) original.payload = copier_.WithId(payload, original.id);
  if (original.id.find_first_of("\t\r\n") != std::string::npos) {
    return Error{ErrorCode::kCorrupt,
                 fmt::format("line {}: the id contains a tab or a line end, which a labels file "
                             "cannot hold; name another field with --id-field",
                             line)};
  }
  const auto [earlier, is_new] = line_of_id_.emplace(original.id, line);
  if (!is_new) {
    return Error{ErrorCode::kCorrupt,
                 fmt::format("line {}: the id {} is on line {} too; expected each id once. Name "
                             "another field with --id-field: records without it get one",
                             line, original.id, earlier->second)};
  }
  const auto [cluster, first] = cluster_of_exact_.emplace(original.exact, cluster_of_exact_.size());
  original.cluster = cluster->second;
  original.repeats = !first;
  copier_.AddWords(original.payload, vocabulary_);
  originals_.push_back(std::move(original));
  return {};
}

void Planter::MakeCopies() {
  for (size_t i = 0; i < options_.copies; ++i) {
    const Edit& edit = options_.edits[i % options_.edits.size()];
    std::optional<PlantedCopy> copy = MakeCopy(edit);
    ++(copy ? stream_.planted : stream_.not_planted)[Name(edit)];
    if (copy) copies_.push_back(std::move(*copy));
  }
}

std::optional<PlantedCopy> Planter::MakeCopy(const Edit& edit) {
  for (int i = 0; i < kTriesMost; ++i) {
    const size_t number = random_.Below(originals_.size());
    const Original& original = originals_[number];
    const Original& donor = random_.Pick(originals_);
    const std::string id = NewId(original.id);
    std::optional<std::string> payload =
        copier_.Copy(original.payload, id, edit, donor.payload, vocabulary_, random_);
    if (!payload) continue;
    const FingerprintedRecord made = Fingerprinted(*payload);
    const bool equal = made.fingerprint.exact == original.exact;
    const bool equal_wanted = edit.kind == EditKind::kExact || edit.kind == EditKind::kFormat;
    if (made.outcome.reason != Reason::kNone || equal != equal_wanted) continue;
    line_of_id_.emplace(id, 0);
    const size_t after = number + random_.Below(originals_.size() - number);
    return PlantedCopy{
        std::move(*payload), {id, ClusterName(original.cluster), Name(edit), original.id}, after};
  }
  return std::nullopt;
}

std::string Planter::NewId(const std::string& original) const {
  size_t number = copies_.size() + 1;
  std::string id;
  do {
    id = fmt::format("{}-copy-{}", original, number++);
  } while (line_of_id_.count(id) > 0);
  return id;
}

PlantedStream Planter::Finish() {
  std::stable_sort(copies_.begin(), copies_.end(),
                   [](const PlantedCopy& a, const PlantedCopy& b) { return a.after < b.after; });
  auto copy = copies_.begin();
  for (size_t i = 0; i < originals_.size(); ++i) {
    Original& original = originals_[i];
    stream_.labels.push_back({original.id, ClusterName(original.cluster),
                              original.repeats ? "natural-exact" : "original", ""});
    stream_.payloads.push_back(std::move(original.payload));
    for (; copy != copies_.end() && copy->after == i; ++copy) {
      stream_.labels.push_back(std::move(copy->label));
      stream_.payloads.push_back(std::move(copy->payload));
    }
  }
  return std::move(stream_);
}

}  // namespace

Result<PlantedStream> PlantCopies(const std::vector<std::string>& payloads,
                                  const PlantingOptions& options) {
  NEARDUP_ASSIGN(Planter planter, Planter::New(options));
  NEARDUP_TRY(planter.AddOriginals(payloads));
  planter.MakeCopies();
  return planter.Finish();
}

}  // namespace neardup
