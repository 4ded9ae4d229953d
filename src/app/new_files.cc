#include "app/new_files.h"

namespace neardup {

Result<void> CheckNew(const std::vector<std::filesystem::path>& files) {
  for (const std::filesystem::path& file : files) {
    std::error_code error;
    if (!std::filesystem::exists(file, error)) continue;
    return Error{
        ErrorCode::kIo,
        file.string() + ": is there already; --force overwrites it, or choose another name"};
  }
  return {};
}

}  // namespace neardup
