// Makes edited copies of single records.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/seeded_random.h"
#include "edits/edits.h"
#include "record/field_selection.h"

namespace neardup {

/// Makes edited copies of JSON objects that the field extractor accepts.
class RecordCopier {
 public:
  using Json = nlohmann::ordered_json;

  /// Only the texts in `fields` are edited.
  explicit RecordCopier(const std::vector<FieldPath>& fields);

  /// Adds the words of the fields.
  void AddWords(std::string_view payload, Vocabulary& vocabulary) const;

  /// The record with the edit; nullopt if it does not allow the edit. `donor` is the record that
  /// gives its value for kFieldChange. With kFormat, the copy must be written with an indent.
  std::optional<Json> Edited(std::string_view payload, const Edit& edit, std::string_view donor,
                             const Vocabulary& vocabulary, SeededRandom& random) const;

 private:
  /// Texts in the fields, in the order of `fields_`.
  std::vector<std::string*> Texts(Json& record) const;
  bool Apply(const Edit& edit, Json& record, std::string_view donor, const Vocabulary& vocabulary,
             SeededRandom& random) const;
  bool ChangeField(Json& record, std::string_view donor, SeededRandom& random) const;
  bool ChangeFormat(Json& record) const;

  std::vector<Json::json_pointer> fields_;
};

}  // namespace neardup
