// Options that several commands have, so that one name means one thing in all of them.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "commands/command_line.h"
#include "config/config.h"
#include "config/config_arguments.h"
#include "files/file_identity.h"
#include "neardup/options.h"

namespace neardup {

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
/// --records, --hash-seed and --force, of commands that learn from a sample.
template <class Arguments>
void AddSampleFlags(CLI::App* command, Arguments& arguments) {
  AddNumber(command, "--records", arguments.records, {1, 100'000}, "read at most N records")
      ->capture_default_str();
  AddSeed(command, "--hash-seed", arguments.hash_seed,
          "seed of the fingerprints; another seed gives other, equally good ones");
  command->add_flag("--force", arguments.force, "overwrite existing output files");
}
/// --execute, without which the command changes nothing.
void AddExecute(CLI::App* command, bool& execute);

/// The files that Load read: the configuration, and the model that it names.
std::vector<NamedFile> FilesRead(const ConfigArguments& arguments, const LoadedConfig& config);

}  // namespace neardup
