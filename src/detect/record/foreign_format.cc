#include "detect/record/foreign_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "detect/record/json_syntax.h"

namespace neardup {
namespace {

using namespace std::string_view_literals;

/// How many bytes of a payload are judged.
constexpr size_t kJudgedBytes = 256;
/// A schema registry puts a zero byte and the number of the schema before each value.
constexpr size_t kRegistryPrefixBytes = 5;

/// A record that holds this many objects is taken for a file of records.
constexpr size_t kManyObjects = 20;

constexpr char kRecordSeparator = '\x1e';

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
    {"\xff\xfe\0\0"sv, "UTF-32 text",
     "convert it first, for instance with iconv -f UTF-32 -t UTF-8"},
    {"\0\0\xfe\xff"sv, "UTF-32 text",
     "convert it first, for instance with iconv -f UTF-32 -t UTF-8"},
    {"\xff\xfe"sv, "UTF-16 text", "convert it first, for instance with iconv -f UTF-16 -t UTF-8"},
    {"\xfe\xff"sv, "UTF-16 text", "convert it first, for instance with iconv -f UTF-16 -t UTF-8"},
};

ForeignFormat Array() {
  return {"a JSON array",
          "write each element as a record of its own, for instance with jq -c '.[]'"};
}

/// Text without a byte order mark, which begins with two ASCII characters (RFC 4627, section 3).
std::optional<ForeignFormat> ByEncoding(std::string_view bytes) {
  struct Encoding {
    const char* name;
    const char* kind;
    std::string_view zeros;  ///< which of the first bytes are 0
  };
  constexpr Encoding kEncodings[] = {{"UTF-32LE", "UTF-32 text", ".000.000"},
                                     {"UTF-32BE", "UTF-32 text", "000.000."},
                                     {"UTF-16LE", "UTF-16 text", ".0.0"},
                                     {"UTF-16BE", "UTF-16 text", "0.0."}};
  const auto fits = [](char zero, char byte) {
    if (zero == '0') return byte == '\0';
    return (byte >= ' ' && byte <= '~') || byte == '\t' || byte == '\r' || byte == '\n';
  };
  for (const auto& [name, kind, zeros] : kEncodings) {
    if (bytes.size() < zeros.size()) continue;
    if (!std::equal(zeros.begin(), zeros.end(), bytes.begin(), fits)) continue;
    return ForeignFormat{
        kind, fmt::format("convert it first, for instance with iconv -f {} -t UTF-8", name)};
  }
  return std::nullopt;
}

std::optional<ForeignFormat> ByMagic(std::string_view bytes) {
  if (auto format = ByEncoding(bytes)) return format;
  constexpr size_t kTarMagicAt = 257;
  if (bytes.size() > kTarMagicAt && bytes.substr(kTarMagicAt).starts_with("ustar")) {
    return ForeignFormat{"a tar archive", "unpack it first, for instance with tar -xOf"};
  }
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

std::string_view Trim(std::string_view text) { return TrimEnd(WithoutSpaceBefore(text)); }

/// Whether the array at the beginning of a text may hold records. A line of a log may also begin
/// with '['.
bool BeginsArray(std::string_view text) {
  if (!text.starts_with('[')) return false;
  const std::string_view rest = WithoutSpaceBefore(text.substr(1));
  return rest.empty() || std::string_view("{[\"]").find(rest.front()) != std::string_view::npos;
}

/// The first JSON value of a text, as far as brackets, strings and commas tell.
struct FirstValue {
  size_t end = std::string_view::npos;  ///< the place after it; npos: the text ends within it
  bool broken = false;                  ///< it is no JSON
  size_t members = 0;                   ///< of the value, if it is an object
  size_t object_members = 0;            ///< members that are objects
  /// Objects in arrays that lie in no other array, by path as jq writes it, such as .hits.hits.
  std::map<std::string, size_t> arrays;
};

struct OpenBracket {
  char bracket = '{';
  std::string key;  ///< of an object: the last one, in quotes
};

/// The path to the innermost array, as jq writes it; empty: the array lies in another one.
std::string PathOf(const std::vector<OpenBracket>& open) {
  std::string path;
  for (size_t i = 0; i + 1 < open.size(); ++i) {
    if (open[i].bracket != '{' || open[i].key.size() < 2) return "";
    const bool plain = std::all_of(open[i].key.begin() + 1, open[i].key.end() - 1, [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    });
    path += "." + (plain ? open[i].key.substr(1, open[i].key.size() - 2) : open[i].key);
  }
  return path;
}

void CountObject(const std::vector<OpenBracket>& open, FirstValue& value) {
  if (open.empty()) return;
  if (open.size() == 1 && open[0].bracket == '{') ++value.object_members;
  if (open.size() < 2 || open.back().bracket != '[') return;
  const std::string path = PathOf(open);
  if (!path.empty()) ++value.arrays[path];
}

/// `text` begins with '{' or '['.
FirstValue ScanValue(std::string_view text) {
  FirstValue value;
  std::vector<OpenBracket> open;
  std::string last_string;
  bool after_value = false;  // a comma or a bracket must follow
  const auto broken = [&value] {
    value.broken = true;
    return value;
  };
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == ' ' || c == '\t' || c == '\r' || c == '\n') continue;
    if (c == '"') {
      if (after_value) return broken();
      size_t end = i + 1;
      while (end < text.size() && text[end] != '"') {
        if (text[end] == '\n') return broken();
        end += text[end] == '\\' ? 2 : 1;
      }
      last_string = text.substr(i, end + 1 - i);
      i = end;
      after_value = true;
    } else if (c == '{' || c == '[') {
      if (after_value) return broken();
      if (c == '{') CountObject(open, value);
      open.push_back({c, ""});
    } else if (c == '}' || c == ']') {
      if (open.back().bracket != (c == '}' ? '{' : '[')) return broken();
      open.pop_back();
      after_value = true;
      if (open.empty()) {
        value.end = i + 1;
        return value;
      }
    } else if (c == ':' || c == ',') {
      if (!after_value) return broken();
      if (c == ':') {
        open.back().key = last_string;
        if (open.size() == 1) ++value.members;
      }
      after_value = false;
    } else {
      const size_t end = text.find_first_of(" \t\r\n,]}:\"[{", i);
      if (after_value) return broken();
      const size_t scalar_end = std::min(end, text.size());
      if (end != text.npos && !ScalarKind(text.substr(i, scalar_end - i))) return broken();
      i = scalar_end - 1;
      after_value = true;
    }
  }
  return value;
}

