#include "e2e/record_line.h"

#include <charconv>

namespace neardup {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";
constexpr size_t kColumns = 5;

using Bytes = std::optional<std::string>;

void AppendCell(const std::optional<std::string_view>& bytes, std::string& line) {
  if (!bytes) {
    line += '-';
    return;
  }
  line += "0x";
  for (const char c : *bytes) {
    const auto byte = static_cast<unsigned char>(c);
    line += kDigits[byte >> 4];
    line += kDigits[byte & 15];
  }
}

Error Malformed(std::string_view what, std::string_view expected) {
  return {ErrorCode::kCorrupt,
          "'" + std::string(what.substr(0, 60)) + "' is no " + std::string(expected)};
}

Result<Bytes> ParseCell(std::string_view cell) {
  if (cell == "-") return Bytes();
  if (cell.substr(0, 2) != "0x" || cell.size() % 2 != 0) return Malformed(cell, "- or 0x and hex");
  std::string bytes;
  bytes.reserve(cell.size() / 2);
  for (size_t at = 2; at < cell.size(); at += 2) {
    const size_t high = kDigits.find(cell[at]);
    const size_t low = kDigits.find(cell[at + 1]);
    if (high == kDigits.npos || low == kDigits.npos) return Malformed(cell, "- or 0x and hex");
    bytes += static_cast<char>(high << 4 | low);
  }
  return Bytes(std::move(bytes));
}

template <class Number>
Result<Number> ParseNumber(std::string_view cell) {
  Number number = 0;
  const auto [end, failure] = std::from_chars(cell.data(), cell.data() + cell.size(), number);
  if (failure != std::errc() || end != cell.data() + cell.size()) return Malformed(cell, "number");
  return number;
}

std::vector<std::string_view> Split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t end = text.find(at);
    parts.push_back(text.substr(0, end));
    if (end == text.npos) return parts;
    text.remove_prefix(end + 1);
  }
}

Result<void> ParseHeaders(std::string_view cell, LineRecord& record) {
  if (cell.empty()) return {};
  for (const std::string_view pair : Split(cell, ';')) {
    const size_t equals = pair.rfind('=');
    if (equals == pair.npos) return Malformed(pair, "name=cell");
    NEARDUP_ASSIGN(Bytes value, ParseCell(pair.substr(equals + 1)));
    record.headers.emplace_back(pair.substr(0, equals), std::move(value));
  }
  return {};
}

}  // namespace

std::string AsLine(int32_t partition, const Message& message) {
  std::string line = std::to_string(partition) + '\t' + std::to_string(message.timestamp_ms) + '\t';
  AppendCell(message.key, line);
  line += '\t';
  AppendCell(message.value, line);
  line += '\t';
  for (const HeaderView& header : message.headers) {
    if (&header != &message.headers.front()) line += ';';
    line += header.name;
    line += '=';
    AppendCell(header.value, line);
  }
  return line;
}

Message LineRecord::AsMessage() const {
  Message message;
  message.timestamp_ms = timestamp_ms;
  message.key = key;
  message.value = value;
  for (const auto& [name, content] : headers) message.headers.push_back({name, content});
  return message;
}

Result<LineRecord> ParseLine(std::string_view line) {
  const std::vector<std::string_view> cells = Split(line, '\t');
  if (cells.size() != kColumns) return Malformed(line, "line of five columns");
  LineRecord record;
  NEARDUP_ASSIGN(record.partition, ParseNumber<int32_t>(cells[0]));
  NEARDUP_ASSIGN(record.timestamp_ms, ParseNumber<int64_t>(cells[1]));
  NEARDUP_ASSIGN(record.key, ParseCell(cells[2]));
  NEARDUP_ASSIGN(record.value, ParseCell(cells[3]));
  NEARDUP_TRY(ParseHeaders(cells[4], record));
  return record;
}

}  // namespace neardup
