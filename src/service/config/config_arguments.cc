#include "config/config_arguments.h"

#include <fmt/format.h>

#include "config/setting_value.h"

namespace neardup {
namespace {

/// --fields and --keys as one entry of --set.
std::string FieldsSet(const std::string& fields, const std::vector<std::string>& keys) {
  std::string items = fields;
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
