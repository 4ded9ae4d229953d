#include "bench/text_set.h"

#include <algorithm>
#include <random>
#include <unordered_set>
#include <utility>

#include "feature/text_features.h"
#include "feature/tokeniser.h"
#include "files/whole_file.h"
#include "neardup/options.h"
#include "neardup/record.h"
#include "record/field_extractor.h"
#include "record/field_selection.h"

namespace neardup {
namespace {

constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789";
constexpr size_t kTwinBytes = 64;
constexpr size_t kTwinGroup = 64;

char DrawLetter(std::mt19937_64& random) { return kLetters[random() % kLetters.size()]; }

std::string DrawText(std::mt19937_64& random, size_t size) {
  std::string text(size, '\0');
  for (char& letter : text) letter = DrawLetter(random);
  return text;
}

/// Calls `draw` until it has returned `count` distinct texts.
template <class Draw>
TextSet Distinct(size_t count, const Draw& draw) {
  std::unordered_set<std::string> known;
  std::vector<std::string> texts;
  texts.reserve(count);
  while (texts.size() < count) {
    std::string text = draw(texts.size());
    if (known.insert(text).second) texts.push_back(std::move(text));
  }
  return TextSet(texts);
}

/// The pieces in the order of the fields, joined by LF.
std::string Joined(const std::vector<TextPiece>& pieces, size_t field_count) {
  std::string joined;
  for (size_t field = 0; field < std::max<size_t>(field_count, 1); ++field) {
    for (const TextPiece& piece : pieces) {
      if (piece.field != field) continue;
      if (!joined.empty()) joined += '\n';
      joined += piece.text;
    }
  }
  return joined;
}

}  // namespace

Result<RecordTexts> ReadTexts(const std::string& path, const std::vector<std::string>& fields) {
  RecordOptions options;
  for (const std::string& field : fields) {
    if (const auto parsed = ParseFieldPath(field); !parsed.ok()) return parsed.error();
    options.fields.push_back({field});
  }
  NEARDUP_ASSIGN(const std::string content, ReadText(path));

  FieldExtractor extractor(options);
  RecordTexts read;
  std::string_view rest = content;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    const ExtractedRecord& record = extractor.Extract({{}, 0, rest.substr(0, end)});
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (record.outcome.reason != Reason::kNone) {
      ++read.refused;
    } else {
      read.texts.push_back(Joined(record.pieces, fields.size()));
    }
  }
  return read;
}

TextSet::TextSet(std::span<const std::string> texts) {
  std::unordered_set<std::string_view> known;
  for (const std::string& text : texts) {
    if (!known.insert(text).second) continue;
    texts_.push_back(text);
    bytes_ += text.size();
  }
  memory_ = std::make_unique<char[]>(bytes_);
  char* end = memory_.get();
  for (std::string_view& text : texts_) {
    char* const begin = end;
    end = std::copy(text.begin(), text.end(), begin);
    text = {begin, text.size()};
  }
}

TextSet ShortTexts(size_t count, uint64_t seed) {
  std::mt19937_64 random(seed);
  return Distinct(count, [&random](size_t) { return DrawText(random, 4 + random() % 13); });
}

TextSet TwinTexts(size_t count, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::string original;
  return Distinct(count, [&](size_t number) {
    if (number % kTwinGroup == 0) return original = DrawText(random, kTwinBytes);
    std::string twin = original;
    twin[random() % kTwinBytes] = DrawLetter(random);
    return twin;
  });
}

TextSet TokensOf(std::span<const std::string_view> texts) {
  Tokeniser tokeniser(true);
  TokenList list;
  std::unordered_set<std::string> known;
  std::vector<std::string> tokens;
  for (const std::string_view text : texts) {
    list.Clear();
    tokeniser.Tokenise(text, list);
    std::string_view rest = list.TextFrom(0);
    while (!rest.empty()) {
      const size_t end = rest.find(' ');
      const auto [token, is_new] = known.emplace(rest.substr(0, end));
      if (is_new) tokens.push_back(*token);
      rest.remove_prefix(end + 1);
    }
  }
  return TextSet(tokens);
}

}  // namespace neardup
