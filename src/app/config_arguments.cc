#include "app/config_arguments.h"

#include <cstdio>

#include "app/exit_code.h"
#include "config/value_text.h"

namespace neardup {
namespace {

std::string FieldsSet(const std::string& fields, const std::vector<std::string>& keys) {
  std::string items = fields;
  for (const std::string& key : keys) {
    items += (items.empty() ? "" : ", ") + ("{path: " + YamlText(key) + ", key: true}");
  }
  return "record.fields=[" + items + "]";
}

}  // namespace

Result<LoadedConfig> Load(const ConfigArguments& arguments) {
  ConfigSource source;
  if (!arguments.file.empty()) source.file = arguments.file;
  source.sets = arguments.sets;
  if (arguments.fields) source.sets.push_back(FieldsSet(*arguments.fields, arguments.keys));
  source.environment = ProcessEnvironment();
  return LoadConfig(source);
}

int Fail(const Error& error) {
  std::fprintf(stderr, "neardup: %s\n", error.text.c_str());
  return ExitCodeOf(error);
}

}  // namespace neardup
