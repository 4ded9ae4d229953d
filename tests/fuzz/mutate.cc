// Runs a fuzz target without libFuzzer: on its seeds, on files, and on mutations of the seeds.
// Every compiler can build it, so that each test run fuzzes a little. scripts/fuzz runs longer, and
// is guided by coverage.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>

#include "detect/base/random.h"
#include "fuzz/fuzz_target.h"

namespace neardup {
namespace {

void MutateOnce(std::string& input, const std::vector<std::string>& seeds, SeededRandom& random) {
  static const std::vector<std::string> kParts = {"\"",
                                                  "\\",
                                                  "{",
                                                  "}",
                                                  "[",
                                                  "]",
                                                  ":",
                                                  ",",
                                                  "\n",
                                                  "\\u0000",
                                                  "\\ud800",
                                                  "-1",
                                                  "1e999",
                                                  "null",
                                                  std::string(8, '\xff'),
                                                  std::string(8, '\0'),
                                                  "\xf0\x9f\x98\x80",
                                                  "\xcc\x81",
                                                  "\xef\xbe\x9e",
                                                  "\xe1\x85\xa1",
                                                  "\xed\xa0\x80",
                                                  "<",
                                                  "&#",
                                                  ";",
                                                  "%"};
  const size_t at = random.Below(input.size() + 1);
  const size_t length = 1 + random.Below(8);
  switch (random.Below(6)) {
    case 0:
      if (at < input.size()) input[at] = static_cast<char>(random.Below(256));
      break;
    case 1:
      if (at < input.size()) input[at] = static_cast<char>(input[at] ^ 1 << random.Below(8));
      break;
    case 2:
      input.erase(at, length);
      break;
    case 3:
      input.insert(at, random.Pick(kParts));
      break;
    case 4:
      input.insert(at, input.substr(random.Below(input.size() + 1), length * length));
      break;
    default: {
      const std::string& other = random.Pick(seeds);
      input = input.substr(0, at) + other.substr(random.Below(other.size() + 1));
    }
  }
}

/// A file with the input that runs. It is left behind if the target ends the process.
class LastInput {
 public:
  explicit LastInput(const std::string& path)
      : file_(open(path.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0666)) {
    Require(file_ >= 0, path + " cannot be written");
  }
  ~LastInput() { close(file_); }
  LastInput(const LastInput&) = delete;
  LastInput& operator=(const LastInput&) = delete;

  void Keep(const std::string& input) {
    const auto size = static_cast<ssize_t>(input.size());
    Require(ftruncate(file_, size) == 0 && pwrite(file_, input.data(), input.size(), 0) == size,
            "the input cannot be written to its file");
  }

 private:
  int file_;
};

int Main(int count, char** words) {
  CLI::App app("runs a fuzz target on its seeds, on files and on mutations of the seeds");
  uint64_t mutations = 0;
  uint64_t seed = 1;
  std::string name;
  std::string folder;
  std::vector<std::string> files;
  app.add_option("TARGET", name, FuzzTargetNames())->required();
  app.add_option("--mutations", mutations, "mutated inputs");
  app.add_option("--seed", seed, "of the mutations");
  app.add_option("--write-seeds", folder, "write the seeds to this folder, and do nothing else");
  app.add_option("FILE", files, "inputs");
  CLI11_PARSE(app, count, words);
  const FuzzTarget* target = FindFuzzTarget(name);
  if (target == nullptr) {
    fmt::print(stderr, "found the target {}, expected one of {}\n", name, FuzzTargetNames());
    return 2;
  }
  const std::vector<std::string> seeds = target->seeds();
  for (size_t i = 0; i < seeds.size() && !folder.empty(); ++i) {
    std::ofstream(std::filesystem::path(folder) / fmt::format("seed-{}", i), std::ios::binary)
        << seeds[i];
  }
  if (!folder.empty()) return 0;
  for (const std::string& each : seeds) target->run(each);
  for (const std::string& file : files) {
    std::ifstream in(file, std::ios::binary);
    Require(in.good(), file + " cannot be read");
    target->run(std::string(std::istreambuf_iterator<char>(in), {}));
  }
  LastInput last(fmt::format("{}_{}.last", words[0], name));
  for (uint64_t i = 0; i < mutations; ++i) {
    SeededRandom random(seed + i);
    std::string input = random.Pick(seeds);
    for (uint64_t step = 1 + random.Below(6); step > 0; --step) MutateOnce(input, seeds, random);
    last.Keep(input);
    target->run(input);
  }
  fmt::print("{} seeds, {} files and {} mutations from seed {}: no finding\n", seeds.size(),
             files.size(), mutations, seed);
  return 0;
}

}  // namespace
}  // namespace neardup

int main(int count, char** words) { return neardup::Main(count, words); }
