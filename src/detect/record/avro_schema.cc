#include "detect/record/avro_schema.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <set>
#include <unordered_map>
#include <utility>

namespace neardup {
namespace {

namespace dom = simdjson::dom;

constexpr int64_t kScaleMax = 38;

Error Refused(std::string text) { return {ErrorCode::kBadInput, std::move(text)}; }

/// Empty if there is none.
std::string_view TextAt(const dom::object& object, std::string_view key) {
  std::string_view text;
  return object.at_key(key).get(text) == simdjson::SUCCESS ? text : std::string_view();
}

std::string FullName(std::string_view name, std::string_view space) {
  if (space.empty() || name.find('.') != name.npos) return std::string(name);
  return fmt::format("{}.{}", space, name);
}

std::string InJson(std::string_view text) {
  std::string json;
  JsonOutput(json, SIZE_MAX).String(text);
  return json;
}

}  // namespace

// ---- from text to types

class AvroSchema::Compiler {
 public:
  explicit Compiler(AvroSchema& schema) : schema_(schema) {}

  Result<void> Add(const std::string& text) {
    if (text.size() > kTextBytesMax) {
      return Refused(
          fmt::format("found {} bytes, expected at most {}", text.size(), kTextBytesMax));
    }
    dom::parser parser;
    dom::element root;
    const auto parsed = parser.parse(text.data(), text.size(), true).get(root);
    if (parsed != simdjson::SUCCESS) {
      return Refused(fmt::format("not JSON: {}", simdjson::error_message(parsed)));
    }
    NEARDUP_ASSIGN(schema_.root_, TypeOf(root, "", 0));
    dom::object object;
    schema_.name_ = root.get(object) == simdjson::SUCCESS
                        ? FullName(TextAt(object, "name"), TextAt(object, "namespace"))
                        : std::string();
    if (schema_.name_.empty()) schema_.name_ = "without a name";
    return {};
  }

 private:
  Result<uint32_t> New(Type type) {
    parts_ += 1 + type.names.size();
    if (parts_ > kPartsMax) {
      return Refused(
          fmt::format("found more than {} types, fields and symbols, expected fewer", kPartsMax));
    }
    schema_.types_.push_back(std::move(type));
    return static_cast<uint32_t>(schema_.types_.size() - 1);
  }

  Result<uint32_t> TypeOf(const dom::element& written, const std::string& space, int depth) {
    if (depth > kDepthMax) {
      return Refused(fmt::format("nested deeper than {} levels", kDepthMax));
    }
    std::string_view name;
    dom::array branches;
    dom::object object;
    if (written.get(name) == simdjson::SUCCESS) return Named(name, space);
    if (written.get(branches) == simdjson::SUCCESS) return Union(branches, space, depth);
    dom::element type;
    if (written.get(object) != simdjson::SUCCESS ||
        object.at_key("type").get(type) != simdjson::SUCCESS) {
      return Refused("found a type that is no text, no list and no object with a type");
    }
    if (type.get(name) != simdjson::SUCCESS) return TypeOf(type, space, depth + 1);
    if (name == "array") return Container(Kind::kArray, object, "items", space, depth);
    if (name == "map") return Container(Kind::kMap, object, "values", space, depth);
    if (name == "record" || name == "error") return Record(object, space, depth);
    if (name == "enum") return Enum(object, space);
    if (name == "fixed") return Fixed(object, space);
    NEARDUP_ASSIGN(const uint32_t plain, Named(name, space));
    if (schema_.types_[plain].kind <= Kind::kString) SetLogical(object, schema_.types_[plain]);
    return plain;
  }

  Result<uint32_t> Named(std::string_view name, const std::string& space) {
    static constexpr std::string_view kPlain[] = {"null",  "boolean", "int",   "long",
                                                  "float", "double",  "bytes", "string"};
    const auto* const plain = std::ranges::find(kPlain, name);
    if (plain != std::end(kPlain)) return New({.kind = static_cast<Kind>(plain - kPlain)});
    for (const std::string& full : {FullName(name, space), std::string(name)}) {
      if (const auto found = named_.find(full); found != named_.end()) return found->second;
    }
    return Refused(fmt::format("found the type {}, which nothing defines", name));
  }

  Result<uint32_t> Union(const dom::array& branches, const std::string& space, int depth) {
    Type type{.kind = Kind::kUnion};
    for (const dom::element branch : branches) {
      NEARDUP_ASSIGN(const uint32_t part, TypeOf(branch, space, depth + 1));
      if (schema_.types_[part].kind == Kind::kUnion) return Refused("found a union in a union");
      type.parts.push_back(part);
    }
    return New(std::move(type));
  }

