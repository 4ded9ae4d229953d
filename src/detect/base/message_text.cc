#include "detect/base/message_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace neardup {

std::string PrintableText(std::string_view text, bool keep_lines) {
  std::string printable;
  unsigned char before = 0;
  for (const char each : text) {
    const auto c = static_cast<unsigned char>(each);
    const bool c1 = before == 0xC2 && c >= 0x80 && c < 0xA0;  // U+0080 to U+009F
    const bool stays = c == '\t' || (c == '\n' && keep_lines);
    if (c1) printable.pop_back();
    if (c1 || c == 0x7F || (c < 0x20 && !stays)) {
      printable += fmt::format("\\u{:04X}", c);
    } else {
      printable += each;
    }
    before = c;
  }
  return printable;
}

std::string_view CutAtCharacter(std::string_view text, size_t bytes_max) {
  if (text.size() <= bytes_max) return text;
  size_t end = bytes_max;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end);
}

std::string ListText(std::span<const std::string> names, size_t shown) {
  if (names.size() <= shown) return fmt::format("{}", fmt::join(names, ", "));
  return fmt::format("{} and {} more", fmt::join(names.first(shown), ", "), names.size() - shown);
}

Error Named(std::string_view name, Error error) {
  error.text = fmt::format("{}: {}", name, error.text);
  return error;
}

size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<std::vector<size_t>> cost(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) cost[i][0] = i;
  for (size_t j = 0; j <= b.size(); ++j) cost[0][j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
      }
    }
  }
  return cost[a.size()][b.size()];
}

std::optional<std::string> NearestName(std::string_view name,
                                       const std::vector<std::string>& candidates) {
  // Longer names are not slips of the hand; the limit also keeps the table of distances small.
  constexpr size_t kNameBytesMax = 200;
  if (name.size() > kNameBytesMax) return std::nullopt;
  std::optional<std::string> nearest;
  size_t least = 1 + std::max<size_t>(2, name.size() / 4);
  for (const std::string& candidate : candidates) {
    const size_t distance = EditDistance(name, candidate);
    if (distance < least && distance < candidate.size()) {
      least = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

}  // namespace neardup
