#include "evaluate/scheme_choice.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "fingerprint/schemes.h"

namespace neardup {
namespace {

constexpr std::string_view kAllSchemes = "all";

Error Wrong(const std::string& text, const std::string& what) {
  return {ErrorCode::kConfig, "--scheme " + text + ": " + what};
}

std::vector<std::string> AllNames() {
  std::vector<std::string> names = {kFilterScheme};
  for (const std::string_view name : SchemeNames()) names.emplace_back(name);
  return names;
}

Result<void> ReadValue(std::string_view setting, SchemeChoice& choice) {
  const size_t equals = setting.find('=');
  double value = 0;
  bool number = false;
  if (equals != std::string_view::npos) {
    const char* const end = setting.data() + setting.size();
    const auto read = std::from_chars(setting.data() + equals + 1, end, value);
    number = read.ec == std::errc() && read.ptr == end;
  }
  if (!number) {
    return Wrong(choice.text,
                 "found \"" + std::string(setting) + "\" after a colon, expected parameter=number");
  }
  choice.values[std::string(setting.substr(0, equals))] = value;
  return {};
}

Result<SchemeChoice> Parse(const std::string& text) {
  SchemeChoice choice;
  choice.text = text;
  std::string_view rest = text;
  const size_t name_end = rest.find(':');
  choice.name = rest.substr(0, name_end);
  const std::vector<std::string> known = AllNames();
  if (std::find(known.begin(), known.end(), choice.name) == known.end()) {
    std::string names;
    for (const std::string& name : known) names += name + ", ";
    return Wrong(text, "unknown; expected " + names + "or " + std::string(kAllSchemes));
  }
  while (rest.find(':') != std::string_view::npos) {
    rest.remove_prefix(rest.find(':') + 1);
    NEARDUP_TRY(ReadValue(rest.substr(0, rest.find(':')), choice));
  }
  if (choice.is_filter() && !choice.values.empty()) {
    return Wrong(text, "the filter takes its parameters from --config and --set");
  }
  return choice;
}

}  // namespace

Result<std::vector<SchemeChoice>> ParseSchemes(const std::vector<std::string>& texts) {
  std::vector<std::string> wanted;
  for (const std::string& text : texts) {
    const std::vector<std::string> names =
        text == kAllSchemes ? AllNames() : std::vector<std::string>{text};
    wanted.insert(wanted.end(), names.begin(), names.end());
  }
  if (wanted.empty()) wanted = {kFilterScheme};
  std::vector<SchemeChoice> choices;
  for (const std::string& text : wanted) {
    NEARDUP_ASSIGN(SchemeChoice choice, Parse(text));
    choices.push_back(std::move(choice));
  }
  return choices;
}

}  // namespace neardup
