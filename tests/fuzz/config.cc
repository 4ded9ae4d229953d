// A configuration file, and settings of the command line: the lines before the first empty one.
#include "service/config/config.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "fuzz/fuzz_target.h"
#include "service/config/documents.h"

namespace neardup {
namespace {

std::vector<std::string> Seeds() {
  return {
      "\n" + ConfigExample(),
      "window.window_ms=1h\nrecord.fields=[title, text]\n\nkafka:\n  brokers: \"a:1\"\n",
      "\ninput: {topics: [news], start: latest}\nrecord:\n  fields: [{path: title, weight: 2}]\n",
      "\napp: ${APP:-x}\nkafka: {properties: {client.id: \"${A}\"}}\n"};
}

void Run(std::string_view text) {
  static const std::filesystem::path file = std::filesystem::temp_directory_path() /
                                            ("neardup-fuzz-" + std::to_string(getpid()) + ".yaml");
  ConfigLayers layers;
  layers.file = file;
  layers.environment = {{"A", "1"}};
  size_t begin = 0;
  while (begin < text.size() && text[begin] != '\n' && layers.sets.size() < 20) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    layers.sets.emplace_back(text.substr(begin, end - begin));
    begin = std::min(end + 1, text.size());
  }
  std::ofstream(file, std::ios::binary) << text.substr(begin);
  const Result<LoadedConfig> config = LoadConfig(layers);
  std::filesystem::remove(file);
  if (!config.ok()) {
    Require(!config.error().text.empty(), "a refusal has no text");
    return;
  }
  static_cast<void>(CheckRunnable(*config));
}

}  // namespace

extern const FuzzTarget kConfigTarget{"config", Seeds, Run};

}  // namespace neardup
