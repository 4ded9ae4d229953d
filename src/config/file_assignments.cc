#include <algorithm>

#include "config/assignment.h"
#include "config/nearest_name.h"
#include "config/small_file.h"

namespace neardup {
namespace {

bool IsSection(const std::string& name) {
  const std::vector<SettingSection>& sections = SettingSections();
  return std::any_of(sections.begin(), sections.end(),
                     [&](const SettingSection& section) { return section.name == name; });
}

class FileReader {
 public:
  FileReader(std::string name, const Environment& environment, ConfigErrors& errors)
      : name_(std::move(name)), environment_(environment), errors_(errors) {}

  std::vector<Assignment> Read(const std::string& text) {
    YamlDocument document = ParseYaml(text);
    for (const YamlProblem& problem : document.problems) {
      errors_.Add(At(problem.line), "", problem.text);
    }
    bool empty = !document.root ||
                 (document.root->form == YamlValue::Form::kMap && document.root->items.empty());
    if (empty && document.problems.empty()) {
      errors_.Add(At(1), "",
                  "found no settings, expected at least one; `neardup config example` prints all");
    }
    if (!document.root) return {};
    if (document.root->form != YamlValue::Form::kMap) {
      errors_.Add(At(document.root->line), "", "expected sections, such as `input:`, at the top");
      return {};
    }
    CheckKeys(*document.root, "", At(0), errors_);
    ReadRoot(*document.root);
    return std::move(assignments_);
  }

 private:
  Origin At(int line) const { return {Origin::Kind::kFile, name_, line}; }

  void ReadRoot(YamlValue& root) {
    for (size_t i = 0; i < root.items.size(); ++i) {
      const YamlKey& key = root.keys[i];
      if (key.text == "<<") continue;
      if (IsSection(key.text)) {
        ReadSection(key, root.items[i]);
      } else {
        Take(key.text, key.line, root.items[i]);
      }
    }
  }

  void ReadSection(const YamlKey& section, YamlValue& value) {
    // A section whose settings are all commented out.
    if (value.form == YamlValue::Form::kNull) return;
    if (value.form != YamlValue::Form::kMap) {
      errors_.Add(At(section.line), section.text, "expected a section with settings below it");
      return;
    }
    for (size_t i = 0; i < value.items.size(); ++i) {
      if (value.keys[i].text == "<<") continue;
      Take(section.text + "." + value.keys[i].text, value.keys[i].line, value.items[i]);
    }
  }

  void Take(const std::string& path, int line, YamlValue& value) {
    const Setting* setting = FindSetting(path);
    if (setting == nullptr) {
      errors_.Add(At(line), path, UnknownSettingText(path));
      return;
    }
    const bool resolved = InterpolateAll(value, path, At(line), environment_, errors_);
    assignments_.push_back({setting, "", At(line), std::move(value), !resolved});
  }

  std::string name_;
  const Environment& environment_;
  ConfigErrors& errors_;
  std::vector<Assignment> assignments_;
};

}  // namespace

std::vector<Assignment> FileAssignments(const std::filesystem::path& file,
                                        const Environment& environment, ConfigErrors& errors) {
  Result<std::string> text = ReadSmallFile(file);
  if (!text.ok()) {
    errors.Add({Origin::Kind::kFile, file.string(), 0}, "", text.error().text);
    return {};
  }
  return FileReader(file.string(), environment, errors).Read(*text);
}

}  // namespace neardup
