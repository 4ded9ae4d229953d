#include "commands/evaluate/planting.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "detect/base/random.h"
#include "detect/record/field_extractor.h"
#include "detect/record/field_selection.h"
#include "neardup/filter.h"

namespace neardup {
namespace {

using Json = nlohmann::ordered_json;

/// Records that are tried for one copy.
constexpr int kTriesMost = 20;

Json Parse(std::string_view payload) {
  return Json::parse(payload, nullptr, /*allow_exceptions=*/false);
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
        id_field_(ToPointer(id_field)),
        copier_(fields),
        vocabulary_(options.seed),
        random_(options.seed) {}

  Result<void> AddOriginal(const std::string& payload, int64_t line);
  std::optional<PlantedCopy> MakeCopy(const Edit& edit);
  std::string NewId(const std::string& original) const;
  /// The record with this id.
  std::string WithId(std::string_view payload, const std::string& id) const;
  FingerprintedRecord Fingerprinted(std::string_view payload) {
    return fingerprinter_.Compute({{}, 0, payload});
  }

  PlantingOptions options_;
  Fingerprinter fingerprinter_;
  RecordIdReader ids_;
  Json::json_pointer id_field_;
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
    return Error{ErrorCode::kBadInput,
                 "is empty, expected JSON Lines with one record on each line"};
  }
  if (originals_.empty()) {
    return Error{
        ErrorCode::kBadInput,
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
  if (!ids_.Has(payload)) original.payload = WithId(payload, original.id);
  if (original.id.find_first_of("\t\r\n") != std::string::npos) {
    return Error{ErrorCode::kBadInput,
                 fmt::format("line {}: the id contains a tab or a line end, which a labels file "
                             "cannot hold; name another field with --id-field",
                             line)};
  }
  const auto [earlier, is_new] = line_of_id_.emplace(original.id, line);
  if (!is_new) {
    return Error{ErrorCode::kBadInput,
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
    std::optional<Json> record =
        copier_.Edited(original.payload, edit, donor.payload, vocabulary_, random_);
    if (!record) continue;
    (*record)[id_field_] = id;
    std::string payload = record->dump(edit.kind == EditKind::kFormat ? 2 : -1);
    const FingerprintedRecord made = Fingerprinted(payload);
    const bool equal = made.fingerprint.exact == original.exact;
    const bool equal_wanted = edit.kind == EditKind::kExact || edit.kind == EditKind::kFormat;
    if (made.outcome.reason != Reason::kNone || equal != equal_wanted) continue;
    line_of_id_.emplace(id, 0);
    const size_t after = number + random_.Below(originals_.size() - number);
    return PlantedCopy{
        std::move(payload), {id, ClusterName(original.cluster), Name(edit), original.id}, after};
  }
  return std::nullopt;
}

std::string Planter::WithId(std::string_view payload, const std::string& id) const {
  Json record = Parse(payload);
  record[id_field_] = id;
  return record.dump();
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
