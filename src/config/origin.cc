#include "config/origin.h"

namespace neardup {

std::string Text(const Origin& origin) {
  switch (origin.kind) {
    case Origin::Kind::kDefault:
      return "default";
    case Origin::Kind::kFile:
      return origin.line > 0 ? origin.name + ":" + std::to_string(origin.line) : origin.name;
    case Origin::Kind::kEnvironment:
      return origin.name;
    case Origin::Kind::kCommandLine:
      return "--set " + origin.name;
  }
  return "default";
}

void ConfigErrors::Add(const Origin& origin, std::string_view path, std::string_view text) {
  std::string line = Text(origin) + ": ";
  bool said = origin.kind == Origin::Kind::kCommandLine && origin.name == path;
  if (!path.empty() && !said) line.append(path).append(": ");
  lines_.push_back(line.append(text));
}

}  // namespace neardup
