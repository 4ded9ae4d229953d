#include "program/command_tree.h"

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

}  // namespace neardup