ForeignFormat ObjectOverLines() {
  return {"a JSON object that has several lines",
          "write each object in one line, for instance with jq -c ."};
}

ForeignFormat JoinedObjects() {
  return {"several JSON objects on one line",
          "write each object in a line of its own, for instance with jq -c ."};
}

/// Where the line that holds this place ends: at its line end, or at the end of the text.
size_t LineEnd(std::string_view text, size_t at) {
  return std::min(text.find('\n', at), text.size());
}

/// A JSON value in a file, and the other text in its lines.
struct PlacedValue {
  FirstValue value;
  size_t begin = 0;
  std::string_view line;    ///< the line in which it begins
  std::string_view before;  ///< what stands before it in that line
  std::string_view after;   ///< what stands after it in its last line
  size_t next_line = 0;     ///< where the line after it begins
  bool one_line = true;

  bool known_end() const { return value.end != std::string_view::npos; }
  bool alone() const { return one_line && before.empty() && after.empty() && line[0] == '{'; }
};

/// Whether a value that the end of the text cuts off is one damaged line of JSON Lines.
bool IsDamagedLine(std::string_view text, const PlacedValue& placed) {
  const std::string_view known = TrimEnd(text);
  const std::string_view in_line = placed.line.substr(placed.before.size());
  if (placed.one_line) {
    return Trim(in_line).size() > 1 && (in_line[0] == '{' || !in_line.ends_with(','));
  }
  // The last line may show that records are lines.
  const std::string_view last = Trim(known.substr(known.rfind('\n') + 1));
  return last.starts_with('{') && ScanValue(last).end == last.size();
}

