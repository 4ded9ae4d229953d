// Distinct texts to hash: fields of JSON Lines, synthetic texts, and tokens.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "neardup/result.h"

namespace neardup {

struct RecordTexts {
  /// One text for each record: its selected fields in the order of the selection, joined by LF.
  std::vector<std::string> texts;
  /// Number of records that the service would not compare either: no JSON object, or none of the
  /// fields.
  uint64_t refused = 0;
};

/// Reads the texts of a JSON Lines file, which may be compressed with gzip. A field is a top-level
/// name or a JSON Pointer; an empty list selects all fields.
Result<RecordTexts> ReadTexts(const std::string& path, const std::vector<std::string>& fields);

/// Keeps the first of equal texts, in the order given, one after another in memory.
class TextSet {
 public:
  explicit TextSet(std::span<const std::string> texts);

  std::span<const std::string_view> texts() const { return texts_; }
  size_t bytes() const { return bytes_; }

 private:
  size_t bytes_ = 0;
  std::unique_ptr<char[]> memory_;
  std::vector<std::string_view> texts_;
};

/// Random texts of 4 to 16 lower-case letters and digits, like tokens.
TextSet ShortTexts(size_t count, uint64_t seed);

/// Texts of 64 lower-case letters and digits in groups of 64: a random one, and copies of it that
/// differ in one character.
TextSet TwinTexts(size_t count, uint64_t seed);

/// The distinct tokens of UTF-8 texts, as the tokeniser of the service cuts them: the input of its
/// SimHash.
TextSet TokensOf(std::span<const std::string_view> texts);

}  // namespace neardup
