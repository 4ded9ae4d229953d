#include "config/config_arguments.h"

#include <fmt/format.h>

#include <algorithm>

#include "config/setting_value.h"

namespace neardup {
namespace {

/// The items of --fields as YAML. Names are taken as they stand, such as @message or Item #; what
/// begins with a quotation mark, or holds an object, is YAML already.
std::string FieldItems(const std::string& fields) {
  const bool is_yaml = fields.find("{path:") != std::string::npos || fields.starts_with('"') ||
                       fields.starts_with('\'') || fields.starts_with('{');
  if (is_yaml || fields.empty()) return fields;
  std::string items;
  for (size_t begin = 0; begin <= fields.size();) {
    const size_t end = std::min(fields.find(',', begin), fields.size());
    std::string name = fields.substr(begin, end - begin);
    name.erase(0, name.find_first_not_of(' '));
    name.erase(name.find_last_not_of(' ') + 1);
    items += (items.empty() ? "" : ", ") + YamlText(name);
    begin = end + 1;
  }
  return items;
}

/// --fields and --keys as one entry of --set.
std::string FieldsSet(const std::string& fields, const std::vector<std::string>& keys) {
  std::string items = FieldItems(fields);
  for (const std::string& key : keys) {
    items += fmt::format("{}{{path: {}, key: true}}", items.empty() ? "" : ", ", YamlText(key));
  }
  return fmt::format("record.fields=[{}]", items);
}

/// --free as an entry of --set.
std::string ExcludeSet(const std::vector<std::string>& fields) {
  std::string items;
  for (const std::string& field : fields) items += (items.empty() ? "" : ", ") + YamlText(field);
  return fmt::format("record.exclude=[{}]", items);
}

}  // namespace

Result<LoadedConfig> Load(const ConfigArguments& arguments) {
  ConfigLayers layers;
  if (!arguments.file.empty()) layers.file = arguments.file;
  layers.sets = arguments.sets;
  if (arguments.fields) layers.sets.push_back(FieldsSet(*arguments.fields, arguments.keys));
  if (!arguments.free.empty()) layers.sets.push_back(ExcludeSet(arguments.free));
  layers.environment = ProcessEnvironment();
  return LoadConfig(layers);
}

}  // namespace neardup