/// The first value that begins in a line; nullopt: there is none. In `name["part"] = [`, the
/// value begins at the second bracket.
std::optional<PlacedValue> ValueInLine(std::string_view text, size_t line_begin) {
  constexpr size_t kBracketsMax = 4;
  const size_t line_end = LineEnd(text, line_begin);
  size_t at = line_begin;
  for (size_t i = 0; i < kBracketsMax; ++i, ++at) {
    at = text.find_first_of("[{", at);
    if (at >= line_end) break;
    const std::string_view rest = text.substr(at);
    if (rest[0] == '[' && !BeginsArray(rest)) continue;
    const bool index = rest[0] == '[' && WithoutSpaceBefore(rest.substr(1)).starts_with('"');
    if (index && at > line_begin) continue;
    PlacedValue placed;
    placed.value = ScanValue(rest);
    if (placed.value.broken) continue;
    placed.begin = at;
    placed.line = TrimEnd(text.substr(line_begin, line_end - line_begin));
    placed.before = text.substr(line_begin, at - line_begin);
    const size_t end = placed.known_end() ? at + placed.value.end : TrimEnd(text).size();
    placed.one_line = end <= line_end;
    placed.next_line = LineEnd(text, end);
    if (placed.known_end()) placed.after = Trim(text.substr(end, placed.next_line - end));
    if (!placed.known_end() && IsDamagedLine(text, placed)) continue;
    return placed;
  }
  return std::nullopt;
}

/// How the JSON values of a file stand in its lines.
struct Arrangement {
  size_t alone = 0;  ///< lines that are one object
  std::optional<PlacedValue> first_alone;
  std::vector<PlacedValue> odd;  ///< values that are not alone in one line
};

Arrangement ReadArrangement(std::string_view text) {
  constexpr size_t kLinesMax = 200;
  Arrangement found;
  size_t at = 0;
  for (size_t i = 0; i < kLinesMax; ++i) {
    at = text.find_first_not_of(" \t\r\n", at);
    if (at == text.npos) break;
    std::optional<PlacedValue> placed = ValueInLine(text, at);
    at = placed ? placed->next_line : LineEnd(text, at);
    if (!placed) continue;
    if (placed->alone()) {
      if (++found.alone == 1) found.first_alone = std::move(*placed);
    } else {
      found.odd.push_back(std::move(*placed));
    }
  }
  return found;
}

/// A filter of jq that gives the records of a value.
std::string RecordsOf(const FirstValue& value, char bracket) {
  if (bracket == '[') return ".[]";
  const auto most = std::ranges::max_element(
      value.arrays, [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most != value.arrays.end()) return most->first + "[]";
  const bool map = value.members > 1 && value.object_members == value.members;
  return map ? "to_entries[] | {id: .key} + .value" : ".";
}

/// One value that holds the records.
ForeignFormat Envelope(const FirstValue& value, char bracket) {
  if (bracket == '[') return Array();
  const std::string records = RecordsOf(value, bracket);
  if (records == ".") return ObjectOverLines();
  return {"one JSON object with many objects in it",
          fmt::format("write each of them as a record of its own, for instance with jq -c '{}'",
                      records)};
}

/// A value with other text before it, such as a script: window.YTD.tweets.part0 = [
ForeignFormat FramedJson(const PlacedValue& placed, char bracket, size_t offset) {
  const std::string cut_end = placed.known_end() ? fmt::format("head -c {}", placed.value.end)
                                                 : "sed '$s/[);[:space:]]*$//'";
  return {"JSON with other text before it",
          fmt::format("take the JSON alone, and write its records as lines: "
                      "tail -c +{} FILE | {} | jq -c '{}'",
                      offset + placed.begin + 1, cut_end, RecordsOf(placed.value, bracket))};
}

/// Objects with something between them that is known as a separator.
std::optional<ForeignFormat> BySeparator(std::string_view separator) {
  if (separator.starts_with('{')) return JoinedObjects();
  if (separator.starts_with(kRecordSeparator)) {
    return ForeignFormat{"record separators (RFC 7464)",
                         "remove them, for instance with tr -d '\\036' < FILE | jq -c ."};
  }
  if (separator.starts_with('\0')) {
    return ForeignFormat{"JSON objects with zero bytes between them",
                         "write line ends instead, for instance with tr '\\000' '\\n' < FILE"};
  }
  if (separator.starts_with(',')) {
    return ForeignFormat{"JSON objects with commas between them",
                         "make an array of them, and write its elements as lines: "
                         "(echo '['; sed '$s/,[[:space:]]*$//' FILE; echo ']') | jq -c '.[]'"};
  }
  return std::nullopt;
}

/// A text as sed takes it literally.
std::string ForSed(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool plain = c >= ' ' && c <= '~' && std::string_view("/\\.*[]^$&'").find(c) == text.npos;
    out += plain ? std::string(1, c) : fmt::format("\\x{:02x}", static_cast<uint8_t>(c));
  }
  return out;
}

