#include "detect/feature/character.h"

#include <utf8proc.h>

#include <algorithm>
#include <cassert>
#include <iterator>

namespace neardup {
namespace {

/// Blocks of the scripts whose letters are tokens by themselves, ascending.
constexpr CodePoints kUnspaced[] = {
    {0x0E00, 0x0EFF},    // Thai, Lao
    {0x1000, 0x109F},    // Myanmar
    {0x1100, 0x11FF},    // Hangul Jamo
    {0x1780, 0x17FF},    // Khmer
    {0x2E80, 0x2FDF},    // radicals
    {0x3005, 0x31FF},    // Han marks, Kana, Bopomofo, Hangul compatibility, Kana extensions
    {0x3400, 0x4DBF},    // Han extension A
    {0x4E00, 0x9FFF},    // Han
    {0xA960, 0xA97F},    // Hangul Jamo extended A
    {0xA9E0, 0xA9FF},    // Myanmar extended B
    {0xAA60, 0xAA7F},    // Myanmar extended A
    {0xAC00, 0xD7FF},    // Hangul, Jamo extended B
    {0xF900, 0xFAFF},    // Han compatibility
    {0x1AFF0, 0x1B16F},  // Kana extensions
    {0x20000, 0x3FFFF},  // Han extensions B and later
};

bool IsUnspaced(uint32_t code_point) {
  const auto range = std::lower_bound(
      std::begin(kUnspaced), std::end(kUnspaced), code_point,
      [](const CodePoints& candidate, uint32_t wanted) { return candidate.last < wanted; });
  return range != std::end(kUnspaced) && range->first <= code_point;
}

/// Whether it is a Hangul vowel or final consonant, which joins the syllable before it.
bool IsJoiningJamo(uint32_t code_point) {
  return (code_point >= 0x1160 && code_point <= 0x11FF) ||
         (code_point >= 0xD7B0 && code_point <= 0xD7FF);
}

/// Whether a decomposed text that begins with this character may compose with what precedes it.
bool JoinsBackward(uint32_t code_point) {
  return ClassOf(code_point) == CharacterClass::kMark || IsJoiningJamo(code_point) ||
         utf8proc_get_property(static_cast<int32_t>(code_point))->combining_class != 0;
}

constexpr auto kFoldOptions = static_cast<utf8proc_option_t>(
    UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT | UTF8PROC_CASEFOLD | UTF8PROC_IGNORE);

constexpr auto kComposeOptions =
    static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_IGNORE);

constexpr uint32_t kMinus = 0x2212;

/// Whether it is a mark or stretch that readers of Arabic or Hebrew do without.
bool IsOptional(uint32_t code_point) {
  if (code_point < 0x0591 || code_point > 0x06ED) return false;
  if (code_point == 0x0640) return true;
  const bool in_range = code_point <= 0x05C7 || (code_point >= 0x064B && code_point <= 0x065F) ||
                        code_point == 0x0670 || code_point >= 0x06D6;
  return in_range && utf8proc_category(static_cast<int32_t>(code_point)) == UTF8PROC_CATEGORY_MN;
}

/// The last step of folding, on composed code points. Returns how many of them remain.
size_t Simplify(std::span<int32_t> composed) {
  size_t kept = 0;
  for (const int32_t code_point : composed) {
    if (IsOptional(static_cast<uint32_t>(code_point))) continue;
    composed[kept++] = static_cast<uint32_t>(code_point) == kMinus ? '-' : code_point;
  }
  return kept;
}

int CombiningClass(int32_t code_point) {
  return utf8proc_get_property(code_point)->combining_class;
}

/// Unicode's canonical order: sorts each run of marks by combining class.
void SortMarks(std::span<int32_t> text) {
  const auto is_mark = [](int32_t code_point) { return CombiningClass(code_point) != 0; };
  const auto before = [](int32_t a, int32_t b) { return CombiningClass(a) < CombiningClass(b); };
  for (auto begin = text.begin(); begin != text.end();) {
    begin = std::find_if(begin, text.end(), is_mark);
    const auto end = std::find_if_not(begin, text.end(), is_mark);
    if (!std::is_sorted(begin, end, before)) std::stable_sort(begin, end, before);
    begin = end;
  }
}

/// Puts the decomposed code points, folded if `options` say so, into `buffer`, which grows as
/// needed. Returns how many. Does what utf8proc_decompose does, but that sorts a run of marks in
/// quadratic time.
size_t Decompose(std::string_view text, std::vector<int32_t>& buffer,
                 utf8proc_option_t options = kFoldOptions) {
  if (buffer.size() < text.size()) buffer.resize(text.size());
  size_t count = 0;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    const auto code_point = static_cast<int32_t>(DecodeUtf8(at));
    while (true) {
      int unused = UTF8PROC_BOUNDCLASS_START;
      const auto room = static_cast<utf8proc_ssize_t>(buffer.size() - count);
      const auto added =
          utf8proc_decompose_char(code_point, buffer.data() + count, room, options, &unused);
      assert(added >= 0 && "the text is valid UTF-8");
      if (added <= room) {
        count += static_cast<size_t>(added);
        break;
      }
      buffer.resize(2 * (count + static_cast<size_t>(added)));
    }
  }
  SortMarks(std::span(buffer).first(count));
  return count;
}