  Result<uint32_t> Container(Kind kind, const dom::object& object, std::string_view of,
                             const std::string& space, int depth) {
    dom::element part;
    if (object.at_key(of).get(part) != simdjson::SUCCESS) {
      return Refused(fmt::format("found an array or a map without {}", of));
    }
    NEARDUP_ASSIGN(const uint32_t type, TypeOf(part, space, depth + 1));
    return New({.kind = kind, .parts = {type}});
  }

  /// Makes a type known by its name; `space` becomes the namespace of what it holds.
  Result<uint32_t> Define(Type type, const dom::object& object, std::string& space) {
    const std::string_view own = TextAt(object, "namespace");
    const std::string name = FullName(TextAt(object, "name"), own.empty() ? space : own);
    const size_t dot = name.rfind('.');
    space = dot == name.npos ? std::string() : name.substr(0, dot);
    NEARDUP_ASSIGN(const uint32_t number, New(std::move(type)));
    if (!named_.emplace(name, number).second) {
      return Refused(fmt::format("found two definitions of the type \"{}\"", name));
    }
    return number;
  }

  Result<uint32_t> Fixed(const dom::object& object, std::string space) {
    Type type{.kind = Kind::kFixed};
    if (object.at_key("size").get(type.fixed_bytes) != simdjson::SUCCESS) {
      return Refused("found a fixed without a size");
    }
    SetLogical(object, type);
    return Define(std::move(type), object, space);
  }

  Result<uint32_t> Enum(const dom::object& object, std::string space) {
    Type type{.kind = Kind::kEnum};
    dom::array symbols;
    if (object.at_key("symbols").get(symbols) != simdjson::SUCCESS) {
      return Refused("found an enum without symbols");
    }
    for (const dom::element symbol : symbols) {
      std::string_view text;
      if (symbol.get(text) != simdjson::SUCCESS) return Refused("found a symbol that is no text");
      type.names.push_back(InJson(text));
    }
    return Define(std::move(type), object, space);
  }

  Result<uint32_t> Record(const dom::object& object, std::string space, int depth) {
    dom::array fields;
    if (object.at_key("fields").get(fields) != simdjson::SUCCESS) {
      return Refused("found a record without fields");
    }
    // It is known by its name before its fields, which may be of its type.
    NEARDUP_ASSIGN(const uint32_t number, Define({.kind = Kind::kRecord}, object, space));
    NEARDUP_ASSIGN(std::vector<std::string> names, FieldNamesOf(fields));
    parts_ += names.size();
    std::vector<uint32_t> parts;
    for (const dom::element field : fields) {
      dom::element type;
      if (field["type"].get(type) != simdjson::SUCCESS) {
        return Refused("found a field without a type");
      }
      NEARDUP_ASSIGN(const uint32_t part, TypeOf(type, space, depth + 1));
      names[parts.size()] = fmt::format("{}{}:", parts.empty() ? "" : ",", names[parts.size()]);
      parts.push_back(part);
    }
    schema_.types_[number].names = std::move(names);
    schema_.types_[number].parts = std::move(parts);
    return number;
  }

  /// In JSON: the last alias of each field, or its name.
  static Result<std::vector<std::string>> FieldNamesOf(const dom::array& fields) {
    std::vector<std::string_view> names;
    std::set<std::string_view> taken;
    for (const dom::element field : fields) {
      std::string_view name;
      if (field["name"].get(name) != simdjson::SUCCESS) {
        return Refused("found a field without a name");
      }
      names.push_back(name);
      taken.insert(name);
    }
    std::vector<std::string> written;
    for (const dom::element field : fields) {
      std::string_view name = names[written.size()];
      dom::array aliases;
      if (field["aliases"].get(aliases) == simdjson::SUCCESS && aliases.size() > 0) {
        std::string_view last;
        const bool text = aliases.at(aliases.size() - 1).get(last) == simdjson::SUCCESS;
        if (text && taken.insert(last).second) name = last;
      }
      written.push_back(InJson(name));
    }
    return written;
  }

