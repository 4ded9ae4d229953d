// A model as a file.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "neardup/model.h"
#include "neardup/result.h"

namespace neardup {

/// FORMAT, version 1: a JSON object {"neardup_model": 1, "hash_seed": number, "centre": [64
/// numbers], "common": [hex texts of 16 digits, ascending]}; other keys, such as who learned it and
/// from what, are left unread.
std::string ModelText(const Model& model);
/// `name` says in errors where the text is from.
Result<Model> ParseModel(std::string_view text, const std::string& name);

Result<void> WriteModel(const Model& model, const std::filesystem::path& path);
Result<Model> ReadModel(const std::filesystem::path& path);

}  // namespace neardup
