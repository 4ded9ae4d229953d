#include "base/printable_text.h"

#include <fmt/format.h>

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

}  // namespace neardup
