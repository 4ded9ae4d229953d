#include "learn/field_evidence.h"

#include <algorithm>
#include <map>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "detect/base/hash.h"
#include "detect/base/message_text.h"
#include "detect/feature/mask.h"
#include "detect/feature/token_list.h"
#include "detect/feature/tokeniser.h"
#include "detect/fingerprint/number_set.h"
#include "detect/record/field_extractor.h"
#include "learn/record_fields.h"
#include "learn/sample.h"
#include "neardup/filter.h"

namespace neardup {
namespace {

/// A shorter text says little about a record.
constexpr size_t kTokensMin = 6;
constexpr double kSharedPhrases = 0.65;
constexpr double kConflictingNumbers = 0.02;
/// Earlier records of a group that a record is compared with.
constexpr size_t kEarlierTried = 12;
constexpr size_t kTokensCompared = 64;
/// Equal text is no evidence if this share of the records have a text of kCrowd records or more,
/// and if this share of their pairs differ in what may be content.
constexpr double kCrowded = 0.3;
constexpr double kOtherRecords = 0.6;
/// Equal titles are no evidence if this share of the records with an equal text and title are in
/// groups of three or more.
constexpr double kTitlesRecur = 0.1;
/// Records of a group that AreStates reads, and how many of them must have a content in common.
constexpr size_t kMembersRead = 200;
constexpr size_t kComesAgain = 3;
constexpr int kDistance = 12;
constexpr int kDistanceSum = 32;

/// Equal, or an abbreviation.
bool Matches(std::string_view a, std::string_view b) {
  // Of pages 2338-2349, some write 2338-49.
  if (IsNumber(a) || IsNumber(b)) {
    return a == b || (std::min(a.size(), b.size()) > 1 && (a.ends_with(b) || b.ends_with(a)));
  }
  return a.size() <= b.size() ? b.starts_with(a) : a.starts_with(b);
}

/// Whether one word may be the other with typing errors.
bool IsTypo(std::string_view a, std::string_view b) {
  constexpr size_t kLettersPerError = 4;
  const size_t errors = std::max(a.size(), b.size()) / kLettersPerError;
  return errors > 0 && EditDistance(a, b) <= errors;
}

/// Whether only the beginnings of two values differ, such as the mark of a list: [users] Hello.
bool HaveOneEnd(const std::vector<std::string_view>& a, const std::vector<std::string_view>& b) {
  if (a.front() == b.front()) return false;
  const auto [differ, other] = std::mismatch(a.rbegin(), a.rend(), b.rbegin(), b.rend());
  return 2 * std::distance(a.rbegin(), differ) >= static_cast<std::ptrdiff_t>(a.size());
}

/// The tokens of `a` that match none of `b`.
std::vector<std::string_view> Unmatched(const std::vector<std::string_view>& a,
                                        const std::vector<std::string_view>& b) {
  const std::unordered_set<std::string_view> equal(b.begin(), b.end());
  std::vector<std::string_view> unmatched;
  for (const std::string_view token : a) {
    if (equal.contains(token)) continue;
    if (std::ranges::none_of(b, [&](auto other) { return Matches(token, other); })) {
      unmatched.push_back(token);
    }
  }
  return unmatched;
}

size_t CountNumbers(const std::vector<std::string_view>& tokens) {
  return static_cast<size_t>(std::ranges::count_if(tokens, IsNumber));
}

/// Whether two texts share most of their phrases, and no numbers conflict.
bool ShareText(std::string_view a, std::string_view b) {
  if (a == b) return true;
  const auto phrases = [](const std::vector<std::string_view>& tokens) {
    std::unordered_set<uint64_t> hashes;
    for (size_t i = 2; i < tokens.size(); ++i) {
      hashes.insert(Hash64(tokens[i], Hash64(tokens[i - 1], Hash64(tokens[i - 2]))));
    }
    return hashes;
  };
  const auto numbers_beyond = [](const auto& of, const auto& other) {
    std::unordered_set<std::string_view> known(other.begin(), other.end());
    std::unordered_set<std::string_view> own;
    for (const std::string_view token : of) {
      if (IsNumber(token) && !known.contains(token)) own.insert(token);
    }
    return own.size();
  };
  const auto of_a = TokensOf(a);
  const auto of_b = TokensOf(b);
  const size_t conflicts = std::min(numbers_beyond(of_a, of_b), numbers_beyond(of_b, of_a));
  const size_t tokens = std::min(of_a.size(), of_b.size());
  if (static_cast<double>(conflicts) > kConflictingNumbers * static_cast<double>(tokens)) {
    return false;
  }
  auto shorter = phrases(of_a);
  auto longer = phrases(of_b);
  if (longer.size() < shorter.size()) std::swap(shorter, longer);
  const auto shared = static_cast<double>(
      std::ranges::count_if(shorter, [&](uint64_t phrase) { return longer.contains(phrase); }));
  return shared >= kSharedPhrases * static_cast<double>(std::max<size_t>(shorter.size(), 1));
}

/// The groups of records of a sample that the filter joins by their texts alone.
std::vector<std::vector<size_t>> GroupsByText(std::span<const RecordView> records,
                                              std::span<const StudiedField> fields,
                                              std::span<const size_t> texts) {
  FilterOptions options;
  for (const size_t text : texts) options.record.fields.push_back({fields[text].facts.path});
  options.feature.features_min = kTokensMin;
  if (HoldCircumstances(records, options.record)) options.feature.masks = kCircumstanceMasks;
  options.match.distance_max = kDistance;
  options.match.features_per_bit = 0;
  options.match.distance_sum_max = kDistanceSum;
  options.window.window_ms = WindowOptions::kTenYearsMs;
  options.window.entries_max =
      std::max<uint64_t>(records.size(), WindowOptions::kEntriesMaxRange.min);
  options.model = ModelOfPart(records, options);
  Fingerprinter fingerprinter(options);
  const Result<std::unique_ptr<Filter>> filter = Filter::New(options);
  if (!filter.ok()) return {};
  std::map<size_t, std::vector<size_t>> groups;
  for (size_t i = 0; i < records.size(); ++i) {
    const Position position{0, static_cast<int64_t>(i)};
    const FingerprintedRecord record = fingerprinter.Compute({position, 0, records[i].value});
    if (!record.outcome.comparable() || record.features < kTokensMin) continue;
    const Verdict verdict = (*filter)->Decide(record);
    if (verdict.decision != Decision::kDuplicate) continue;
    std::vector<size_t>& group = groups[static_cast<size_t>(verdict.match.original.offset)];
    if (group.empty()) group.push_back(static_cast<size_t>(verdict.match.original.offset));
    group.push_back(i);
  }
  std::vector<std::vector<size_t>> found;
  for (auto& [original, group] : groups) found.push_back(std::move(group));
  return found;
}

/// Reads the values of the studied fields of records, normalised.
class ValueReader {
 public:
  ValueReader(std::span<const StudiedField> fields, std::span<const size_t> texts)
      : tokeniser_(true), masking_tokeniser_(true, kCircumstanceMasks), texts_(texts) {
    for (size_t i = 0; i < fields.size(); ++i) numbers_.emplace(fields[i].facts.path, i);
  }

