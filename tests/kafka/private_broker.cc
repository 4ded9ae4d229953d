// The broker of the tests: the one that NEARDUP_TEST_BROKERS names; otherwise the one that
// tests/e2e/shared_kafka.py started, whose address is in the file E2E_BROKERS_FILE; otherwise one
// that is started here for all tests of the executable, and stopped at the end.
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
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
      unsetenv("NEARDUP_TEST_BROKERS");  // the commands under test take it for a setting
      return;
    }
    if (const char* file = std::getenv("E2E_BROKERS_FILE"); file != nullptr) {
      if (!(std::ifstream(file) >> brokers)) {
        throw std::runtime_error(std::string("found no address of a broker in ") + file);
      }
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
