#include "commands/program/completion.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace neardup {
namespace {

OptionNode NodeOf(const CLI::Option& option) {
  OptionNode node;
  for (const std::string& name : option.get_snames()) node.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) node.names.push_back("--" + name);
  if (option.get_items_expected_max() > 0) node.value = option.get_type_name();
  node.help = option.get_description();
  node.required = option.get_required();
  return node;
}

CommandNode TreeOf(const CommandLine& line, const CLI::App& command, const std::string& name) {
  CommandNode node{name, command.get_description(), "", {}, line.examples(command), {}};
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional()) {
      if (node.words.empty()) node.words = option->get_name(true);
    } else {
      node.options.push_back(NodeOf(*option));
    }
  }
  for (const CLI::App* each : command.get_subcommands({})) {
    node.commands.push_back(TreeOf(line, *each, name + " " + each->get_name()));
  }
  return node;
}

}  // namespace

CommandNode TreeOf(const CommandLine& line) { return TreeOf(line, line.program(), "neardup"); }

namespace {

// Each script asks the program for the lines of CompletedWords, and shows them.

constexpr std::string_view kBash =
    R"(# Completion of neardup for bash, printed by `neardup completion bash`.
_neardup() {
  local line current=${COMP_WORDS[COMP_CWORD]}
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line == :files ]]; then
      compopt -o filenames 2>/dev/null
      mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$current")
    else
      COMPREPLY+=("${line%%$'\t'*}")
    fi
  done < <("${COMP_WORDS[0]}" completion words -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _neardup neardup
)";
constexpr std::string_view kZsh =
    R"(#compdef neardup
# Completion of neardup for zsh, printed by `neardup completion zsh`.
_neardup() {
  local line none=1
  local -a found
  for line in "${(@f)$("${words[1]}" completion words -- "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    if [[ $line == :files ]]; then
      _files && none=0
    elif [[ -n $line ]]; then
      found+=("${line/$'\t'/:}")
    fi
  done
  (( $#found )) && _describe -t words word found && none=0
  return $none
}
if [[ ${funcstack[1]} == _neardup ]]; then _neardup; else compdef _neardup neardup; fi
)";
constexpr std::string_view kFish =
    R"(# Completion of neardup for fish, printed by `neardup completion fish`.
function __neardup_words
    set --local words (commandline --tokenize --current-process --cut-at-cursor)
    set --local current (commandline --current-token --cut-at-cursor)
    for line in ($words[1] completion words -- $words[2..] "$current" 2>/dev/null)
        if test "$line" = :files
            __fish_complete_path "$current"
        else
            echo $line
        end
    end
end
complete --command neardup --no-files --arguments '(__neardup_words)'
)";

constexpr std::pair<std::string_view, std::string_view> kScripts[] = {
    {"bash", kBash}, {"zsh", kZsh}, {"fish", kFish}};

}  // namespace

std::string CompletionScript(std::string_view shell) {
  for (const auto& [name, script] : kScripts) {
    if (name == shell) return std::string(script);
  }
  return {};
}

std::string CompletedWords(const CommandNode& program, std::span<const std::string> words) {
  const std::string current = words.empty() ? "" : words.back();
  const CommandNode* command = &program;
  for (size_t i = 0; i + 1 < words.size(); ++i) {
    const auto next =
        std::find_if(command->commands.begin(), command->commands.end(),
                     [&](const CommandNode& each) { return each.word() == words[i]; });
    if (next != command->commands.end()) command = &*next;
  }
  std::string lines;
  const auto offer = [&](std::string_view word, std::string help) {
    if (!word.starts_with(current)) return;
    std::replace(help.begin(), help.end(), '\n', ' ');
    lines += fmt::format("{}\t{}\n", word, help);
  };
  for (const OptionNode& option : command->options) {
    const bool is_value = words.size() > 1 && !option.value.empty() &&
                          std::find(option.names.begin(), option.names.end(),
                                    words[words.size() - 2]) != option.names.end();
    if (is_value) return option.takes_file() ? ":files\n" : "";
    offer(option.names.back(), option.help);
  }
  const bool of_program = command->words == "COMMAND";
  for (const CommandNode& each : of_program ? program.commands : command->commands) {
    offer(each.word(), each.help);
  }
  if (command->words == "SHELL") {
    for (const auto& [name, script] : kScripts) offer(name, "");
  }
  return command->words == "RECORD" ? lines + ":files\n" : lines;
}

}  // namespace neardup
