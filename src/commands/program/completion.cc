#include "commands/program/completion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cassert>
#include <functional>
#include <string_view>
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
      node.words = option->get_name(true);
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

/// A word that may follow, and what it is.
struct Choice {
  std::string word;
  std::string help;
};

void ForEach(const CommandNode& node, const std::function<void(const CommandNode&)>& visit) {
  visit(node);
  for (const CommandNode& command : node.commands) ForEach(command, visit);
}

/// The words that a command takes before or between its options.
std::vector<Choice> WordsOf(const CommandNode& node, const CommandNode& program) {
  std::vector<Choice> words;
  for (const CommandNode& command : node.commands) words.push_back({command.word(), command.help});
  if (node.words == "SHELL") {
    for (const std::string& shell : CompletedShells()) words.push_back({shell, ""});
  }
  if (node.words == "COMMAND") {
    for (const CommandNode& command : program.commands) {
      words.push_back({command.word(), command.help});
    }
  }
  return words;
}

bool TakesFiles(const CommandNode& node) { return node.words == "RECORD"; }

/// The names of the options that a value follows.
struct ValueOptions {
  std::vector<std::string> texts;
  std::vector<std::string> files;
};

ValueOptions ValueOptionsOf(const CommandNode& node) {
  ValueOptions found;
  for (const OptionNode& option : node.options) {
    if (option.value.empty()) continue;
    std::vector<std::string>& into = option.takes_file() ? found.files : found.texts;
    into.insert(into.end(), option.names.begin(), option.names.end());
  }
  return found;
}

/// All commands below the program, each in quotes.
std::vector<std::string> QuotedNames(const CommandNode& program) {
  std::vector<std::string> names;
  ForEach(program, [&](const CommandNode& node) {
    if (node.name != program.name) names.push_back(fmt::format("'{}'", node.name));
  });
  return names;
}

/// Within single quotes of a shell.
std::string Quoted(std::string_view text, std::string_view quote_inside) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += quote_inside;
    } else {
      quoted += c == '\n' ? ' ' : c;
    }
  }
  return quoted + "'";
}

// ---- bash

// `command` is the command so far; a word that begins with - or is the value of an option is none.
constexpr std::string_view kBashHead =
    R"(# Completion of neardup for bash, printed by `neardup completion bash`.
_neardup() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
  local command=neardup words= values= files= word
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$command $word" in
      )";
constexpr std::string_view kBashAfterNames = R"() command="$command $word" ;;
    esac
  done
  case $command in
)";
constexpr std::string_view kBashTail = R"(  esac
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

std::string BashCase(const CommandNode& node, const CommandNode& program) {
  std::vector<std::string> words;
  for (Choice& choice : WordsOf(node, program)) words.push_back(std::move(choice.word));
  if (TakesFiles(node)) words.push_back(node.words);
  for (const OptionNode& option : node.options) words.push_back(option.names.back());
  const ValueOptions values = ValueOptionsOf(node);
  return fmt::format("    '{}')\n      words='{}'\n      values='{}'\n      files='{}' ;;\n",
                     node.name, fmt::join(words, " "), fmt::join(values.texts, " "),
                     fmt::join(values.files, " "));
}

std::string BashCompletion(const CommandNode& program) {
  std::string cases;
  ForEach(program, [&](const CommandNode& node) { cases += BashCase(node, program); });
  return fmt::format("{}{}{}{}{}", kBashHead, fmt::join(QuotedNames(program), "|"), kBashAfterNames,
                     cases, kBashTail);
}

// ---- zsh

constexpr std::string_view kZshHead =
    R"(#compdef neardup
# Completion of neardup for zsh, printed by `neardup completion zsh`.
_neardup() {
  local command=neardup previous=${words[CURRENT-1]} word
  local -a choices options values files
  local takes_files= none=1
  for word in ${words[2,CURRENT-1]}; do
    case "$command $word" in
      )";
constexpr std::string_view kZshAfterNames = R"() command="$command $word" ;;
    esac
  done
  case $command in
)";
constexpr std::string_view kZshTail = R"(  esac
  if (( ${files[(Ie)$previous]} )); then
    _files && none=0
  elif (( ! ${values[(Ie)$previous]} )); then
    (( $#choices )) && _describe -t commands word choices && none=0
    _describe -o option options && none=0
    [[ -n $takes_files ]] && _files && none=0
  fi
  return $none
}
if [[ ${funcstack[1]} == _neardup ]]; then _neardup; else compdef _neardup neardup; fi
)";

