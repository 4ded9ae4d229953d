// Reads Avro values by the schema that they were written with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "detect/record/json_output.h"
#include "neardup/result.h"

namespace neardup {

/// A compiled schema. Immutable: any thread may use it.
///
/// In JSON, a union is the value of its branch, bytes are Base64, and a map is an object. Decimals
/// are numbers; dates, times and timestamps are text in RFC 3339, local ones as if they were UTC. A
/// field with aliases has the name of the last one, which is the name that it had first, so that
/// all versions of a schema agree; unless another field of the record has that name.
class AvroSchema {
 public:
  /// Larger schemas are refused.
  static constexpr size_t kTextBytesMax = size_t{1} << 20;
  static constexpr size_t kPartsMax = 10'000;  ///< types, fields and symbols
  static constexpr int kDepthMax = 64;         ///< of the types in each other, and of a value

  /// Compiles the last text. It may name types that the earlier ones define. kBadInput: one of
  /// them is no schema, or is too large.
  static Result<std::shared_ptr<const AvroSchema>> Compile(std::span<const std::string> texts);

  /// Writes the JSON of a value, which must take up all bytes. Stops where `out` is full. Returns
  /// what is wrong with the value; empty: nothing.
  std::string Write(std::string_view value, JsonOutput& out) const;

  /// The full name of the record, or the kind of another type.
  const std::string& name() const { return name_; }
  /// About how much memory it takes.
  size_t bytes() const { return bytes_; }

 private:
  class Compiler;
  class Reader;

  enum class Kind : uint8_t {
    kNull,
    kBoolean,
    kInt,
    kLong,
    kFloat,
    kDouble,
    kBytes,
    kString,
    kFixed,
    kEnum,
    kArray,
    kMap,
    kUnion,
    kRecord
  };
  enum class Logical : uint8_t { kNone, kDecimal, kDate, kTimeOfDay, kTimestamp };
  struct Type {
    Kind kind = Kind::kNull;
    Logical logical = Logical::kNone;
    int digits = 0;  ///< of a decimal or of a second, after the point
    uint64_t fixed_bytes = 0;
    /// Record: what precedes each field in JSON, such as `,"name":`. Enum: the symbols in JSON.
    std::vector<std::string> names{};
    /// Record: types of the fields. Union: its branches. Array and map: one type.
    std::vector<uint32_t> parts{};
  };

  std::vector<Type> types_;
  uint32_t root_ = 0;
  std::string name_;
  size_t bytes_ = 0;
};

}  // namespace neardup