/// Composes the first `count` code points in place. Returns how many remain.
size_t Compose(std::vector<int32_t>& buffer, size_t count) {
  return static_cast<size_t>(
      utf8proc_normalize_utf32(buffer.data(), static_cast<utf8proc_ssize_t>(count), kFoldOptions));
}

/// Composes and simplifies the first `count` code points in place.
std::span<const int32_t> Finish(std::vector<int32_t>& buffer, size_t count) {
  const auto composed = std::span(buffer).first(Compose(buffer, count));
  return composed.first(Simplify(composed));
}

bool IsControlOrSpace(int32_t code_point) {
  switch (utf8proc_category(code_point)) {
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_ZS:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
      return true;
    default:
      return false;
  }
}

/// Whether a decomposed character is one mark that folding always drops: an optional one that no
/// letter composes with. U+0653 to U+0655 compose.
bool IsIgnoredMark(int32_t first, size_t count) {
  return count == 1 && IsOptional(static_cast<uint32_t>(first)) &&
         (first < 0x0653 || first > 0x0655);
}

FoldTable::Kind KindOf(CharacterClass character_class) {
  switch (character_class) {
    case CharacterClass::kSeparator:
      return FoldTable::Kind::kSeparator;
    case CharacterClass::kRun:
      return FoldTable::Kind::kRun;
    case CharacterClass::kSingle:
      return FoldTable::Kind::kSingle;
    case CharacterClass::kMark:
      return FoldTable::Kind::kContextual;
    case CharacterClass::kSign:
      return FoldTable::Kind::kSign;
  }
  return FoldTable::Kind::kSeparator;
}

}  // namespace

CharacterClass ClassOf(uint32_t code_point) {
  switch (code_point) {
    case 0x2044:  // of fractions: NFKC writes them with it, and people with '/'
      return CharacterClass::kSeparator;
    case '-':
    case '#':
    case '%':
      return CharacterClass::kSign;
    case '^':
    case 0x066A:  // per cent of Arabic
    case 0x2030:  // per mille
    case 0x2031:  // per ten thousand
      return CharacterClass::kSingle;
    default:
      break;
  }
  switch (utf8proc_category(static_cast<int32_t>(code_point))) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_NL:
      return IsUnspaced(code_point) ? CharacterClass::kSingle : CharacterClass::kRun;
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NO:
      return CharacterClass::kRun;
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
      return CharacterClass::kMark;
    case UTF8PROC_CATEGORY_SM:
    case UTF8PROC_CATEGORY_SC:
    case UTF8PROC_CATEGORY_SO:
      return CharacterClass::kSingle;
    case UTF8PROC_CATEGORY_SK:
      return code_point >= 0x1F3FB && code_point <= 0x1F3FF ? CharacterClass::kSingle
                                                            : CharacterClass::kSeparator;
    default:
      return CharacterClass::kSeparator;
  }
}

