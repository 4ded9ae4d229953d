// Collects the commands of the program, and the function that each one runs. Then runs the command
// that the user named.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace neardup {

/// A command declares itself in a function of its own file (commands.h):
///
///   void AddVersion(CommandLine& line) {
///     const auto arguments = std::make_shared<VersionArguments>();
///     CLI::App* command = line.Add("version", "print the version", {"neardup version"});
///     command->add_flag("--json", arguments->json, "print one JSON object");
///     line.Runs(command, [arguments] { return VersionCommand(*arguments); });
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
  /// standard error, returns an exit code (exit_code.h), and must own the variables that the
  /// options fill.
  void Runs(CLI::App* command, std::function<int()> run);

  /// Says that an option was renamed. The old name stays valid, but the help does not show it.
  void Renamed(const CLI::App* command, const char* old_name, const char* name);
  /// The words of the user, the name of the program first, with the new names of options.
  std::vector<std::string> WithNewNames(std::vector<std::string> words) const;

  CLI::App& program() const { return program_; }
  /// The examples of a command; a group has none.
  const Examples& examples(const CLI::App& command) const;
  /// Runs the command that was chosen when the program parsed the words.
  int RunChosen() const { return chosen_(); }

 private:
  CLI::App& program_;
  std::map<const CLI::App*, Examples> examples_;
  /// For each command: the former name of an option, and its present one.
  std::map<const CLI::App*, std::map<std::string, std::string>> renamed_;
  std::function<int()> chosen_;
};

}  // namespace neardup
