#include "commands/options.h"

#include <limits>

namespace neardup {

CLI::Option* AddSeed(CLI::App* command, const char* name, uint64_t& seed, const char* help) {
  constexpr uint64_t kMax = std::numeric_limits<uint64_t>::max();
  return command->add_option(name, seed, fmt::format("{}, 0 or more", help))
      ->type_name("N")
      ->capture_default_str()
      ->check(NumberCheck<uint64_t>(0, kMax, fmt::format("a whole number from 0 to {}", kMax)));
}

void AddShortForm(CLI::App* command, ConfigArguments& config, const std::string& option,
                  const std::string& path, bool list) {
  command
      ->add_option_function<std::string>(
          option,
          [&config, path, list](const std::string& value) {
            config.sets.push_back(path + "=" + (list ? "[" + value + "]" : value));
          },
          "short for --set " + path + (list ? "=[LIST]" : "=VALUE"))
      ->type_name(list ? "LIST" : "VALUE");
}

void AddConfigFile(CLI::App* command, ConfigArguments& config) {
  command
      ->add_option("-c,--config", config.file,
                   "read settings from this YAML file; `neardup config example` prints one")
      ->type_name("FILE");
  command
      ->add_option("--set", config.sets,
                   "override one setting, such as --set window.window_ms=1h; repeatable")
      ->type_name("PATH=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
}

void AddConfig(CLI::App* command, ConfigArguments& config) {
  AddConfigFile(command, config);
  CLI::Option* fields =
      command->add_option("--fields", config.fields, "short for --set record.fields=[LIST]")
          ->type_name("LIST");
  command
      ->add_option("--keys", config.keys,
                   "add key fields to --fields: duplicates must be equal in all of them")
      ->type_name("FIELD")
      ->delimiter(',')
      ->needs(fields);
}

void AddKafka(CommandLine& line, CLI::App* command, ConfigArguments& config) {
  AddShortForm(command, config, "--brokers", "kafka.brokers", false);
  AddShortForm(command, config, "--topics", "input.topics", true);
  line.Renamed(command, "--input", "--topics");
  AddShortForm(command, config, "--app", "app", false);
}

void AddExecute(CLI::App* command, bool& execute) {
  command->add_flag("--execute", execute,
                    "make the change; without this flag, only print what would change");
}

std::vector<NamedFile> FilesRead(const ConfigArguments& arguments, const LoadedConfig& config) {
  return {{"--config", arguments.file}, {"feature.model", config.model_file.string()}};
}

}  // namespace neardup
