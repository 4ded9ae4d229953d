// Files that hold a model.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "learn/stream_profile.h"
#include "neardup/model.h"
#include "neardup/result.h"

namespace neardup {

// A profile as text, as it stands in learned settings and in the files of models.

/// FORMAT, version 1: a JSON object {"version": 1, "options": number, "records": number, "unique":
/// number, "exact_duplicates": number, "near_duplicates": number, "dead_letters": number,
/// "distances": [18 numbers], "lengths": [24 numbers], "sketched": number, "ones": [64 numbers],
/// "fields": [{"path", "present", "distinct"}], "joined": [near, unlike, doubtful]}. The first
/// texts have no `joined`.
std::string ProfileText(const StreamProfile& profile);

/// Nothing if the text has another form or version, or counts that no records can have. That is no
/// error, because no verdict depends on a profile.
std::optional<StreamProfile> ParseProfile(std::string_view text);

/// FORMAT, version 1: a JSON object {"neardup_model": 1, "hash_seed": number, "centre": [64
/// numbers], "common": [texts of 16 lower-case hexadecimal digits, ascending]}. "standing" is a
/// list like "common", if there are standing texts. `tune` adds "profile", the object of
/// ProfileText. Other keys, such as a note on who made the model from what, are ignored.
std::string ModelText(const Model& model);
/// The same with the profile of the sample that the model was learned from.
std::string ModelText(const Model& model, const StreamProfile& profile);
/// kConfig if the text has another form. `name` says in errors where the text is from.
Result<Model> ParseModel(std::string_view text, const std::string& name);

/// kConfig with the name of the file.
Result<Model> ReadModel(const std::filesystem::path& path);
/// Nothing if the file holds no profile that can be read.
std::optional<StreamProfile> ReadModelProfile(const std::filesystem::path& path);

}  // namespace neardup
