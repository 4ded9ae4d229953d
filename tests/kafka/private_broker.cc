// Starts one broker for all tests of the executable, and stops it at the end. If
// NEARDUP_TEST_BROKERS is set, the tests use that running broker instead.
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "kafka/kafka_cluster.h"

namespace neardup {
namespace {

std::string brokers;

/// Runs a command and returns the last line of its output.
std::string Run(const std::string& command) {
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("cannot run " + command);
  std::array<char, 1024> line{};
  std::string last;
  while (std::fgets(line.data(), line.size(), pipe) != nullptr) last = line.data();
  const int status = pclose(pipe);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw std::runtime_error("failed: " + command);
  while (!last.empty() && last.back() == '\n') last.pop_back();
  return last;
}

class PrivateBroker : public ::testing::Environment {
 public:
  void SetUp() override {
    if (const char* given = std::getenv("NEARDUP_TEST_BROKERS"); given != nullptr) {
      brokers = given;
      return;
    }
    std::string pattern = (std::filesystem::temp_directory_path() / "neardup-test-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary directory");
    directory_ = pattern;
    brokers =
        Run(std::string(NEARDUP_KAFKA_SCRIPT) + " start --fast-start --port 0 --dir " + directory_);
  }
  ~PrivateBroker() override {
    if (directory_.empty()) return;
    Run(std::string(NEARDUP_KAFKA_SCRIPT) + " stop --dir " + directory_);
    std::filesystem::remove_all(directory_);
  }

 private:
  std::string directory_;
};

::testing::Environment* const environment = ::testing::AddGlobalTestEnvironment(new PrivateBroker);

}  // namespace

std::string TestBrokers() { return brokers; }

}  // namespace neardup
