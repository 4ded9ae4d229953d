#include "config/interpolation.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/file_content.h"

namespace neardup {
namespace {

Error Wrong(std::string_view reference, const std::string& text) {
  return {ErrorCode::kConfig, fmt::format("${{{}}}: {}", reference, text)};
}

bool IsVariableName(std::string_view name) {
  auto letter = [](char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_'; };
  auto rest = [&](char c) { return letter(c) || (c >= '0' && c <= '9'); };
  return !name.empty() && letter(name[0]) && std::all_of(name.begin(), name.end(), rest);
}

Result<std::string> FileText(std::string_view reference, const std::string& path) {
  if (!std::filesystem::path(path).is_absolute()) {
    return Wrong(reference, "found a relative path, expected one that starts with /");
  }
  Result<std::string> text = ReadFile(path, kConfigFileBytesMax);
  if (!text.ok()) return Wrong(reference, text.error().text);
  if (text->ends_with('\n')) text->pop_back();
  if (text->ends_with('\r')) text->pop_back();
  if (text->find('\0') != std::string::npos) {
    return Wrong(reference, "found a zero byte, expected text");
  }
  return text;
}

Result<std::string> VariableText(std::string_view reference, const Environment& environment) {
  size_t colon = reference.find(':');
  std::string name(reference.substr(0, colon));
  if (!IsVariableName(name)) {
    return Wrong(reference, "expected the name of a variable, or file: and a path");
  }
  std::string_view rest = colon == std::string_view::npos ? "" : reference.substr(colon);
  if (!rest.empty() && !rest.starts_with(":-") && !rest.starts_with(":?")) {
    return Wrong(reference,
                 fmt::format("expected ${{{0}}}, ${{{0}:-default}} or ${{{0}:?message}}", name));
  }
  auto variable = environment.find(name);
  bool unset = variable == environment.end();
  // As in a shell, an empty variable counts as unset if ':' follows its name.
  if (unset || (!rest.empty() && variable->second.empty())) {
    if (rest.starts_with(":-")) return std::string(rest.substr(2));
    if (rest.starts_with(":?")) {
      return Wrong(name, fmt::format("not set in the environment: {}", rest.substr(2)));
    }
    return Wrong(
        name, fmt::format("not set in the environment; set it, or write ${{{}:-default}}", name));
  }
  if (variable->second.find_first_of("\r\n") != std::string::npos) {
    return Wrong(name, "found a line break in the variable, expected one line");
  }
  return variable->second;
}

}  // namespace

Result<Interpolated> Interpolate(std::string_view text, const Environment& environment) {
  Interpolated result;
  while (!text.empty()) {
    size_t dollar = text.find('$');
    result.text += text.substr(0, dollar);
    if (dollar == std::string_view::npos) break;
    text.remove_prefix(dollar);
    if (text.starts_with("$$")) {
      result.text += '$';
      text.remove_prefix(2);
      continue;
    }
    if (!text.starts_with("${")) {
      result.text += '$';
      text.remove_prefix(1);
      continue;
    }
    size_t end = text.find('}');
    std::string_view reference = text.substr(2, end == std::string_view::npos ? end : end - 2);
    if (end == std::string_view::npos || reference.find("${") != std::string_view::npos) {
      return Error{ErrorCode::kConfig, "found ${ without }, expected ${VAR}; write $$ for one $"};
    }
    bool is_file = reference.starts_with("file:");
    NEARDUP_ASSIGN(std::string value, is_file
                                          ? FileText(reference, std::string(reference.substr(5)))
                                          : VariableText(reference, environment));
    result.text += value;
    result.replaced = true;
    result.secret = result.secret || is_file;
    text.remove_prefix(end + 1);
  }
  return result;
}

}  // namespace neardup