/// Objects that all have the same kind of text before or after them.
ForeignFormat ObjectsWithText(const PlacedValue& first) {
  constexpr size_t kShown = 20;
  const std::string_view text = Trim(first.before.empty() ? first.after : first.before);
  const size_t next = first.after.find('{');
  std::string edit = "s/^[^{]*//";
  if (first.before.empty()) edit = R"(s/}[^]}",]*$/}/)";
  if (first.before.empty() && next != text.npos) {
    edit = fmt::format("s/}}{}{{/}}\\n{{/g", ForSed(first.after.substr(0, next)));
  }
  return {fmt::format("\"{}\" {} a JSON object", text.substr(0, std::min(next, kShown)),
                      first.before.empty() ? "after" : "before"),
          fmt::format("end each record with its object, for instance with sed '{}' FILE | jq -c .",
                      edit)};
}

/// Whether the only record of a file holds the records. A record of few parts, such as an order, is
/// one record.
bool IsEnvelope(std::string_view text, const FirstValue& value) {
  const bool many = std::ranges::any_of(
      value.arrays, [](const auto& array) { return array.second >= kManyObjects; });
  const bool map = value.object_members >= kManyObjects && value.object_members == value.members;
  const bool features = !value.arrays.empty() && text.find("\"FeatureCollection\"") != text.npos;
  return many || map || features;
}

/// A separator stands between two values without a space. Plain text has spaces after its commas.
bool LooksLikeCsv(std::string_view line) {
  if (line.starts_with('"')) {
    return line.find("\",") != line.npos || line.find("\";") != line.npos;
  }
  for (size_t i = 1; i + 1 < line.size(); ++i) {
    const char c = line[i];
    const bool separates = c == ',' || c == ';' || c == '|';
    if (separates && line[i - 1] != ' ' && line[i + 1] != ' ') return true;
  }
  return false;
}

/// A mark of a document, or a name with a value, perhaps as an element of a list.
bool LooksLikeYaml(std::string_view line) {
  line = TrimEnd(line);
  if (line == "---" || line.starts_with("%YAML")) return true;
  if (line.starts_with("- ")) line.remove_prefix(2);
  const size_t name = line.find_first_of(": \t,\"'[");
  return name > 0 && name != line.npos && line[name] == ':' &&
         (name + 1 == line.size() || line[name + 1] == ' ');
}

