// Collects the commands of the program, and the function that each one runs. Then runs the command
// that the user named.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "commands/program/message.h"
#include "kafka/kafka_options.h"
#include "neardup/options.h"
#include "service/config/config.h"
#include "stream/files/whole_file.h"

namespace neardup {

/// A command declares itself in a function of its own file (commands.h):
///
///   void AddVersion(CommandLine& line) {
///     const auto arguments = std::make_shared<VersionArguments>();
///     CLI::App* command = line.Add("version", "print the version", {"neardup version"});
///     command->add_flag("--json", arguments->json, "print one JSON object");
///     line.Prints(command, [arguments] { return VersionText(*arguments); });
///   }
class CommandLine {
 public:
  /// Whole lines, such as `neardup version --json`.
  using Examples = std::vector<std::string>;

  /// `program` must outlive this object.
  explicit CommandLine(CLI::App& program) : program_(program) {}

  /// Adds a command. The examples stand in its help and in the manual page.
  CLI::App* Add(const char* name, const std::string& help, Examples examples);
  /// Adds a command that only holds other ones, such as `config`.
  CLI::App* AddGroup(const char* name, const std::string& help);
  CLI::App* AddTo(CLI::App* group, const char* name, const std::string& help, Examples examples);

  /// Sets the function that the command runs. The function prints for people, on standard output or
  /// standard error, returns an exit code (message.h) or an error, which is printed, and must own
  /// the variables that the options fill.
  void Runs(CLI::App* command, std::function<Result<int>()> run);
  /// The same for a command that only prints a text on standard output.
  void Prints(CLI::App* command, std::function<Result<std::string>()> text);

  /// Says that an option was renamed. The old name stays valid, but the help does not show it.
  void Renamed(const CLI::App* command, const char* old_name, const char* name);
  /// The words of the user, the name of the program first, with the new names of options.
  std::vector<std::string> WithNewNames(std::vector<std::string> words) const;

  CLI::App& program() const { return program_; }
  /// The examples of a command; a group has none.
  const Examples& examples(const CLI::App& command) const;
  /// Runs the command that was chosen when the program parsed the words.
  int RunChosen() const {
    const Result<int> ran = chosen_();
    return ran.ok() ? *ran : Fail(ran.error());
  }

 private:
  CLI::App& program_;
  std::map<const CLI::App*, Examples> examples_;
  /// For each command: the former name of an option, and its present one.
  std::map<const CLI::App*, std::map<std::string, std::string>> renamed_;
  std::function<Result<int>()> chosen_;
};

// Options that several commands have, so that one name means one thing in all of them.

/// Accepts only the texts of numbers of type T from min to max. Without it, CLI11 would take -1 for
/// the largest unsigned number.
template <class T>
CLI::Validator NumberCheck(T min, T max, const std::string& expected) {
  return {[min, max, expected](std::string& text) -> std::string {
            T number{};
            const char* end = text.data() + text.size();
            const auto [stop, problem] = std::from_chars(text.data(), end, number);
            const bool read = problem == std::errc() && stop == end;
            if (read && number >= min && number <= max) return "";
            return fmt::format("found {}, expected {}", text, expected);
          },
          ""};
}

/// An option that takes a whole number from a range, which its help shows before the note.
template <class T>
CLI::Option* AddNumber(CLI::App* command, const char* name, T& value, Range<T> range,
                       const char* help, const char* note = "") {
  return command
      ->add_option(name, value, fmt::format("{}, {} to {}{}", help, range.min, range.max, note))
      ->type_name("N")
      ->check(NumberCheck(range.min, range.max,
                          fmt::format("a whole number from {} to {}", range.min, range.max)));
}

/// Refuses an empty word, such as a variable of a script that is not set.
inline std::string RefuseEmpty(const std::string& word) {
  return word.empty() ? "found an empty word, expected a value" : "";
}

/// An option that takes a value of this type, such as FILE.
template <class T>
CLI::Option* AddOption(CLI::App* command, const char* name, const char* type, T& value,
                       const std::string& help) {
  return command->add_option(name, value, help)->type_name(type)->check(RefuseEmpty);
}

/// An option that takes any seed.
CLI::Option* AddSeed(CLI::App* command, const char* name, uint64_t& seed, const char* help);

inline constexpr char kJsonLinesHelp[] =
    "read JSON Lines from this file, also .gz and .zst; - is standard input";

/// An option that is short for one --set. `option` is one of kShortForms (options.cc), such as
/// --brokers.
void AddShortForm(CLI::App* command, ConfigArguments& config, std::string_view option);

/// --config and --set.
void AddConfigFile(CLI::App* command, ConfigArguments& config);
/// The same, with --fields and --keys.
void AddConfig(CLI::App* command, ConfigArguments& config);
/// --brokers, --topics and --app.
void AddKafka(CommandLine& line, CLI::App* command, ConfigArguments& config);
/// --execute, without which the command changes nothing.
void AddExecute(CLI::App* command, bool& execute);

/// Load, which prints the warnings about the configuration.
Result<LoadedConfig> LoadAndWarn(const ConfigArguments& arguments);
/// The files that Load read: the configuration, and the model that it names.
std::vector<NamedFile> FilesRead(const ConfigArguments& arguments, const LoadedConfig& config);

// Shows the errors of librdkafka to the person who runs a command.

/// A log of librdkafka that prints errors on standard error, and nothing else.
inline KafkaLog PrintKafkaErrors() {
  return [](int level, std::string_view text) {
    if (level > kSyslogError) return;
    SayText(text);
  };
}

}  // namespace neardup
