#include "bench/report.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

namespace neardup {

Result<void> WriteJson(const std::vector<Measurement>& measurements, const std::string& path) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const auto& [name, value, unit] : measurements) {
    list.push_back({{"name", name}, {"value", value}, {"unit", unit}});
  }
  errno = 0;
  std::ofstream file(path, std::ios::trunc);
  file << list.dump(1) << '\n';
  file.close();
  if (!file) return Error{ErrorCode::kIo, path + ": cannot be written: " + std::strerror(errno)};
  return {};
}

}  // namespace neardup
