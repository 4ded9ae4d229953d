#include "commands/program/command_line.h"

#include <algorithm>
#include <cassert>
#include <cstdio>
#include <iterator>
#include <limits>
#include <utility>

namespace neardup {

CLI::App* CommandLine::Add(const char* name, const std::string& help, Examples examples) {
  return AddTo(&program_, name, help, std::move(examples));
}

CLI::App* CommandLine::AddGroup(const char* name, const std::string& help) {
  CLI::App* group = program_.add_subcommand(name, help);
  group->require_subcommand(1);
  return group;
}

CLI::App* CommandLine::AddTo(CLI::App* group, const char* name, const std::string& help,
                             Examples examples) {
  CLI::App* command = group->add_subcommand(name, help);
  examples_[command] = std::move(examples);
  return command;
}

void CommandLine::Runs(CLI::App* command, std::function<Result<int>()> run) {
  command->callback([this, run = std::move(run)] { chosen_ = run; });
}

void CommandLine::Prints(CLI::App* command, std::function<Result<std::string>()> text) {
  Runs(command, [text = std::move(text)]() -> Result<int> {
    NEARDUP_ASSIGN(const std::string printed, text());
    std::fputs(printed.c_str(), stdout);
    return kExitOk;
  });
}

void CommandLine::Renamed(const CLI::App* command, const char* old_name, const char* name) {
  renamed_[command][old_name] = name;
}

std::vector<std::string> CommandLine::WithNewNames(std::vector<std::string> words) const {
  const CLI::App* command = &program_;
  size_t at = 1;
  for (; at < words.size(); ++at) {
    const auto of_name = [&](const CLI::App* each) { return each->get_name() == words[at]; };
    const std::vector<const CLI::App*> found = command->get_subcommands(of_name);
    if (found.empty()) break;
    command = found.front();
  }
  const auto renamed = renamed_.find(command);
  if (renamed == renamed_.end()) return words;
  for (; at < words.size() && words[at] != "--"; ++at) {
    const size_t end = std::min(words[at].find('='), words[at].size());
    const auto found = renamed->second.find(words[at].substr(0, end));
    if (found != renamed->second.end()) words[at].replace(0, end, found->second);
  }
  return words;
}

const CommandLine::Examples& CommandLine::examples(const CLI::App& command) const {
  static const Examples kNone;
  const auto found = examples_.find(&command);
  return found == examples_.end() ? kNone : found->second;
}

namespace {

struct ShortForm {
  const char* option;
  const char* path;  ///< of the setting
  std::string value;
  bool list = false;  ///< the setting is a list
};

const ShortForm kShortForms[] = {
    {"--brokers", "kafka.brokers", "HOST:PORT"},
    {"--topics", "input.topics", "TOPIC", true},
    {"--app", "app", "NAME"},
    {"--state-dir", "state.dir", "FOLDER"},
    {"--metrics-port", "metrics.port", "PORT"},
    {"--keep", "routing.keep", "first|newest"},
};

}  // namespace

CLI::Option* AddSeed(CLI::App* command, const char* name, uint64_t& seed, const char* help) {
  constexpr uint64_t kMax = std::numeric_limits<uint64_t>::max();
  return AddOption(command, name, "N", seed, fmt::format("{}, 0 or more", help))
      ->capture_default_str()
      ->check(NumberCheck<uint64_t>(0, kMax, fmt::format("a whole number from 0 to {}", kMax)));
}

void AddShortForm(CLI::App* command, ConfigArguments& config, std::string_view option) {
  const auto* const found =
      std::find_if(std::begin(kShortForms), std::end(kShortForms),
                   [option](const ShortForm& form) { return form.option == option; });
  assert(found != std::end(kShortForms));
  const ShortForm form = *found;
  command
      ->add_option_function<std::string>(
          form.option,
          [&config, form](const std::string& value) {
            config.sets.push_back(
                fmt::format("{}={}", form.path, form.list ? "[" + value + "]" : value));
          },
          fmt::format("short for --set {}={}", form.path,
                      form.list ? fmt::format("[{},...]", form.value) : form.value))
      ->type_name(form.list ? fmt::format("{},...", form.value) : form.value)
      ->check(RefuseEmpty);
}

void AddConfigFile(CLI::App* command, ConfigArguments& config) {
  AddOption(command, "-c,--config", "FILE", config.file,
            "read settings from this YAML file; `neardup config example` prints one");
  AddOption(command, "--set", "PATH=VALUE", config.sets,
            "override one setting, such as --set window.window_ms=1h; repeatable")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
}

void AddConfig(CLI::App* command, ConfigArguments& config) {
  AddConfigFile(command, config);
  CLI::Option* fields = AddOption(command, "--fields", "FIELD,...", config.fields,
                                  "short for --set record.fields=[FIELD,...]");
  AddOption(command, "--keys", "FIELD", config.keys,
            "add key fields to --fields: duplicates must be equal in all of them")
      ->delimiter(',')
      ->needs(fields);
  AddOption(command, "--free", "FIELD", config.free,
            "fields in which copies may differ: short for --set record.exclude=[FIELD,...]")
      ->delimiter(',');
}

void AddKafka(CommandLine& line, CLI::App* command, ConfigArguments& config) {
  AddShortForm(command, config, "--brokers");
  AddShortForm(command, config, "--topics");
  line.Renamed(command, "--input", "--topics");
  AddShortForm(command, config, "--app");
}

void AddExecute(CLI::App* command, bool& execute) {
  command->add_flag("--execute", execute,
                    "make the change; without this flag, only print what would change");
}

Result<LoadedConfig> LoadAndWarn(const ConfigArguments& arguments) {
  NEARDUP_ASSIGN(LoadedConfig config, Load(arguments));
  for (const std::string& warning : config.warnings) Say("neardup: warning: {}", warning);
  return config;
}

std::vector<NamedFile> FilesRead(const ConfigArguments& arguments, const LoadedConfig& config) {
  return {{"--config", arguments.file}, {"feature.model", config.model_file.string()}};
}

}  // namespace neardup
