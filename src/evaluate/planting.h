// Edited copies of JSON records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/seeded_random.h"
#include "evaluate/edits.h"
#include "evaluate/labelled_set.h"
#include "neardup/result.h"
#include "record/field_selection.h"

namespace neardup {

/// Knows which fields count. Payloads given to it are objects the extractor took.
class RecordCopier {
 public:
  RecordCopier(const std::vector<FieldPath>& fields, const FieldPath& id_field);

  /// Takes the words of the fields in.
  void AddWords(std::string_view payload, Vocabulary& vocabulary) const;

  /// The record with another id.
  std::string WithId(std::string_view payload, const std::string& id) const;

  /// A copy with the id and the edit; nullopt when the edit cannot be made of this record.
  /// `donor` gives the value for kFieldChange.
  std::optional<std::string> Copy(std::string_view payload, const std::string& id, const Edit& edit,
                                  std::string_view donor, const Vocabulary& vocabulary,
                                  SeededRandom& random) const;

 private:
  using Json = nlohmann::ordered_json;

  /// Texts of the fields, in the order of `fields_`.
  std::vector<std::string*> Texts(Json& record) const;
  bool Apply(const Edit& edit, Json& record, std::string_view donor, const Vocabulary& vocabulary,
             SeededRandom& random) const;
  bool ChangeField(Json& record, std::string_view donor, SeededRandom& random) const;

  std::vector<Json::json_pointer> fields_;
  Json::json_pointer id_field_;
};

// A stream of somebody's own records, with copies planted in it whose originals are known.

struct PlantingOptions {
  /// Compared, and so edited: top-level names or JSON Pointers. At least one.
  std::vector<std::string> fields;
  /// Names a record; records without it get it. Not one of `fields`.
  std::string id_field = "id";
  /// Taken in turn. At least one.
  std::vector<Edit> edits;
  size_t copies = 0;
  uint64_t seed = 1;
};

struct PlantedStream {
  /// Each copy stands behind its original, any distance equally likely. A record that had an id is
  /// as it was, byte for byte.
  std::vector<std::string> payloads;
  /// One for each payload. Records whose fields are equal already share a cluster, with the kind
  /// natural-exact; records that are only alike are not known to be copies.
  std::vector<Label> labels;
  /// Lines left out because they are dead letters, and what is wrong with the first.
  uint64_t left_out = 0;
  std::string first_left_out;
  /// By name of the edit: copies made, and copies for which no record was found that the edit could
  /// be made of (one sentence only, one field only, ...).
  std::map<std::string, uint64_t> planted;
  std::map<std::string, uint64_t> not_planted;
};

/// Every copy is checked with the filter's own exact hash: an exact one is equal to its original,
/// every other differs by more than letter case and punctuation. Equal arguments give equal streams
/// on every machine.
Result<PlantedStream> PlantCopies(const std::vector<std::string>& payloads,
                                  const PlantingOptions& options);

}  // namespace neardup
