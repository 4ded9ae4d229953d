// The commands of the program as data: what help, completion and the manual page are made of.
#pragma once

#include <string>
#include <vector>

namespace neardup {

struct OptionNode {
  std::vector<std::string> names;  ///< such as -i and --input
  std::string value;               ///< what it takes, such as FILE; empty: nothing
  std::string help;
  bool required = false;

  bool takes_file() const { return value == "FILE" || value == "FOLDER"; }
};

struct CommandNode {
  std::string name;  ///< as it is called, such as `neardup config show`
  std::string help;
  std::string words;  ///< what it takes besides options, such as RECORD; empty: nothing
  std::vector<OptionNode> options;
  std::vector<CommandNode> commands;

  /// The last word of the name.
  std::string word() const { return name.substr(name.rfind(' ') + 1); }
};

}  // namespace neardup