  static void SetLogical(const dom::object& object, Type& type) {
    struct Row {
      std::string_view name;
      Kind kind;
      Logical logical;
      int digits;
    };
    static constexpr Row kRows[] = {{"date", Kind::kInt, Logical::kDate, 0},
                                    {"time-millis", Kind::kInt, Logical::kTimeOfDay, 3},
                                    {"time-micros", Kind::kLong, Logical::kTimeOfDay, 6},
                                    {"timestamp-millis", Kind::kLong, Logical::kTimestamp, 3},
                                    {"timestamp-micros", Kind::kLong, Logical::kTimestamp, 6},
                                    {"timestamp-nanos", Kind::kLong, Logical::kTimestamp, 9},
                                    {"local-timestamp-millis", Kind::kLong, Logical::kTimestamp, 3},
                                    {"local-timestamp-micros", Kind::kLong, Logical::kTimestamp, 6},
                                    {"local-timestamp-nanos", Kind::kLong, Logical::kTimestamp, 9}};
    const std::string_view name = TextAt(object, "logicalType");
    int64_t scale = 0;
    if (object.at_key("scale").get(scale) != simdjson::SUCCESS) scale = 0;
    const bool bytes = type.kind == Kind::kBytes || type.kind == Kind::kFixed;
    if (name == "decimal" && bytes && scale >= 0 && scale <= kScaleMax) {
      type.logical = Logical::kDecimal;
      type.digits = static_cast<int>(scale);
    }
    for (const Row& row : kRows) {
      if (row.name != name || row.kind != type.kind) continue;
      type.logical = row.logical;
      type.digits = row.digits;
    }
  }

  AvroSchema& schema_;
  std::unordered_map<std::string, uint32_t> named_;
  size_t parts_ = 0;
};

Result<std::shared_ptr<const AvroSchema>> AvroSchema::Compile(std::span<const std::string> texts) {
  auto schema = std::make_shared<AvroSchema>();
  Compiler compiler(*schema);
  for (const std::string& text : texts) NEARDUP_TRY(compiler.Add(text));
  schema->types_.shrink_to_fit();
  schema->bytes_ = sizeof(AvroSchema);
  for (const Type& type : schema->types_) {
    schema->bytes_ += sizeof(Type) + type.parts.capacity() * sizeof(uint32_t);
    for (const std::string& name : type.names) schema->bytes_ += sizeof(name) + name.capacity();
  }
  return std::shared_ptr<const AvroSchema>(std::move(schema));
}

// ---- from bytes to JSON

/// Reads one value. The methods return false after an error, which is in error_.
class AvroSchema::Reader {
 public:
  Reader(const AvroSchema& schema, std::string_view value, JsonOutput& out)
      : types_(schema.types_), value_(value), rest_(value), out_(out) {}

  std::string Read(uint32_t root) {
    if (Write(types_[root], 0) && !out_.full() && !rest_.empty()) {
      Fail(fmt::format("{} more bytes after the value, expected the end", rest_.size()));
    }
    return std::move(error_);
  }

 private:
  bool Fail(std::string_view what) {
    error_ =
        fmt::format("not Avro of its schema at byte {}: {}", value_.size() - rest_.size(), what);
    return false;
  }

  /// A number in zigzag and variable length.
  bool Long(int64_t& number) {
    uint64_t bits = 0;
    size_t i = 0;
    for (int shift = 0; i < rest_.size() && shift < 64; ++i, shift += 7) {
      const auto byte = static_cast<uint8_t>(rest_[i]);
      bits |= uint64_t{byte & 0x7FU} << shift;
      if (byte >= 0x80) continue;
      rest_.remove_prefix(i + 1);
      number = static_cast<int64_t>(bits >> 1 ^ (0 - (bits & 1)));
      return true;
    }
    return Fail(i == rest_.size() ? "the value ends within a number"
                                  : "found a number of more than 64 bits");
  }
  bool Take(uint64_t bytes, std::string_view& taken) {
    if (bytes > rest_.size()) {
      return Fail(fmt::format("a part of {} bytes, but {} are left", bytes, rest_.size()));
    }
    taken = rest_.substr(0, bytes);
    rest_.remove_prefix(bytes);
    return true;
  }
  /// Text or bytes, after their length.
  bool TakeSized(std::string_view& taken) {
    int64_t bytes = 0;
    if (!Long(bytes)) return false;
    if (bytes < 0) return Fail(fmt::format("found the length {}", bytes));
    return Take(static_cast<uint64_t>(bytes), taken);
  }
  /// The number of a branch or of a symbol.
  bool Index(size_t count, size_t& index) {
    int64_t number = 0;
    if (!Long(number)) return false;
    if (number < 0 || static_cast<uint64_t>(number) >= count) {
      return Fail(
          fmt::format("found the number {} of a branch or symbol, expected one from 0 to {}",
                      number, static_cast<int64_t>(count) - 1));
    }
    index = static_cast<size_t>(number);
    return true;
  }
  template <class Real, class Bits>
  bool WriteReal() {
    std::string_view taken;
    if (!Take(sizeof(Bits), taken)) return false;
    Bits bits = 0;
    for (size_t i = 0; i < sizeof(Bits); ++i) {
      bits |= Bits{static_cast<uint8_t>(taken[i])} << (8 * i);
    }
    out_.Real(std::bit_cast<Real>(bits));
    return true;
  }