/// Whether a value is NaN or an infinity, as Python writes them.
bool HoldsNotANumber(std::string_view text) {
  for (const std::string_view name : {"NaN", "Infinity", "-Infinity"}) {
    for (const std::string_view sign : {":", ": ", ",", ", ", "["}) {
      if (text.find(fmt::format("{}{}", sign, name)) != text.npos) return true;
    }
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
      if (TrimEnd(text) == "{") return ObjectOverLines();
      if (text.starts_with("{'")) {
        return ForeignFormat{"a Python dictionary", "write it with json.dumps"};
      }
      if (HoldsNotANumber(text)) {
        return ForeignFormat{"NaN or Infinity, which JSON does not have",
                             "write null, for instance with jq -c ."};
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
  if (text.front() != '[' && line.find('\t') != line.npos) {
    return ForeignFormat{"what looks like TSV",
                         "convert it first, for instance with mlr --itsv --ojsonl cat"};
  }
  if (LooksLikeYaml(line)) {
    return ForeignFormat{"what looks like YAML",
                         "convert it first, for instance with yq -o json -I 0 '.[]'"};
  }
  if (text.front() != '[' && LooksLikeCsv(line)) {
    return ForeignFormat{"what looks like CSV",
                         "convert it first, for instance with mlr --icsv --ojsonl cat"};
  }
  if (MayBeJson(text)) return std::nullopt;
  return ForeignFormat{"what looks like plain text",
                       "set record.format: text, or make an object of each line, for instance with "
                       "jq -cR '{text: .}'"};
}

/// A JSON object, and something after it.
std::optional<ForeignFormat> ByWhatFollows(std::string_view payload) {
  constexpr size_t kShown = 20;
  const std::string_view text = WithoutSpaceBefore(payload);
  if (!text.starts_with('{')) return std::nullopt;
  const FirstValue value = ScanValue(text);
  if (value.broken || value.end == text.npos) return std::nullopt;
  const std::string_view after = Trim(text.substr(value.end));
  if (after.empty()) return std::nullopt;
  ForeignFormat format;
  if (after.starts_with('{')) {
    format = JoinedObjects();
  } else if (after == ",") {
    format = {"a comma after the JSON object",
              "remove it, for instance with sed 's/,[[:space:]]*$//'"};
  } else {
    format = {fmt::format("\"{}\" after the JSON object", after.substr(0, kShown)),
              "end the record with its object"};
  }
  format.at = static_cast<size_t>(after.data() - payload.data());
  return format;
}

/// A file holds zero bytes where writing it was cut off. A serializer of a schema registry writes
/// one zero byte, and then the number of a schema, which is not 0.
std::optional<ForeignFormat> ByZeroBytes(std::string_view payload) {
  if (payload.size() < kRegistryPrefixBytes || payload.front() != '\0') return std::nullopt;
  uint32_t schema = 0;
  for (const char c : payload.substr(1, 4)) schema = schema << 8 | static_cast<uint8_t>(c);
  const size_t zeros = std::min(payload.find_first_not_of('\0'), payload.size());
  const bool zero_bytes = schema == 0 || payload.substr(zeros).starts_with("{\"");
  std::string what = "zero bytes";
  if (!zero_bytes) {
    what = fmt::format("the prefix of a schema registry (schema {}), as Avro and Protobuf have it",
                       schema);
  }
  const char* remedy = zero_bytes
                           ? "a file has them where writing it was cut off; remove them, for "
                             "instance with tr -d '\\000'"
                           : "name the registry of the producers as registry.url, so that the "
                             "schema is known";
  return ForeignFormat{std::move(what), remedy};
}

}  // namespace

std::optional<ForeignFormat> FormatOfPayload(std::string_view payload) {
  if (payload.starts_with(kByteOrderMark)) payload.remove_prefix(kByteOrderMark.size());
  if (auto format = ByMagic(payload)) return format;
  if (auto format = ByZeroBytes(payload)) return format;
  if (auto format = ByWhatFollows(payload)) return format;
  const std::string_view judged = payload.substr(0, kJudgedBytes);
  const bool binary = std::ranges::any_of(judged, [](char c) {
    return static_cast<uint8_t>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r';
  });
  if (binary) return ForeignFormat{"binary data", "convert it to JSON objects first"};
  return ByText(WithoutSpaceBefore(judged));
}

std::optional<ForeignFormat> FormatOfFile(std::string_view beginning, bool whole, size_t offset) {
  if (auto format = ByMagic(beginning)) return format;
  Arrangement found = ReadArrangement(beginning);
  if (whole && found.alone == 1 && found.odd.empty() &&
      IsEnvelope(beginning, found.first_alone->value)) {
    found.odd.push_back(*std::exchange(found.first_alone, std::nullopt));
    found.alone = 0;
  }
  if (found.odd.size() <= found.alone) return std::nullopt;
  const PlacedValue& first = found.odd.front();
  const char bracket = beginning[first.begin];
  const std::string_view separator = Trim(first.before.empty() ? first.after : first.before);
  if (auto format = BySeparator(separator)) return format;
  const bool several = found.odd.size() + found.alone > 1;
  const bool text_before =
      !first.before.empty() ||
      (found.alone == 0 && first.line.data() != WithoutSpaceBefore(beginning).data());
  const bool objects = bracket == '{' && several;
  if (text_before && !(objects && first.one_line && !first.before.empty())) {
    return FramedJson(first, bracket, offset);
  }
  if (bracket == '[') return Array();
  if (!separator.empty()) return ObjectsWithText(first);
  return several ? ObjectOverLines() : Envelope(first.value, bracket);
}

}  // namespace neardup
