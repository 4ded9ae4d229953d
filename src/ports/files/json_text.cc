#include "files/json_text.h"

#include <nlohmann/json.hpp>

namespace neardup {

std::string JsonText(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace neardup
