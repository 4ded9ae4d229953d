// A profile as text, as it stands in learned settings and in the files of models.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "learn/stream_profile.h"

namespace neardup {

/// FORMAT, version 1: a JSON object {"version": 1, "options": number, "records": number, "unique":
/// number, "exact_duplicates": number, "near_duplicates": number, "dead_letters": number,
/// "distances": [18 numbers], "lengths": [24 numbers], "sketched": number, "ones": [64 numbers],
/// "fields": [{"path", "present", "distinct"}], "joined": [near, unlike, doubtful]}. The first
/// texts have no `joined`.
std::string ProfileText(const StreamProfile& profile);

/// Nothing if the text has another form or version, or counts that no records can have. That is no
/// error, because no verdict depends on a profile.
std::optional<StreamProfile> ParseProfile(std::string_view text);

}  // namespace neardup
