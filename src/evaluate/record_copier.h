// Edited copies of JSON records.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/seeded_random.h"
#include "evaluate/edits.h"
#include "evaluate/vocabulary.h"
#include "record/field_path.h"

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

}  // namespace neardup
