#include "record/foreign_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "record/json_syntax.h"

namespace neardup {
namespace {

using namespace std::string_view_literals;

/// How many bytes of a payload are judged.
constexpr size_t kJudgedBytes = 256;
/// A schema registry puts a zero byte and the number of the schema before each value.
constexpr size_t kRegistryPrefixBytes = 5;

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
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

/// Text without a byte order mark, which begins with an ASCII character (RFC 4627, section 3).
std::optional<ForeignFormat> ByEncoding(std::string_view bytes) {
  struct Encoding {
    const char* name;
    const char* kind;
    std::string_view zeros;  ///< which of the first four bytes are 0
  };
  constexpr Encoding kEncodings[] = {{"UTF-32LE", "UTF-32 text", ".000"},
                                     {"UTF-32BE", "UTF-32 text", "000."},
                                     {"UTF-16LE", "UTF-16 text", ".0.0"},
                                     {"UTF-16BE", "UTF-16 text", "0.0."}};
  if (bytes.size() < 4) return std::nullopt;
  for (const Encoding& encoding : kEncodings) {
    const bool fits = std::equal(encoding.zeros.begin(), encoding.zeros.end(), bytes.begin(),
                                 [](char zero, char byte) {
                                   return zero == '0' ? byte == '\0' : byte >= ' ' && byte <= '~';
                                 });
    if (!fits) continue;
    return ForeignFormat{
        encoding.kind,
        fmt::format("convert it first, for instance with iconv -f {} -t UTF-8", encoding.name)};
  }
  return std::nullopt;
}

std::optional<ForeignFormat> ByMagic(std::string_view bytes) {
  if (auto format = ByEncoding(bytes)) return format;
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

/// The first JSON value of a text, as far as brackets, strings and commas tell.
struct FirstValue {
  size_t end = std::string_view::npos;  ///< the place after it; npos: the text ends within it
  bool broken = false;                  ///< it is no JSON
  /// The path of its first array of objects, as jq writes it, such as .hits.hits; empty: none.
  std::string records;
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

/// `text` begins with '{' or '['.
FirstValue ScanValue(std::string_view text) {
  FirstValue value;
  std::vector<OpenBracket> open;
  std::string last_string;
  bool after_value = false;  // a comma or a bracket must follow
  char before = '\0';        // the last character that is no space
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
      const bool first_of_array = c == '{' && before == '[' && open.size() > 1;
      if (first_of_array && value.records.empty()) value.records = PathOf(open);
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
      if (c == ':') open.back().key = last_string;
      after_value = false;
    } else {
      const size_t end = text.find_first_of(" \t\r\n,]}:\"[{", i);
      if (after_value) return broken();
      const size_t scalar_end = std::min(end, text.size());
      if (end != text.npos && !ScalarKind(text.substr(i, scalar_end - i))) return broken();
      i = scalar_end - 1;
      after_value = true;
    }
    before = c;
  }
  return value;
}

/// The first line that is not blank, without the spaces around it.
std::string_view FirstLine(std::string_view text) {
  text = WithoutSpaceBefore(text);
  return TrimEnd(text.substr(0, text.find('\n')));
}

/// What stands after the object with which the line begins; npos as FirstValue::end: nothing is
/// known.
std::optional<std::string_view> AfterObject(std::string_view line) {
  if (!line.starts_with('{')) return std::nullopt;
  const FirstValue value = ScanValue(line);
  if (value.broken || value.end == line.npos) return std::nullopt;
  return WithoutSpaceBefore(line.substr(value.end));
}

ForeignFormat JoinedObjects() {
  return {"several JSON objects on one line",
          "write each object in a line of its own, for instance with jq -c ."};
}

ForeignFormat SeveralLines(char bracket, const std::string& records) {
  if (bracket == '[') return Array();
  if (records.empty()) {
    return {"a JSON object that has several lines",
            "write each object in one line, for instance with jq -c ."};
  }
  return {"a JSON object over several lines, with an array of objects in it",
          fmt::format("write each element as a record of its own, for instance with jq -c '{}[]'; "
                      "or each whole object in one line, with jq -c .",
                      records)};
}

/// JSON after the beginning of a script: window.YTD.tweets.part0 = [
std::optional<ForeignFormat> ByScript(std::string_view text) {
  const std::string_view line = FirstLine(text);
  const size_t begin = line.find_first_of("[{");
  if (begin == 0 || begin == line.npos) return std::nullopt;
  const std::string_view name = TrimEnd(line.substr(0, begin));
  const bool named = std::all_of(name.begin(), name.end() - 1, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_.$ \t").find(c) != std::string_view::npos;
  });
  if (!named || (name.back() != '=' && name.back() != '(')) return std::nullopt;
  if (ScanValue(text.substr(begin)).broken) return std::nullopt;
  return ForeignFormat{
      "a script that holds JSON",
      fmt::format("write its records as lines, for instance with sed -e '1s/^[^[{{]*//' -e "
                  "'$s/[);[:space:]]*$//' FILE | jq -c '.{}'",
                  line[begin] == '[' ? "[]" : "")};
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

/// A JSON object, and something after it.
std::optional<ForeignFormat> ByWhatFollows(std::string_view payload) {
  constexpr size_t kShown = 20;
  const std::string_view text = WithoutSpaceBefore(payload);
  const auto after = AfterObject(TrimEnd(text));
  if (!after || after->empty()) return std::nullopt;
  const auto at = static_cast<size_t>(after->data() - payload.data());
  ForeignFormat format;
  if (after->starts_with('{')) {
    format = JoinedObjects();
  } else if (*after == ",") {
    format = {"a comma after the JSON object",
              "remove it, for instance with sed 's/,[[:space:]]*$//'"};
  } else {
    format = {fmt::format("\"{}\" after the JSON object", after->substr(0, kShown)),
              "end the record with its object"};
  }
  format.at = at;
  return format;
}

}  // namespace

std::optional<ForeignFormat> FormatOfPayload(std::string_view payload) {
  if (payload.starts_with(kByteOrderMark)) payload.remove_prefix(kByteOrderMark.size());
  if (payload.starts_with("\0\0\0\0\0\0\0\0"sv)) {
    return ForeignFormat{"zero bytes",
                         "a file has them where writing it was cut off; remove them, for instance "
                         "with tr -d '\\000'"};
  }
  if (auto format = ByMagic(payload)) return format;
  if (payload.size() >= kRegistryPrefixBytes && payload.front() == '\0') {
    uint32_t schema = 0;
    for (const char c : payload.substr(1, 4)) schema = schema << 8 | static_cast<uint8_t>(c);
    return ForeignFormat{
        fmt::format("the prefix of a schema registry (schema {}), as Avro and Protobuf have it",
                    schema),
        "let the producer write plain JSON, or convert the topic first"};
  }
  if (auto format = ByWhatFollows(payload)) return format;
  const std::string_view judged = payload.substr(0, kJudgedBytes);
  const bool binary = std::any_of(judged.begin(), judged.end(), [](char c) {
    return static_cast<uint8_t>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r';
  });
  if (binary) return ForeignFormat{"binary data", "convert it to JSON objects first"};
  return ByText(WithoutSpaceBefore(judged));
}

std::optional<ForeignFormat> FormatOfFile(std::string_view beginning, bool whole) {
  if (auto format = ByMagic(beginning)) return format;
  const std::string_view text = TrimEnd(WithoutSpaceBefore(beginning));
  if (text.starts_with(kRecordSeparator)) {
    return ForeignFormat{"record separators (RFC 7464)",
                         "remove them, for instance with tr -d '\\036'"};
  }
  if (auto format = ByScript(text)) return format;
  if (!text.starts_with('{') && !BeginsArray(text)) return std::nullopt;
  const FirstValue value = ScanValue(text);
  if (value.broken) return std::nullopt;
  const std::string_view line = FirstLine(text);
  const std::string_view rest = text.substr(line.size());
  if (value.end > line.size()) {
    const bool begins_alone = line == "[" || line == "{" || (line[0] == '[' && line.ends_with(','));
    if (rest.empty() && !begins_alone) return std::nullopt;
    // Of a file that is cut off, the last line may show that its records are lines.
    const auto after_last = AfterObject(FirstLine(text.substr(text.rfind('\n') + 1)));
    if (value.end == text.npos && whole && after_last && after_last->empty()) return std::nullopt;
    return SeveralLines(text[0], value.records);
  }
  const auto after = AfterObject(line);
  if (!after || after->empty()) return std::nullopt;
  // One line may be damaged. Two are no accident.
  const std::string_view second = FirstLine(rest);
  const auto after_second = AfterObject(second);
  const bool alone = second.empty() && whole;
  if (after->starts_with('{') && (alone || (after_second && after_second->starts_with('{')))) {
    return JoinedObjects();
  }
  const bool commas = after->starts_with(',') && after_second && after_second->starts_with(',');
  if (commas || (alone && after->starts_with(',') && after->size() > 1)) {
    return ForeignFormat{"JSON objects with commas between them",
                         "make an array of them, and write its elements as lines: "
                         "(echo '['; sed '$s/,[[:space:]]*$//' FILE; echo ']') | jq -c '.[]'"};
  }
  return std::nullopt;
}

}  // namespace neardup
