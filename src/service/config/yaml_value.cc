#include "service/config/yaml_value.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <utility>

#include "detect/base/file.h"

namespace neardup {
namespace {

int LineOf(const YAML::Mark& mark) { return mark.line + 1; }

/// Whether a line, counted from 0, has a tab in its indentation.
bool IsIndentedWithTab(const std::string& text, int line) {
  std::istringstream lines(text);
  std::string found;
  for (int number = 0; number <= line; ++number) {
    if (!std::getline(lines, found)) return false;
  }
  return found.substr(0, found.find_first_not_of(" \t")).find('\t') != std::string::npos;
}

WrittenValue ValueAt(const YAML::Mark& mark, WrittenValue::Form form) {
  WrittenValue value;
  value.form = form;
  value.line = LineOf(mark);
  return value;
}

/// Builds the tree from the events of yaml-cpp's parser.
class TreeBuilder : public YAML::EventHandler {
 public:
  explicit TreeBuilder(YamlDocument& document) : document_(document) {}

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override {
    Add(ValueAt(mark, WrittenValue::Form::kNull));
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    Complain(mark, "found an alias (*name), expected the value itself");
    Add(ValueAt(mark, WrittenValue::Form::kNull));
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                const std::string& text) override {
    RefuseTag(mark, tag);
    WrittenValue value = ValueAt(mark, WrittenValue::Form::kScalar);
    value.text = text;
    value.style = tag == "!" ? WrittenValue::Style::kQuoted : WrittenValue::Style::kPlain;
    Add(std::move(value));
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    RefuseTag(mark, tag);
    open_.push_back(ValueAt(mark, WrittenValue::Form::kList));
  }
  void OnSequenceEnd() override { Close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    RefuseTag(mark, tag);
    open_.push_back(ValueAt(mark, WrittenValue::Form::kMap));
  }
  void OnMapEnd() override { Close(); }

 private:
  void Complain(const YAML::Mark& mark, std::string text) {
    document_.problems.push_back({LineOf(mark), std::move(text)});
  }

  /// yaml-cpp gives the tag "?" to a plain scalar without a tag, and "!" to a quoted one.
  void RefuseTag(const YAML::Mark& mark, const std::string& tag) {
    if (!tag.empty() && tag != "?" && tag != "!") {
      Complain(mark, "found a tag (!name), expected the value without it");
    }
  }

  void Close() {
    WrittenValue value = std::move(open_.back());
    open_.pop_back();
    Add(std::move(value));
  }

  void Add(WrittenValue value) {
    if (open_.empty()) {
      document_.root = std::move(value);
      return;
    }
    WrittenValue& parent = open_.back();
    bool key_comes_next = parent.keys.size() == parent.items.size();
    if (parent.form == WrittenValue::Form::kList || !key_comes_next) {
      // yaml-cpp gives an absent value a later line than its key.
      bool absent = value.form == WrittenValue::Form::kNull && !parent.keys.empty();
      if (absent) value.line = parent.keys.back().line;
      parent.items.push_back(std::move(value));
      return;
    }
    if (value.form != WrittenValue::Form::kScalar) {
      document_.problems.push_back({value.line, "found a key that is not text, expected a name"});
    }
    parent.keys.push_back({std::move(value.text), value.line});
  }

  YamlDocument& document_;
  std::vector<WrittenValue> open_;
};

}  // namespace

YamlDocument ParseYaml(const std::string& text) {
  YamlDocument document;
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    TreeBuilder builder(document);
    if (!parser.HandleNextDocument(builder)) return document;
    YamlDocument second;
    TreeBuilder second_builder(second);
    if (parser.HandleNextDocument(second_builder)) {
      document.problems.push_back({second.root ? second.root->line : 0,
                                   "found a second document (---), expected one per file"});
    }
  } catch (const YAML::Exception& exception) {
    document.root.reset();
    // yaml-cpp reports a tab as another mistake on the same line.
    const bool tab = IsIndentedWithTab(text, exception.mark.line);
    document.problems.push_back(
        {LineOf(exception.mark),
         fmt::format("not YAML: {} (column {}){}", exception.msg, exception.mark.column + 1,
                     tab ? "; indented with a tab, expected spaces" : "")});
  }
  return document;
}

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