  bool Write(const Type& type, int depth);
  bool WriteInteger(const Type& type);
  bool WriteBytes(const Type& type, std::string_view bytes) {
    type.logical == Logical::kDecimal ? out_.Decimal(bytes, type.digits) : out_.Base64(bytes);
    return true;
  }
  bool WriteRecord(const Type& type, int depth) {
    out_.Raw("{");
    for (size_t i = 0; i < type.parts.size() && !out_.full(); ++i) {
      out_.Raw(type.names[i]);
      if (!Write(types_[type.parts[i]], depth + 1)) return false;
    }
    out_.Raw("}");
    return true;
  }
  bool WriteBlocks(const Type& type, int depth);

  const std::vector<Type>& types_;
  std::string_view value_;
  std::string_view rest_;
  JsonOutput& out_;
  std::string error_;
};

bool AvroSchema::Reader::Write(const Type& type, int depth) {
  if (depth > kDepthMax) return Fail(fmt::format("nested deeper than {} levels", kDepthMax));
  std::string_view bytes;
  size_t index = 0;
  switch (type.kind) {
    case Kind::kNull:
      return out_.Raw("null"), true;
    case Kind::kBoolean:
      if (!Take(1, bytes)) return false;
      if (static_cast<uint8_t>(bytes[0]) > 1) return Fail("found a boolean that is not 0 or 1");
      return out_.Bool(bytes[0] == 1), true;
    case Kind::kInt:
    case Kind::kLong:
      return WriteInteger(type);
    case Kind::kFloat:
      return WriteReal<float, uint32_t>();
    case Kind::kDouble:
      return WriteReal<double, uint64_t>();
    case Kind::kBytes:
      return TakeSized(bytes) && WriteBytes(type, bytes);
    case Kind::kString:
      if (!TakeSized(bytes)) return false;
      return out_.String(bytes), true;
    case Kind::kFixed:
      return Take(type.fixed_bytes, bytes) && WriteBytes(type, bytes);
    case Kind::kEnum:
      if (!Index(type.names.size(), index)) return false;
      return out_.Raw(type.names[index]), true;
    case Kind::kUnion:
      return Index(type.parts.size(), index) && Write(types_[type.parts[index]], depth);
    case Kind::kRecord:
      return WriteRecord(type, depth);
    case Kind::kArray:
    case Kind::kMap:
      return WriteBlocks(type, depth);
  }
  return false;
}

bool AvroSchema::Reader::WriteInteger(const Type& type) {
  int64_t number = 0;
  if (!Long(number)) return false;
  if (type.kind == Kind::kInt && number != static_cast<int32_t>(number)) {
    return Fail(fmt::format("found {}, expected a number of 32 bits", number));
  }
  switch (type.logical) {
    case Logical::kDate:
      return out_.Date(number), true;
    case Logical::kTimeOfDay:
      return out_.TimeOfDay(number, type.digits), true;
    case Logical::kTimestamp:
      return out_.Time(number, type.digits), true;
    default:
      return out_.Integer(number), true;
  }
}

/// Blocks of items, each after its count. A negative count is followed by the size of the block.
bool AvroSchema::Reader::WriteBlocks(const Type& type, int depth) {
  const bool map = type.kind == Kind::kMap;
  const Type& item = types_[type.parts.front()];
  out_.Raw(map ? "{" : "[");
  bool first = true;
  while (!out_.full()) {
    int64_t count = 0;
    if (!Long(count)) return false;
    if (count == 0) break;
    if (count == std::numeric_limits<int64_t>::min()) return Fail("found a count out of range");
    if (int64_t size = 0; count < 0 && !Long(size)) return false;
    for (count = std::abs(count); count > 0 && !out_.full(); --count) {
      if (!std::exchange(first, false)) out_.Raw(",");
      if (map) {
        std::string_view key;
        if (!TakeSized(key)) return false;
        out_.String(key);
        out_.Raw(":");
      }
      if (!Write(item, depth + 1)) return false;
    }
  }
  out_.Raw(map ? "}" : "]");
  return true;
}

std::string AvroSchema::Write(std::string_view value, JsonOutput& out) const {
  return Reader(*this, value, out).Read(root_);
}

}  // namespace neardup
