#include "app/completion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <functional>
#include <string_view>
#include <vector>

namespace neardup {
namespace {

// `command` is the command so far; a word that begins with - or is the value of an option is none.
constexpr std::string_view kHead =
    R"(# Completion of neardup for bash, printed by `neardup completion bash`.
_neardup() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
  local command=neardup words= values= files= word
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$command $word" in
      )";
constexpr std::string_view kAfterNames = R"() command="$command $word" ;;
    esac
  done
  case $command in
)";
constexpr std::string_view kTail = R"(  esac
  COMPREPLY=()
  if [[ " $files " == *" $previous "* ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
  elif [[ " $values " != *" $previous "* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
    if [[ $words == *RECORD* && $current != -* ]]; then
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -f -- "$current")
    fi
  fi
}
complete -F _neardup neardup
)";

void ForEach(const CommandNode& node, const std::function<void(const CommandNode&)>& visit) {
  visit(node);
  for (const CommandNode& command : node.commands) ForEach(command, visit);
}

std::string CaseOf(const CommandNode& node, const CommandNode& program) {
  std::vector<std::string> words;
  std::vector<std::string> values;
  std::vector<std::string> files;
  for (const CommandNode& command : node.commands) words.push_back(command.word());
  if (node.words == "SHELL") words.emplace_back("bash");
  if (node.words == "COMMAND") {
    for (const CommandNode& command : program.commands) words.push_back(command.word());
  }
  if (node.words == "RECORD") words.push_back(node.words);
  for (const OptionNode& option : node.options) {
    words.push_back(option.names.back());
    for (const std::string& name : option.names) {
      if (option.takes_file()) {
        files.push_back(name);
      } else if (!option.value.empty()) {
        values.push_back(name);
      }
    }
  }
  return fmt::format("    '{}')\n      words='{}'\n      values='{}'\n      files='{}' ;;\n",
                     node.name, fmt::join(words, " "), fmt::join(values, " "),
                     fmt::join(files, " "));
}

}  // namespace

std::string BashCompletion(const CommandNode& program) {
  std::vector<std::string> names;
  std::string cases;
  ForEach(program, [&](const CommandNode& node) {
    if (node.name != program.name) names.push_back(fmt::format("'{}'", node.name));
    cases += CaseOf(node, program);
  });
  return fmt::format("{}{}{}{}{}", kHead, fmt::join(names, "|"), kAfterNames, cases, kTail);
}

}  // namespace neardup
