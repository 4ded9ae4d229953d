// The settings for people: the example file and the Markdown reference.
#include <algorithm>

#include "config/config.h"
#include "config/property_rules.h"
#include "config/settings_table.h"
#include "config/value_reader.h"
#include "config/value_text.h"

namespace neardup {
namespace {

constexpr size_t kColumns = 100;

// Comment lines that keep within the columns.
std::string Comment(const std::string& indent, const std::string& text) {
  std::string comment;
  std::string line = indent + "#";
  size_t at = 0;
  while (at < text.size()) {
    size_t end = std::min(text.find(' ', at), text.size());
    std::string word = text.substr(at, end - at);
    if (line.size() + 1 + word.size() > kColumns) {
      comment += line + "\n";
      line = indent + "#";
    }
    line += " " + word;
    at = end + 1;
  }
  return comment + line + "\n";
}

std::string DefaultText(const Setting& setting) {
  return YamlText(setting, setting.default_value());
}

// Texts and lists explain themselves in their help.
bool HasRange(const Setting& setting) {
  switch (setting.kind) {
    case SettingKind::kInteger:
    case SettingKind::kDuration:
    case SettingKind::kBytes:
    case SettingKind::kChoice:
      return true;
    default:
      return false;
  }
}

std::string ExampleEntry(const Setting& setting) {
  std::string indent = SectionOf(setting.path).empty() ? "" : "  ";
  std::string text = Comment(indent, setting.help);
  if (HasRange(setting)) {
    std::string expected = ExpectationText(setting);
    expected[0] = static_cast<char>(expected[0] - 'a' + 'A');
    text += Comment(indent, expected + ".");
  }
  return text + indent + std::string(KeyOf(setting.path)) + ": " + DefaultText(setting) + "\n";
}

// Inside a cell of a Markdown table '|' ends the cell, and <...> would be taken for markup.
std::string Cell(const std::string& text) {
  std::string cell;
  for (char c : text) {
    if (c == '|') {
      cell += "\\|";
    } else if (c == '<') {
      cell += "&lt;";
    } else {
      cell += c;
    }
  }
  return cell;
}

std::string ReferenceRow(const Setting& setting) {
  return "| `" + setting.path + "` | `" + DefaultText(setting) + "` | " +
         Cell(ExpectationText(setting)) + " | " + Cell(setting.help) + " |\n";
}

constexpr char kTableHead[] =
    "| Setting | Default | Takes | Meaning |\n| --- | --- | --- | --- |\n";

}  // namespace

std::string ConfigExample() {
  std::string example =
      "# Every setting of neardup with its default; `neardup config example` prints this file.\n"
      "# Only what differs from the defaults needs to be in yours.\n"
      "#\n"
      "# Values may hold ${VAR}, ${VAR:-default}, ${VAR:?message} and ${file:/path/of/a/secret}; "
      "$$ is\n"
      "# one $. Over the file go variables such as NEARDUP_WINDOW__WINDOW_MS=1h, and over these\n"
      "# arguments such as --set window.window_ms=1h.\n\n";
  for (const Setting& setting : SettingsTable()) {
    if (SectionOf(setting.path).empty()) example += ExampleEntry(setting);
  }
  for (const SettingSection& section : SettingSections()) {
    example += "\n" + Comment("", section.help) + section.name + ":\n";
    for (const Setting& setting : SettingsTable()) {
      if (SectionOf(setting.path) == section.name) example += ExampleEntry(setting);
    }
  }
  return example;
}

std::string ConfigReference() {
  std::string reference = kTableHead;
  for (const Setting& setting : SettingsTable()) {
    if (SectionOf(setting.path).empty()) reference += ReferenceRow(setting);
  }
  for (const SettingSection& section : SettingSections()) {
    reference += "\n### " + section.name + "\n\n" + section.help + "\n\n" + kTableHead;
    for (const Setting& setting : SettingsTable()) {
      if (SectionOf(setting.path) == section.name) reference += ReferenceRow(setting);
    }
  }
  reference +=
      "\n### librdkafka properties that cannot be set\n\n| Property | Why |\n| --- | --- |\n";
  for (const RefusedProperty& property : RefusedProperties()) {
    reference +=
        "| `" + std::string(property.name) + "` | " + Cell(std::string(property.reason)) + " |\n";
  }
  for (std::string_view name : kRequestsInFlightNames) {
    reference += "| `" + std::string(name) + "` | " + Cell(*RefusalOf(name, "")) + " |\n";
  }
  return reference;
}

}  // namespace neardup
