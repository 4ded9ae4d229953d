#include "config/config_errors.h"

#include <fmt/format.h>

namespace neardup {

std::string Text(const ValueSource& source) {
  switch (source.kind) {
    case ValueSource::Kind::kDefault:
      return "default";
    case ValueSource::Kind::kFile:
      return source.line > 0 ? fmt::format("{}:{}", source.name, source.line) : source.name;
    case ValueSource::Kind::kEnvironment:
      return source.name;
    case ValueSource::Kind::kCommandLine:
      return "--set " + source.name;
    case ValueSource::Kind::kLearned:
      return "learned";
  }
  return "default";
}

ValueSource AtLine(ValueSource source, int line) {
  if (source.kind == ValueSource::Kind::kFile) source.line = line;
  return source;
}

void ConfigErrors::Add(const ValueSource& source, std::string_view path, std::string_view text) {
  const bool named = source.kind == ValueSource::Kind::kCommandLine && source.name == path;
  lines_.push_back(path.empty() || named ? fmt::format("{}: {}", Text(source), text)
                                         : fmt::format("{}: {}: {}", Text(source), path, text));
}

}  // namespace neardup