  /// By studied field; empty: the record has none.
  std::vector<std::string> Read(const RecordView& record) {
    std::vector<std::string> values(numbers_.size());
    if (!record.value) return values;
    for (const RecordField& field : reader_.Read(*record.value)) {
      const auto number = numbers_.find(field.path);
      if (number == numbers_.end()) continue;
      tokens_.Clear();
      const bool text = std::ranges::find(texts_, number->second) != texts_.end();
      (text ? masking_tokeniser_ : tokeniser_).Tokenise(field.text, tokens_);
      values[number->second] = tokens_.TextFrom(0);
    }
    return values;
  }

 private:
  Tokeniser tokeniser_;
  Tokeniser masking_tokeniser_;
  std::span<const size_t> texts_;
  TokenList tokens_;
  RecordFields reader_;
  std::unordered_map<std::string, size_t> numbers_;
};

std::string TextOf(const std::vector<std::string>& values, std::span<const size_t> texts) {
  std::string all;
  for (const size_t text : texts) all += values[text];
  return all;
}

size_t CountEqual(const std::vector<Agreement>& fields) {
  return static_cast<size_t>(std::ranges::count(fields, Agreement::kEqual) +
                             std::ranges::count(fields, Agreement::kNone));
}

}  // namespace

void VisitTexts(std::span<const RecordView> records, const RecordOptions& record, size_t count,
                const std::function<void(std::string_view)>& visit) {
  FieldExtractor extractor(record);
  for (const RecordView& view : ShuffledPart(records, count)) {
    for (const TextPiece& piece : extractor.Extract(view).pieces) {
      if (!piece.key && !piece.free) visit(piece.text);
    }
  }
}

bool HoldCircumstances(std::span<const RecordView> records, const RecordOptions& record) {
  constexpr size_t kLookedAt = 500;
  constexpr double kShare = 0.05;
  size_t texts = 0;
  size_t held = 0;
  VisitTexts(records, record, kLookedAt, [&](std::string_view text) {
    ++texts;
    held += FindMaskedPart(text, 0, kCircumstanceMasks) ? 1 : 0;
  });
  return static_cast<double>(held) > kShare * static_cast<double>(texts);
}

Agreement CompareValues(std::string_view a, std::string_view b) {
  if (a.empty() && b.empty()) return Agreement::kNone;
  if (a.empty() || b.empty()) return Agreement::kMissing;
  if (a == b) return Agreement::kEqual;
  const auto of_a = TokensOf(a, kTokensCompared);
  const auto of_b = TokensOf(b, kTokensCompared);
  if (std::max(of_a.size(), of_b.size()) < 2) return Agreement::kDiffers;
  const auto of_a_only = Unmatched(of_a, of_b);
  const auto of_b_only = Unmatched(of_b, of_a);
  if (std::min(CountNumbers(of_a_only), CountNumbers(of_b_only)) > 0) return Agreement::kDiffers;
  const bool a_shorter = of_a.size() <= of_b.size();
  const auto& shorter_only = a_shorter ? of_a_only : of_b_only;
  const auto& longer_only = a_shorter ? of_b_only : of_a_only;
  if (2 * shorter_only.size() >= std::min(of_a.size(), of_b.size())) return Agreement::kDiffers;
  const bool other_words = std::ranges::any_of(shorter_only, [&](std::string_view token) {
    return std::ranges::none_of(longer_only, [&](auto other) { return IsTypo(token, other); });
  });
  return other_words && !longer_only.empty() && !HaveOneEnd(of_a, of_b) ? Agreement::kReworded
                                                                        : Agreement::kSimilar;
}

namespace {

/// How many records are in groups of at least this size.
double CountIn(const std::vector<std::vector<size_t>>& groups, size_t size_min) {
  size_t records = 0;
  for (const std::vector<size_t>& group : groups) {
    if (group.size() >= size_min) records += group.size();
  }
  return static_cast<double>(records);
}

/// Splits each group into the groups of the records that also agree in these fields.
std::vector<std::vector<size_t>> SplitBy(std::span<const size_t> fields,
                                         const std::vector<std::vector<size_t>>& groups,
                                         std::span<const RecordView> records, ValueReader& reader) {
  std::vector<std::vector<size_t>> parts;
  for (const std::vector<size_t>& group : groups) {
    std::map<std::string, std::vector<size_t>> by_values;
    for (const size_t member : group) {
      std::string values = TextOf(reader.Read(records[member]), fields);
      if (!values.empty()) by_values[std::move(values)].push_back(member);
    }
    for (auto& [values, part] : by_values) {
      if (part.size() > 1) parts.push_back(std::move(part));
    }
  }
  return parts;
}

std::vector<TextPair> PairsOf(std::vector<std::vector<size_t>> groups,
                              std::span<const RecordView> records, size_t fields,
                              std::span<const size_t> texts, ValueReader& reader) {
  std::ranges::sort(groups, [&](const auto& a, const auto& b) {
    const auto hash = [&](const auto& group) { return Hash64(*records[group[0]].value); };
    return hash(a) < hash(b);
  });
  std::vector<TextPair> pairs;
  for (const std::vector<size_t>& group : groups) {
    if (pairs.size() >= kTextPairsMax) break;
    std::vector<std::vector<std::string>> values;
    const size_t members = std::min(group.size(), kEarlierTried);
    for (size_t i = 0; i < members; ++i) values.push_back(reader.Read(records[group[i]]));
    for (size_t later = 1; later < members; ++later) {
      TextPair best;
      for (size_t earlier = 0; earlier < later; ++earlier) {
        if (!ShareText(TextOf(values[earlier], texts), TextOf(values[later], texts))) continue;
        TextPair pair{group[earlier], group[later], group.size(), {}};
        for (size_t field = 0; field < fields; ++field) {
          pair.fields.push_back(CompareValues(values[earlier][field], values[later][field]));
        }
        if (best.fields.empty() || CountEqual(pair.fields) > CountEqual(best.fields)) {
          best = std::move(pair);
        }
      }
      if (!best.fields.empty()) pairs.push_back(std::move(best));
    }
  }
  return pairs;
}

/// Whether a field may be content: its values recur, and it does not say where a record came from.
bool MayBeContent(const StudiedField& field) {
  return field.role == FieldRole::kKey && !field.name.provenance && !IsDistinctWord(field.facts);
}

/// Whether records that share a text with many other records differ in what may be content.
bool AreOtherRecords(const std::vector<TextPair>& pairs, std::span<const StudiedField> fields) {
  double all = 0;
  double others = 0;
  for (const TextPair& pair : pairs) {
    if (pair.group < kCrowd) continue;
    ++all;
    for (size_t i = 0; i < fields.size(); ++i) {
      if (pair.fields[i] != Agreement::kDiffers || !MayBeContent(fields[i])) continue;
      ++others;
      break;
    }
  }
  return others >= kOtherRecords * all;
}

/// Whether records that share a text show things in a few states: the records differ in what may be
/// content, and each content comes again and again. Pairs of such records agree by chance.
bool AreStates(const std::vector<std::vector<size_t>>& groups, std::span<const RecordView> records,
               std::span<const StudiedField> fields, ValueReader& reader) {
  size_t all = 0;
  size_t states = 0;
  for (const std::vector<size_t>& group : groups) {
    if (group.size() < kCrowd) continue;
    std::map<std::string, size_t> counts;
    const size_t members = std::min(group.size(), kMembersRead);
    for (size_t k = 0; k < members; ++k) {
      const std::vector<std::string> values = reader.Read(records[group[k]]);
      std::string content;
      for (size_t i = 0; i < fields.size(); ++i) {
        if (MayBeContent(fields[i])) content += values[i] + '\n';
      }
      ++counts[content];
    }
    size_t again = 0;
    size_t kinds = 0;
    for (const auto& [content, count] : counts) {
      if (count < kComesAgain) continue;
      ++kinds;
      again += count;
    }
    all += members;
    states += kinds < 2 ? 0 : again;
  }
  return static_cast<double>(states) >= kOtherRecords * static_cast<double>(all);
}

}  // namespace

bool AreLogs(std::span<const StudiedField> fields) {
  return std::ranges::any_of(fields, [](const StudiedField& field) { return field.name.severity; });
}

TextPairs FindTextPairs(std::span<const RecordView> records, std::span<const StudiedField> fields,
                        std::span<const size_t> texts, std::span<const size_t> titles) {
  std::vector<std::vector<size_t>> groups = GroupsByText(records, fields, texts);
  ValueReader reader(fields, texts);
  TextPairs found{PairsOf(groups, records, fields.size(), texts, reader), false};
  found.standing = CountIn(groups, kCrowd) >= kCrowded * static_cast<double>(records.size()) &&
                   (AreOtherRecords(found.pairs, fields) ||
                    (!AreLogs(fields) && AreStates(groups, records, fields, reader)));
  if (found.standing && !titles.empty()) {
    groups = SplitBy(titles, groups, records, reader);
    // Most copies come in pairs. A title that different records have by chance is in larger groups.
    found.standing = CountIn(groups, 3) >= kTitlesRecur * CountIn(groups, 2);
    found.pairs = PairsOf(std::move(groups), records, fields.size(), texts, reader);
  }
  return found;
}

}  // namespace neardup
