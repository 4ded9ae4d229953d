#include "detect/feature/quote.h"

#include <algorithm>
#include <cstddef>

namespace neardup {
namespace {

constexpr std::string_view kBlanks = " \t\r";
constexpr int kHeadersMin = 3;
constexpr size_t kHeaderNameMax = 20;
constexpr std::string_view kDashes = "---";

/// Takes the first line, with its end, from `text`.
std::string_view TakeLine(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  const std::string_view whole = text.substr(0, line.size() + 1);
  text.remove_prefix(whole.size());
  return whole;
}

std::string_view Trimmed(std::string_view line) {
  const size_t begin = line.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return line.substr(begin, line.find_last_not_of(" \t\r\n") + 1 - begin);
}

bool IsQuoted(std::string_view line) {
  const size_t begin = line.find_first_not_of(kBlanks);
  return begin != std::string_view::npos && line[begin] == '>';
}

/// A quoted line without its brackets, of which there is one for each message that quoted it.
std::string_view WithoutBrackets(std::string_view line) {
  return line.substr(std::min(line.find_first_not_of("> \t\r"), line.size()));
}

bool IsHeader(std::string_view line) {
  const size_t colon = line.find(':');
  return colon != std::string_view::npos && colon > 0 && colon <= kHeaderNameMax &&
         line.substr(0, colon).find_first_of(" \t") == std::string_view::npos;
}

/// Whether `line` and the text after it begin a message that is quoted as a whole.
bool BeginsMessage(std::string_view line, std::string_view after) {
  const std::string_view marker = Trimmed(line);
  if (!marker.starts_with(kDashes) || !marker.ends_with(kDashes)) return false;
  if (marker.find_first_not_of('-') == std::string_view::npos) return false;
  for (int i = 0; i < kHeadersMin; ++i) {
    if (!IsHeader(Trimmed(TakeLine(after)))) return false;
  }
  return true;
}

}  // namespace

bool HoldsQuote(std::string_view token_text) {
  for (size_t at = 0; (at = token_text.find(kQuoteMark, at)) != token_text.npos; ++at) {
    if (at + 1 < token_text.size() && token_text[at + 1] != ' ') return true;
  }
  return false;
}

QuotedText QuoteFinder::Find(std::string_view text) {
  const bool lines = text.find('\n') != std::string_view::npos;
  const bool may_quote = lines && (text.find('>') != std::string_view::npos ||
                                   text.find(kDashes) != std::string_view::npos);
  if (!may_quote) return {text, {}};
  own_.clear();
  quoted_.clear();
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view line = TakeLine(rest);
    if (BeginsMessage(line, rest)) {
      quoted_ += rest;
      break;
    }
    if (IsQuoted(line)) {
      quoted_ += WithoutBrackets(line);
    } else {
      own_ += line;
    }
  }
  const bool matters = !Trimmed(own_).empty() && 2 * quoted_.size() >= own_.size();
  return matters && !quoted_.empty() ? QuotedText{own_, quoted_} : QuotedText{text, {}};
}

}  // namespace neardup
