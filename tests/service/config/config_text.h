// Loads configurations from texts inside the tests.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "detect/base/temporary_folder.h"
#include "service/config/config.h"

namespace neardup {

/// A temporary folder; the configuration file in it is c.yaml.
class ConfigText : public ::testing::Test {
 protected:
  std::filesystem::path Write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }

  Result<LoadedConfig> Load(const std::string& yaml, Environment environment = {},
                            std::vector<std::string> sets = {}) {
    return LoadConfig({Write("c.yaml", yaml), std::move(sets), std::move(environment)});
  }

  /// The settings; the test fails if there is a complaint.
  Settings SettingsOf(const std::string& yaml, Environment environment = {},
                      std::vector<std::string> sets = {}) {
    const Result<LoadedConfig> config = Load(yaml, std::move(environment), std::move(sets));
    EXPECT_TRUE(config.ok()) << config.error().text;
    return config.ok() ? config->settings : Settings();
  }

  /// The complaints, without the path of the folder; "" if there are none.
  std::string Complaints(const std::string& yaml, Environment environment = {},
                         std::vector<std::string> sets = {}) {
    Result<LoadedConfig> config = Load(yaml, std::move(environment), std::move(sets));
    return config.ok() ? "" : Plain(config.error().text);
  }

  std::string Plain(std::string text) const {
    std::string prefix = folder_.string() + "/";
    for (size_t at; (at = text.find(prefix)) != std::string::npos;) text.erase(at, prefix.size());
    return text;
  }

  const TemporaryFolder temporary_;
  const std::filesystem::path& folder_ = temporary_.path();
};

}  // namespace neardup
