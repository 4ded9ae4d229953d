#include "learn/model_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "detect/base/file.h"
#include "detect/base/quantity.h"
#include "detect/record/json_syntax.h"

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
    return std::ranges::all_of(counts, [&](uint64_t count) { return count <= most; });
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
         std::ranges::all_of(profile.fields, [&](const FieldProfile& field) {
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

namespace {

using nlohmann::ordered_json;

constexpr int kModelVersion = 1;
constexpr const char* kProfileKey = "profile";
/// Models of long records with many common phrases take some megabytes. Larger files are no models.
constexpr size_t kFileBytesMax = size_t{1} << 28;
constexpr size_t kHexDigits = 16;
constexpr int64_t kCentreMax = Model::kCentreMax;

Error Bad(const std::string& name, const std::string& what) {
  return {ErrorCode::kConfig, fmt::format("{}: {}; make one with `neardup tune`", name, what)};
}

Result<void> ReadCentre(const ordered_json& json, const std::string& name, Model& model) {
  const auto found = json.find("centre");
  if (found == json.end() || !found->is_array() || found->size() != model.centre.size()) {
    return Bad(name, "centre: expected a list of 64 numbers");
  }
  for (size_t bit = 0; bit < model.centre.size(); ++bit) {
    const ordered_json& value = (*found)[bit];
    const bool whole = value.is_number_unsigned() ? value.get<uint64_t>() <= kCentreMax
                                                  : value.is_number_integer();
    const int64_t number = whole ? value.get<int64_t>() : kCentreMax + 1;
    if (number < -kCentreMax || number > kCentreMax) {
      return Bad(name, fmt::format("centre[{}]: found {}, expected a whole number from {} to {}",
                                   bit, value.dump(), -kCentreMax, kCentreMax));
    }
    model.centre[bit] = static_cast<int32_t>(number);
  }
  return {};
}

/// Hashes in ascending order.
Result<void> ReadHashes(const ordered_json& json, const char* key, const std::string& name,
                        std::vector<uint64_t>& hashes) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_array()) {
    return Bad(name, fmt::format("{}: expected a list of texts", key));
  }
  for (const ordered_json& value : *found) {
    const std::string text = value.is_string() ? value.get<std::string>() : "";
    const bool hex = text.size() == kHexDigits &&
                     text.find_first_not_of("0123456789abcdef") == std::string::npos;
    const uint64_t hash = hex ? std::strtoull(text.c_str(), nullptr, 16) : 0;
    if (!hex || (!hashes.empty() && hash <= hashes.back())) {
      return Bad(name, fmt::format("{}: found {}, expected 16 lower-case hexadecimal digits, "
                                   "larger than those before",
                                   key, value.dump()));
    }
    hashes.push_back(hash);
  }
  return {};
}

std::vector<std::string> HexTexts(const std::vector<uint64_t>& hashes) {
  std::vector<std::string> texts;
  for (const uint64_t hash : hashes) texts.push_back(Hex64(hash));
  return texts;
}

ordered_json ModelJson(const Model& model) {
  ordered_json json = {{"neardup_model", kModelVersion},
                       {"hash_seed", model.hash_seed},
                       {"centre", model.centre},
                       {"common", HexTexts(model.common)}};
  if (!model.standing.empty()) json["standing"] = HexTexts(model.standing);
  return json;
}

std::string Text(const ordered_json& json) { return json.dump(1) + "\n"; }

}  // namespace

std::string ModelText(const Model& model) { return Text(ModelJson(model)); }

std::string ModelText(const Model& model, const StreamProfile& profile) {
  ordered_json json = ModelJson(model);
  json[kProfileKey] = ordered_json::parse(ProfileText(profile));
  return Text(json);
}

Result<Model> ParseModel(std::string_view text, const std::string& name) {
  if (NestsDeeperThan(text)) {
    return Bad(name, fmt::format("nested deeper than {} levels, expected a model", kJsonDepthMax));
  }
  ordered_json json;
  try {
    json = ordered_json::parse(text);
  } catch (const ordered_json::parse_error& error) {
    return Bad(name, fmt::format("not JSON (byte {}), expected a model", error.byte));
  } catch (const ordered_json::out_of_range&) {
    return Bad(name, "found a number that is too large for JSON, expected a model");
  }
  if (!json.is_object()) return Bad(name, "expected a JSON object");
  const auto version = json.find("neardup_model");
  if (version == json.end() || *version != kModelVersion) {
    return Bad(name,
               fmt::format("neardup_model: found {}, expected {}",
                           version == json.end() ? "nothing" : version->dump(), kModelVersion));
  }
  const auto seed = json.find("hash_seed");
  if (seed == json.end() || !seed->is_number_unsigned()) {
    return Bad(name, "hash_seed: expected a whole number, 0 or more");
  }
  Model model;
  model.hash_seed = seed->get<uint64_t>();
  NEARDUP_TRY(ReadCentre(json, name, model));
  NEARDUP_TRY(ReadHashes(json, "common", name, model.common));
  if (json.contains("standing")) NEARDUP_TRY(ReadHashes(json, "standing", name, model.standing));
  return model;
}

Result<Model> ReadModel(const std::filesystem::path& path) {
  const Result<std::string> text = ReadFile(path, kFileBytesMax);
  if (text.ok()) return ParseModel(*text, path.string());
  return Error{ErrorCode::kConfig, fmt::format("{}: {}", path.string(), text.error().text)};
}

std::optional<StreamProfile> ReadModelProfile(const std::filesystem::path& path) {
  const Result<std::string> text = ReadFile(path, kFileBytesMax);
  if (!text.ok() || NestsDeeperThan(*text)) return std::nullopt;
  const ordered_json json = ordered_json::parse(*text, nullptr, false);
  if (!json.is_object() || !json.contains(kProfileKey)) return std::nullopt;
  return ParseProfile(json[kProfileKey].dump());
}

}  // namespace neardup
