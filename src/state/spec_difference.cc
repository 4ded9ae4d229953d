#include "state/spec_difference.h"

#include <map>
#include <nlohmann/json.hpp>
#include <utility>

namespace neardup {

namespace {

using Json = nlohmann::json;

constexpr const char* kAbsent = "absent";

std::string Phrase(const std::string& key, const std::string& here, const std::string& changelog) {
  return key + ": " + here + " here, " + changelog + " in the changelog";
}

/// JSON texts of all leaves under their pointers; the root itself is called "spec".
std::map<std::string, std::string> Leaves(const Json& spec) {
  std::map<std::string, std::string> leaves;
  const Json flat = spec.flatten();
  for (const auto& [pointer, value] : flat.items()) {
    leaves[pointer.empty() ? "spec" : pointer] =
        value.dump(-1, ' ', false, Json::error_handler_t::replace);
  }
  return leaves;
}

}  // namespace

std::string SpecDifference(std::string_view here, std::string_view changelog) {
  const Json ours = Json::parse(here, nullptr, /*allow_exceptions=*/false);
  const Json theirs = Json::parse(changelog, nullptr, /*allow_exceptions=*/false);
  const std::string whole = Phrase("spec", std::string(here), std::string(changelog));
  if (ours.is_discarded() || theirs.is_discarded()) return whole;
  std::map<std::string, std::pair<std::string, std::string>> both;
  for (auto& [key, value] : Leaves(ours)) both[key] = {value, kAbsent};
  for (auto& [key, value] : Leaves(theirs)) {
    both.try_emplace(key, kAbsent, kAbsent).first->second.second = value;
  }
  std::string text;
  for (const auto& [key, values] : both) {
    if (values.first == values.second) continue;
    text += (text.empty() ? "" : "; ") + Phrase(key, values.first, values.second);
  }
  return text.empty() ? whole : text;
}

}  // namespace neardup
