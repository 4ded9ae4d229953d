#include "learn/profile_text.h"

#include <nlohmann/json.hpp>

#include "base/json_depth.h"

namespace neardup {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kVersion = 1;

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
  return profile;
}

}  // namespace

std::string ProfileText(const StreamProfile& profile) {
  Json fields = Json::array();
  for (const FieldProfile& field : profile.fields) {
    fields.push_back(
        {{"path", field.path}, {"present", field.present}, {"distinct", field.distinct}});
  }
  const Json json = {{"version", kVersion},
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
                     {"fields", fields}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<StreamProfile> ParseProfile(std::string_view text) {
  if (NestsDeeperThan(text)) return std::nullopt;
  try {
    const Json json = Json::parse(text);
    if (json.at("version").get<int>() != kVersion) return std::nullopt;
    return Read(json);
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

}  // namespace neardup
