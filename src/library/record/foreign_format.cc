#include "record/foreign_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "record/json_syntax.h"

namespace neardup {
namespace {

using namespace std::string_view_literals;

/// How many bytes of a payload are judged.
constexpr size_t kJudgedBytes = 256;
/// A schema registry puts a zero byte and the number of the schema before each value.
constexpr size_t kRegistryPrefixBytes = 5;

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

struct Magic {
  std::string_view bytes;
  std::string_view what;
  std::string_view remedy;
};

constexpr Magic kMagics[] = {
    {"Obj\x01"sv, "an Avro file", "convert it first, for instance with avro-tools tojson"},
    {"PAR1"sv, "a Parquet file",
     "convert it first, for instance with DuckDB: COPY (FROM 'FILE') TO 'FILE.jsonl' (FORMAT "
     "json)"},
    {"\x1f\x8b"sv, "gzip data", "decompress it first, for instance with gzip -dc"},
    {"\x28\xb5\x2f\xfd"sv, "zstd data", "decompress it first, for instance with zstd -dc"},
    {"\xfd"
     "7zXZ"sv,
     "xz data", "decompress it first, for instance with xz -dc"},
    {"BZh91AY&SY"sv, "bzip2 data", "decompress it first, for instance with bzip2 -dc"},
    {"\x04\x22\x4d\x18"sv, "lz4 data", "decompress it first, for instance with lz4 -dc"},
    {"PK\x03\x04"sv, "a zip file", "unpack it first, for instance with unzip -p"},
    {"\xff\xfe"sv, "UTF-16 text", "convert it first, for instance with iconv -f UTF-16 -t UTF-8"},
    {"\xfe\xff"sv, "UTF-16 text", "convert it first, for instance with iconv -f UTF-16 -t UTF-8"},
};

ForeignFormat Array() {
  return {"a JSON array",
          "write each element as a record of its own, for instance with jq -c '.[]'"};
}

std::optional<ForeignFormat> ByMagic(std::string_view bytes) {
  for (const Magic& magic : kMagics) {
    if (bytes.starts_with(magic.bytes)) {
      return ForeignFormat{std::string(magic.what), std::string(magic.remedy)};
    }
  }
  return std::nullopt;
}

std::string_view WithoutSpaceBefore(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
}

/// A line of a log may begin with '[', too.
bool BeginsArray(std::string_view text) {
  if (!text.starts_with('[')) return false;
  const std::string_view rest = WithoutSpaceBefore(text.substr(1));
  return rest.empty() || std::string_view("{[\"]").find(rest.front()) != std::string_view::npos;
}

/// A separator stands between two values without a space. Plain text has spaces after its commas.
bool LooksLikeCsv(std::string_view line) {
  if (line.starts_with('"')) {
    return line.find("\",") != line.npos || line.find("\";") != line.npos;
  }
  for (size_t i = 1; i + 1 < line.size(); ++i) {
    const char c = line[i];
    if (c == '\t') return true;
    const bool separates = c == ',' || c == ';' || c == '|';
    if (separates && line[i - 1] != ' ' && line[i + 1] != ' ') return true;
  }
  return false;
}

/// A text, a scalar, or an array of scalars.
bool MayBeJson(std::string_view text) {
  if (text.starts_with('"') || ScalarKind(TrimEnd(text))) return true;
  if (!text.starts_with('[')) return false;
  const std::string_view rest = WithoutSpaceBefore(text.substr(1));
  const bool named =
      rest.starts_with("true") || rest.starts_with("false") || rest.starts_with("null");
  return named || rest.find_first_of("-0123456789") == 0;
}

std::optional<ForeignFormat> ByText(std::string_view text) {
  if (text.empty()) return std::nullopt;
  if (BeginsArray(text)) return Array();
  switch (text.front()) {
    case '{':
      if (TrimEnd(text) == "{") {
        return ForeignFormat{"the first line of a JSON object that has several lines",
                             "write each object in one line, for instance with jq -c ."};
      }
      if (text.starts_with("{'")) {
        return ForeignFormat{"a Python dictionary", "write it with json.dumps"};
      }
      return std::nullopt;
    case '<':
      return ForeignFormat{"XML or HTML", "convert it to JSON objects first"};
    case '"':
      if (text.starts_with("\"{")) {
        return ForeignFormat{"a JSON object that is encoded twice",
                             "decode it once, for instance with jq -c fromjson"};
      }
      break;
    default:
      break;
  }
  const std::string_view line = text.substr(0, text.find('\n'));
  if (text.front() != '[' && LooksLikeCsv(line)) {
    return ForeignFormat{"what looks like CSV",
                         "convert it first, for instance with mlr --icsv --ojsonl cat"};
  }
  if (MayBeJson(text)) return std::nullopt;
  return ForeignFormat{"what looks like plain text",
                       "make an object of each line, for instance with jq -cR '{text: .}'"};
}

}  // namespace

std::optional<ForeignFormat> FormatOfPayload(std::string_view payload) {
  if (payload.starts_with(kByteOrderMark)) payload.remove_prefix(kByteOrderMark.size());
  if (auto format = ByMagic(payload)) return format;
  if (payload.size() >= kRegistryPrefixBytes && payload.front() == '\0') {
    uint32_t schema = 0;
    for (const char c : payload.substr(1, 4)) schema = schema << 8 | static_cast<uint8_t>(c);
    return ForeignFormat{
        fmt::format("the prefix of a schema registry (schema {}), as Avro and Protobuf have it",
                    schema),
        "let the producer write plain JSON, or convert the topic first"};
  }
  const std::string_view judged = payload.substr(0, kJudgedBytes);
  const bool binary = std::any_of(judged.begin(), judged.end(), [](char c) {
    return static_cast<uint8_t>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r';
  });
  if (binary) return ForeignFormat{"binary data", "convert it to JSON objects first"};
  return ByText(WithoutSpaceBefore(judged));
}

std::optional<ForeignFormat> FormatOfFile(std::string_view first_line) {
  if (auto format = ByMagic(first_line)) return format;
  const std::string_view text = TrimEnd(WithoutSpaceBefore(first_line));
  if (text == "[" || (BeginsArray(text) && text.ends_with(','))) return Array();
  return std::nullopt;
}

}  // namespace neardup
