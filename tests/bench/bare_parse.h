// simdjson's parser and nothing else, for comparison with the reading of records.
#pragma once

#include <memory>
#include <string_view>

namespace neardup {

/// Keeps scratch memory: one instance per thread.
class BareParser {
 public:
  BareParser();
  ~BareParser();
  BareParser(const BareParser&) = delete;
  BareParser& operator=(const BareParser&) = delete;

  /// Parses the text into simdjson's own tree. False: it is no JSON.
  bool Parse(std::string_view json);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace neardup
