// Answers the questions of schema_test.py:
//   config_probe schema              prints the JSON Schema
//   config_probe example             prints the example file
//   config_probe check FILE...       one line for each file: "ok", or the first complaint
#include <cstdio>
#include <string>

#include "service/config/config.h"
#include "service/config/documents.h"

int main(int argc, char** argv) {
  const std::string command = argc > 1 ? argv[1] : "";
  if (command == "schema") {
    std::fputs(neardup::ConfigSchema().c_str(), stdout);
    return 0;
  }
  if (command == "example") {
    std::fputs(neardup::ConfigExample().c_str(), stdout);
    return 0;
  }
  if (command != "check") return 2;
  for (int i = 2; i < argc; ++i) {
    auto config = neardup::LoadConfig({argv[i], {}, {}});
    std::string answer = config.ok() ? "ok" : config.error().text;
    std::puts(answer.substr(0, answer.find('\n')).c_str());
  }
  return 0;
}