/// `word:help`, as _describe takes it.
std::string ZshChoice(const std::string& word, const std::string& help) {
  std::string text = word;
  if (!help.empty()) text += ':' + help;
  return Quoted(text, R"('\'')");
}

std::string ZshCase(const CommandNode& node, const CommandNode& program) {
  std::vector<std::string> choices;
  for (const Choice& choice : WordsOf(node, program)) {
    choices.push_back(ZshChoice(choice.word, choice.help));
  }
  std::vector<std::string> options;
  for (const OptionNode& option : node.options) {
    options.push_back(ZshChoice(option.names.back(), option.help));
  }
  const ValueOptions values = ValueOptionsOf(node);
  return fmt::format(
      "    '{}')\n      choices=({})\n      options=({})\n      values=({})\n      files=({})\n"
      "      takes_files={} ;;\n",
      node.name, fmt::join(choices, " "), fmt::join(options, "\n               "),
      fmt::join(values.texts, " "), fmt::join(values.files, " "), TakesFiles(node) ? "yes" : "");
}

std::string ZshCompletion(const CommandNode& program) {
  std::string cases;
  ForEach(program, [&](const CommandNode& node) { cases += ZshCase(node, program); });
  return fmt::format("{}{}{}{}{}", kZshHead, fmt::join(QuotedNames(program), "|"), kZshAfterNames,
                     cases, kZshTail);
}

// ---- fish

constexpr std::string_view kFishHead =
    R"(# Completion of neardup for fish, printed by `neardup completion fish`.
function __neardup_at --description 'Whether the words so far name this command'
    set --local at neardup
    for word in (commandline --tokenize --current-process --cut-at-cursor)[2..]
        if contains -- "$at $word" )";
constexpr std::string_view kFishTail = R"(
            set at "$at $word"
        end
    end
    test "$at" = "$argv"
end
complete --command neardup --no-files
)";

std::string FishQuoted(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\\') escaped += '\\';
    escaped += c;
  }
  return Quoted(escaped, R"(\')");
}

std::string FishLines(const CommandNode& node, const CommandNode& program) {
  const std::string at =
      fmt::format("complete --command neardup --condition '__neardup_at {}'", node.name);
  std::string lines;
  for (const Choice& choice : WordsOf(node, program)) {
    lines += fmt::format("{} --arguments {} --description {}\n", at, choice.word,
                         FishQuoted(choice.help));
  }
  if (TakesFiles(node)) lines += fmt::format("{} --force-files\n", at);
  for (const OptionNode& option : node.options) {
    lines += at;
    for (const std::string& name : option.names) {
      const bool is_long = name.starts_with("--");
      lines +=
          fmt::format(" --{}-option {}", is_long ? "long" : "short", name.substr(is_long ? 2 : 1));
    }
    if (!option.value.empty()) {
      lines += option.takes_file() ? " --require-parameter --force-files" : " --exclusive";
    }
    lines += fmt::format(" --description {}\n", FishQuoted(option.help));
  }
  return lines;
}

std::string FishCompletion(const CommandNode& program) {
  std::string lines;
  ForEach(program, [&](const CommandNode& node) { lines += FishLines(node, program); });
  return fmt::format("{}{}{}{}", kFishHead, fmt::join(QuotedNames(program), " "), kFishTail, lines);
}

struct Shell {
  std::string name;
  std::string (*completion)(const CommandNode& program);
};

const std::vector<Shell>& Shells() {
  static const std::vector<Shell> shells = {
      {"bash", BashCompletion}, {"zsh", ZshCompletion}, {"fish", FishCompletion}};
  return shells;
}

}  // namespace

std::vector<std::string> CompletedShells() {
  std::vector<std::string> names;
  for (const Shell& shell : Shells()) names.push_back(shell.name);
  return names;
}

std::string Completion(const std::string& shell, const CommandNode& program) {
  const auto found = std::find_if(Shells().begin(), Shells().end(),
                                  [&shell](const Shell& each) { return each.name == shell; });
  assert(found != Shells().end());
  return found->completion(program);
}

}  // namespace neardup