bool IsDigit(uint32_t code_point) {
  return utf8proc_category(static_cast<int32_t>(code_point)) == UTF8PROC_CATEGORY_ND;
}

bool IsSignContent(uint32_t sign, const SignPlace& place) {
  const bool before_run = ClassOf(place.next) == CharacterClass::kRun;
  if (sign == '%') return !(place.after_run && before_run);
  if (sign == '#') {
    return place.after_run ? !before_run : before_run || IsUnspaced(place.next);
  }
  if (place.after_run) return !before_run && place.next != '-';
  if (place.after_hyphen) return false;
  if (place.next == '.') return IsDigit(place.second);
  return IsDigit(place.next) ||
         utf8proc_category(static_cast<int32_t>(place.next)) == UTF8PROC_CATEGORY_SC;
}

std::span<const int32_t> TextFolder::Fold(std::string_view text) {
  return Finish(buffer_, Decompose(text, buffer_));
}

std::span<const int32_t> TextFolder::Compose(std::string_view text) {
  const size_t decomposed = Decompose(text, buffer_, kComposeOptions);
  const auto end =
      buffer_.begin() + static_cast<std::ptrdiff_t>(neardup::Compose(buffer_, decomposed));
  return {buffer_.begin(), std::remove_if(buffer_.begin(), end, IsControlOrSpace)};
}

const FoldTable& FoldTable::Get() {
  static const FoldTable table;
  return table;
}

FoldTable::FoldTable() : entries_(kSize, 0) {
  std::vector<int32_t> buffer(32);
  for (uint32_t code_point = 0; code_point < kSize; ++code_point) {
    if (code_point >= 0xD800 && code_point <= 0xDFFF) continue;
    char bytes[4];
    const size_t count = Decompose({bytes, EncodeUtf8(code_point, bytes)}, buffer);
    const bool joins = count > 0 && JoinsBackward(static_cast<uint32_t>(buffer[0]));
    if (joins && !IsIgnoredMark(buffer[0], count)) {
      entries_[code_point] = static_cast<uint32_t>(Kind::kContextual) << 24;
      continue;
    }
    entries_[code_point] = MakeEntry(Finish(buffer, count));
  }
  constexpr uint32_t kHan = 0x4E00;
  const auto is_plain = [this](uint32_t code_point) {
    const Fold fold = Find(code_point);
    return fold.kind == Kind::kSingle && fold.value == code_point;
  };
  assert(is_plain(kHan));
  han_ = {kHan, kHan};
  while (is_plain(han_.last + 1)) ++han_.last;
}

uint32_t FoldTable::MakeEntry(std::span<const int32_t> folded) {
  Kind kind = Kind::kExpansion;
  uint32_t value = 0;
  if (folded.empty()) {
    kind = Kind::kIgnored;
  } else if (folded.size() == 1) {
    value = static_cast<uint32_t>(folded[0]);
    kind = KindOf(ClassOf(value));
  } else if (std::any_of(folded.begin(), folded.end(), [](int32_t part) {
               return ClassOf(static_cast<uint32_t>(part)) == CharacterClass::kSign;
             })) {
    kind = Kind::kContextual;
  } else {
    value = static_cast<uint32_t>(expansions_.size());
    expansions_.emplace_back(folded.begin(), folded.end());
  }
  return static_cast<uint32_t>(kind) << 24 | value;
}

FoldTable::Fold FoldTable::FindBeyond(uint32_t code_point) {
  const auto* property = utf8proc_get_property(static_cast<int32_t>(code_point));
  const bool folds_to_itself = property->decomp_seqindex == UINT16_MAX &&
                               property->casefold_seqindex == UINT16_MAX && !property->ignorable;
  if (!folds_to_itself || JoinsBackward(code_point)) return {Kind::kContextual, 0};
  return {KindOf(ClassOf(code_point)), code_point};
}

std::string UnicodeVersion() { return utf8proc_unicode_version(); }

}  // namespace neardup
