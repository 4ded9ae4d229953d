#include "learn/profile_text.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "base/json_limits.h"

namespace neardup {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kProfileVersion = 1;

StreamProfile Read(const Json& json) {
  StreamProfile profile;
  json.at("options").get_to(profile.options);
  json.at("records").get_to(profile.records);
  json.at("unique").get_to(profile.unique);
  json.at("exact_duplicates").get_to(profile.exact_duplicates);
  json.at("near_duplicates").get_to(profile.near_duplicates);
  json.at("dead_letters").get_to(profile.dead_letters);
  json.at("distances").get_to(profile.distances);
  json.at("lengths").get_to(profile.lengths);
  json.at("sketched").get_to(profile.sketched);
  json.at("ones").get_to(profile.ones);
  for (const Json& field : json.at("fields")) {
    profile.fields.push_back({field.at("path").get<std::string>(),
                              field.at("present").get<uint64_t>(),
                              field.at("distinct").get<uint64_t>()});
  }
  const auto joined = json.value("joined", std::array<uint64_t, 3>{});
  profile.joined = {joined[0], joined[1], joined[2]};
  return profile;
}

/// Whether records can have these counts. Others would give any drift.
bool IsPossible(const StreamProfile& profile) {
  const auto none_above = [](const auto& counts, uint64_t most) {
    return std::all_of(counts.begin(), counts.end(), [&](uint64_t count) { return count <= most; });
  };
  const std::array<uint64_t, 5> parts = {profile.unique, profile.exact_duplicates,
                                         profile.near_duplicates, profile.dead_letters,
                                         profile.sketched};
  return profile.records <= kProfiledRecords && none_above(parts, profile.records) &&
         profile.comparable() + profile.dead_letters <= profile.records &&
         none_above(profile.distances, profile.near_duplicates) &&
         none_above(profile.lengths, profile.comparable()) &&
         none_above(profile.ones, profile.sketched) &&
         none_above(std::array{profile.joined.near, profile.joined.unlike, profile.joined.doubtful},
                    profile.near_duplicates) &&
         std::all_of(profile.fields.begin(), profile.fields.end(), [&](const FieldProfile& field) {
           return field.distinct <= field.present && field.present <= profile.comparable();
         });
}

}  // namespace

std::string ProfileText(const StreamProfile& profile) {
  Json fields = Json::array();
  for (const FieldProfile& field : profile.fields) {
    fields.push_back(
        {{"path", field.path}, {"present", field.present}, {"distinct", field.distinct}});
  }
  const Json json = {
      {"version", kProfileVersion},
      {"options", profile.options},
      {"records", profile.records},
      {"unique", profile.unique},
      {"exact_duplicates", profile.exact_duplicates},
      {"near_duplicates", profile.near_duplicates},
      {"dead_letters", profile.dead_letters},
      {"distances", profile.distances},
      {"lengths", profile.lengths},
      {"sketched", profile.sketched},
      {"ones", profile.ones},
      {"fields", fields},
      {"joined", {profile.joined.near, profile.joined.unlike, profile.joined.doubtful}}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<StreamProfile> ParseProfile(std::string_view text) {
  if (NestsDeeperThan(text)) return std::nullopt;
  try {
    const Json json = Json::parse(text);
    if (HasFraction(json)) return std::nullopt;
    if (json.at("version").get<int>() != kProfileVersion) return std::nullopt;
    StreamProfile profile = Read(json);
    if (!IsPossible(profile)) return std::nullopt;
    return profile;
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

}  // namespace neardup
