#include "bench/bare_parse.h"

#include <simdjson.h>

namespace neardup {

struct BareParser::Parts {
  simdjson::dom::parser parser;
};

BareParser::BareParser() : parts_(std::make_unique<Parts>()) {}
BareParser::~BareParser() = default;

bool BareParser::Parse(std::string_view json) {
  return parts_->parser.parse(json.data(), json.size()).error() == simdjson::SUCCESS;
}

}  // namespace neardup
