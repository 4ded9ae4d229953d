#include "learn/field_roles.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <unordered_map>
#include <utility>

#include "detect/base/hash.h"
#include "detect/base/quantity.h"
#include "learn/field_evidence.h"
#include "learn/record_fields.h"
#include "learn/sample.h"

namespace neardup {
namespace {

/// Fewer pairs than this show nothing.
constexpr double kPairsMin = 5;
/// A title that differs in more of the pairs tells records apart.
constexpr double kTitleDiffers = 0.25;
/// A value that is written differently, or missing, in more of the pairs may differ.
constexpr double kVaries = 0.03;
constexpr double kNearlyAlways = 0.8;
constexpr double kOften = 0.2;
/// A label that copies do not share differs in at least this share of the pairs that would differ
/// if its values were drawn at random. If fewer pairs differ, they are variants of a thing, and the
/// other pairs are copies.
constexpr double kNearChance = 0.6;
/// A text of so many records is one of a template, rather than of copies.
constexpr size_t kSeveral = 4;
/// Equal values so many times as often as by chance are no chance. Of several records with a text,
/// a pair is one of those that agree most.
constexpr double kTimesByChance = 12;
/// Standard deviations beyond chance.
constexpr double kBeyondChance = 2;
/// Two records agree with this chance in a field of ten values.
constexpr double kLabelMatch = 0.1;
/// Edits touch one field at a time, now this and now that; other records differ in several.
constexpr double kEditedPairs = 0.03;
constexpr double kEditedPairsMax = 0.4;
constexpr double kEqualPairs = 0.2;
constexpr size_t kEditedFields = 2;
constexpr double kEditsPerStranger = 5;
/// More selectors than these are too many for record.fields and for record.exclude.
constexpr size_t kListedMax = 900;
constexpr double kLongestShare = 0.5;

bool IsBelow(const std::string& path, const std::vector<std::string>& selectors) {
  const Result<FieldPath> place = ParseFieldPath(path);
  return std::ranges::any_of(selectors, [&](const std::string& selector) {
    const Result<FieldPath> above = ParseFieldPath(selector);
    return place.ok() && above.ok() && IsWithin(*place, *above);
  });
}

bool Holds(const std::vector<size_t>& fields, size_t field) {
  return std::ranges::find(fields, field) != fields.end();
}

/// The role of one field, with its reason.
void Give(StudiedField& field, FieldRole role, std::string reason) {
  field.role = role;
  field.reason = std::move(reason);
}

/// Sums over pairs. A pair of a group of n records weighs 1 / (n - 1), so that a group counts once.
struct Tally {
  double all = 0;  ///< both records have the field
  double differs = 0;
  double similar = 0;
  double reworded = 0;
  double missing = 0;

  void Add(Agreement agreement, double weight) {
    if (agreement == Agreement::kNone) return;
    if (agreement == Agreement::kMissing) {
      missing += weight;
      return;
    }
    all += weight;
    differs += agreement == Agreement::kDiffers ? weight : 0;
    reworded += agreement == Agreement::kReworded ? weight : 0;
    similar += agreement == Agreement::kSimilar ? weight : 0;
  }
  /// Whether copies write the field in other words, beside abbreviations and typing errors. Where
  /// these do not occur, other words make other records.
  bool rewrites() const { return similar > kVaries * all && reworded <= 3 * similar; }
  double differing() const { return all == 0 ? 0 : (differs + (rewrites() ? 0 : reworded)) / all; }
  double varying() const { return all == 0 ? 0 : (similar + (rewrites() ? reworded : 0)) / all; }
  /// Share of the pairs in which only one record has the field.
  double lacking() const { return missing == 0 ? 0 : missing / (all + missing); }
};

double WeightOf(const TextPair& pair) { return 1.0 / static_cast<double>(pair.group - 1); }

/// The title fields. A title is content, and names the record; `texts` are the fields that hold its
/// text.
std::vector<size_t> TitlesOf(const std::vector<StudiedField>& fields,
                             const std::vector<size_t>& texts) {
  double distinct = 0;
  for (const size_t text : texts) distinct = std::max(distinct, fields[text].facts.distinct_of_all);
  std::vector<size_t> titles;
  for (size_t i = 0; i < fields.size(); ++i) {
    const bool key = fields[i].role == FieldRole::kKey && !Holds(texts, i);
    if (key && IsTitle(fields[i], distinct)) titles.push_back(i);
  }
  return titles;
}

/// Learns roles from pairs of records that share their text.
class TextRoles {
 public:
  TextRoles(std::vector<StudiedField>& fields, std::vector<size_t> texts,
            std::vector<size_t> titles, std::vector<TextPair> pairs)
      : fields_(fields),
        texts_(std::move(texts)),
        titles_(std::move(titles)),
        pairs_(std::move(pairs)) {}

  void Choose() {
    for (const size_t text : texts_) {
      Give(fields_[text], FieldRole::kText,
           fmt::format("text of {:.3g} tokens on average", fields_[text].facts.tokens_mean));
    }
    std::vector<const TextPair*> all;
    for (const TextPair& pair : pairs_) all.push_back(&pair);
    evidence_ = WhereTitlesAgree(all, kCrowd - 1);
    all_evidence_ = WhereTitlesAgree(all, SIZE_MAX);
    ChooseTitles(all);
    ChooseOthers();
    ChooseEdited();
  }

  std::vector<FieldQuestion> Questions(std::span<const RecordView> records) const;

 private:
  Tally TallyOf(size_t field, const std::vector<const TextPair*>& pairs) const {
    Tally tally;
    for (const TextPair* pair : pairs) tally.Add(pair->fields[field], WeightOf(*pair));
    return tally;
  }

  /// The pairs that agree in all titles, of texts of at most so many records.
  std::vector<const TextPair*> WhereTitlesAgree(const std::vector<const TextPair*>& all,
                                                size_t group_max) const {
    std::vector<const TextPair*> agree;
    for (const TextPair* pair : all) {
      const bool differs = std::ranges::any_of(
          titles_, [&](size_t title) { return pair->fields[title] == Agreement::kDiffers; });
      if (!differs && pair->group <= group_max) agree.push_back(pair);
    }
    return agree;
  }

  /// What the evidence says of a field. Where rare texts say too little, the texts of more records
  /// count.
  Tally EvidenceOf(size_t field) const {
    const Tally rare = TallyOf(field, evidence_);
    return rare.all + rare.missing >= kPairsMin ? rare : TallyOf(field, all_evidence_);
  }

  /// Whether most texts are of many records, and a value comes again with its text more often than
  /// by chance, such as a patient. Then records of other values are no copies.
  bool NamesRecord(size_t field) const {
    size_t equal = 0;
    size_t crowded = 0;
    for (const TextPair& pair : pairs_) {
      equal += pair.fields[field] == Agreement::kEqual ? 1 : 0;
      crowded += pair.group >= kSeveral ? 1 : 0;
    }
    const double expected = fields_[field].facts.match * static_cast<double>(pairs_.size());
    const auto agreeing = static_cast<double>(equal);
    return 2 * crowded > pairs_.size() && agreeing >= kPairsMin &&
           agreeing > kTimesByChance * expected;
  }

  /// Whether a label differs more often than its values would if they were drawn at random. Then
  /// the pairs are variants of a thing, of which each has a value of its own.
  static bool IsOfVariants(const StudiedField& field, const Tally& tally) {
    const double chance = 1 - field.facts.match;
    const double deviation = std::sqrt(chance * (1 - chance) / std::max(tally.all, 1.0));
    return tally.differing() > chance + kBeyondChance * deviation;
  }

  void ChooseTitles(const std::vector<const TextPair*>& all) {
    for (const size_t title : titles_) {
      const Tally tally = TallyOf(title, all);
      if (tally.all + tally.missing < kPairsMin) {
        Give(fields_[title], FieldRole::kKey, "a title: no copies in the sample show it otherwise");
      } else if (tally.differing() > kTitleDiffers) {
        Give(fields_[title], FieldRole::kKey,
             fmt::format("tells records apart: it differs in {} of the records that share a text",
                         RoundedPercent(tally.differing())));
      } else if (tally.similar + tally.reworded > kVaries * tally.all ||
                 tally.lacking() > kVaries) {
        Give(fields_[title], FieldRole::kFree, "copies write it differently");
      } else {
        Give(fields_[title], FieldRole::kKey, "a title, which copies keep");
      }
    }
  }

  bool AgreesIn(const TextPair& pair, const std::function<bool(size_t)>& is_one) const {
    for (size_t i = 0; i < fields_.size(); ++i) {
      if (is_one(i) && pair.fields[i] == Agreement::kDiffers) return false;
    }
    return true;
  }

  /// Whether something beside the text says that these pairs are of one record: a title, or
  /// another value that most records have for themselves.
  bool IsSaidTwice() const {
    const auto enough = [&](size_t title) { return EvidenceOf(title).all >= kPairsMin; };
    if (std::ranges::any_of(titles_, enough)) return true;
    for (size_t i = 0; i < fields_.size(); ++i) {
      if (Holds(texts_, i) || fields_[i].facts.distinct_of_all < kLongestShare) continue;
      const Tally tally = EvidenceOf(i);
      if (tally.all >= kPairsMin && tally.differing() < 1 - kNearlyAlways) return true;
    }
    return false;
  }

  void ChooseOthers() {
    const bool twice = IsSaidTwice();
    for (size_t i = 0; i < fields_.size(); ++i) {
      StudiedField& field = fields_[i];
      if (Holds(titles_, i) || field.role != FieldRole::kKey) continue;
      const Tally tally = EvidenceOf(i);
      if (tally.all + tally.missing < kPairsMin) {
        field.reason = "content: too few copies in the sample show it otherwise";
        continue;
      }
      if (tally.lacking() > kVaries && tally.missing >= kPairsMin / 2) {
        Give(field, FieldRole::kFree,
             fmt::format("missing in one of the records in {} of those with the same text",
                         RoundedPercent(tally.lacking())));
        continue;
      }
      const double differing = tally.differing();
      const bool number = field.facts.numbers >= kNearlyAlways;
      // JudgeField has taken the times of writing. This one says when something happened.
      const bool dated = field.facts.dates + field.facts.times >= kNearlyAlways;
      const bool own_number = field.facts.long_ids >= kNearlyAlways && IsDistinctWord(field.facts);
      // A size, a colour or a state is one of a few values, and tells variants apart.
      const bool label = field.facts.match >= kLabelMatch && !field.name.provenance;
      const double chance = 1 - field.facts.match;
      const bool variants = label && IsOfVariants(field, tally);
      const bool by_chance = differing >= chance - kOften && !variants;
      const bool names = NamesRecord(i);
      if (differing >= kNearlyAlways && !names && !label && (twice || !number || own_number)) {
        Give(field, FieldRole::kFree,
             fmt::format("copies differ in it: {} of the records with the same {}",
                         RoundedPercent(differing), twice ? "text and title" : "text"));
      } else if (differing >= kOften && !names && (twice || !number) && !dated &&
                 (by_chance || (!variants && IsOnlyDifference(i) &&
                                (!label || differing >= kNearChance * chance)))) {
        Give(field, FieldRole::kFree,
             fmt::format("differs alone, in {} of the records with the same {}",
                         RoundedPercent(differing), twice ? "text and title" : "text"));
      } else if (tally.varying() > kVaries &&
                 (differing < kOften || tally.varying() >= differing)) {
        Give(field, FieldRole::kFree, "copies write it differently");
      } else if (field.name.provenance && tally.differs >= kPairsMin && DiffersAlone(i)) {
        Give(field, FieldRole::kFree, "where a record came from, by its name");
      } else {
        field.reason = fmt::format("agrees in {} of the records with the same text",
                                   RoundedPercent(1 - differing));
      }
    }
  }

  bool IsKey(size_t field) const { return fields_[field].role == FieldRole::kKey; }

  /// Whether records that differ in this field nearly always agree in all others that must agree.
  bool DiffersAlone(size_t field) const {
    size_t differ = 0;
    size_t alone = 0;
    for (const TextPair* pair : all_evidence_) {
      if (pair->fields[field] != Agreement::kDiffers) continue;
      ++differ;
      alone += AgreesIn(*pair, [&](size_t i) { return i != field && IsKey(i); }) ? 1 : 0;
    }
    return static_cast<double>(alone) >= kNearlyAlways * static_cast<double>(differ);
  }

  /// Whether records with one text differ in this field alone, or in nothing. Variants of a thing
  /// differ in one field or another, and hardly ever in nothing.
  bool IsOnlyDifference(size_t field) const {
    double equal = 0;
    double weight = 0;
    for (const TextPair* pair : all_evidence_) {
      weight += WeightOf(*pair);
      equal += AgreesIn(*pair, [&](size_t i) { return IsKey(i); }) ? WeightOf(*pair) : 0;
    }
    return equal >= kEqualPairs * weight && DiffersAlone(field);
  }

  /// Where most records that share text and titles agree in all else, and the others differ in one
  /// field at a time, now in this and now in that, the differences are edits. Variants of a thing
  /// hardly ever agree in all else.
  void ChooseEdited() {
    std::vector<double> alone(fields_.size());
    double edited = 0;
    double several = 0;
    double weight = 0;
    for (const TextPair* pair : all_evidence_) {
      std::vector<size_t> differ;
      for (size_t i = 0; i < fields_.size(); ++i) {
        const bool other =
            pair->fields[i] == Agreement::kDiffers || pair->fields[i] == Agreement::kMissing;
        if (IsKey(i) && other) differ.push_back(i);
      }
      weight += WeightOf(*pair);
      if (differ.size() == 1) {
        alone[differ[0]] += WeightOf(*pair);
        edited += WeightOf(*pair);
      } else if (differ.size() > 1) {
        several += WeightOf(*pair);
      }
    }
    const auto often = [](double sum) { return sum >= kPairsMin / 2; };
    if (edited < kEditedPairs * weight || edited + several > kEditedPairsMax * weight) return;
    if (edited < kEditsPerStranger * several) return;
    if (static_cast<size_t>(std::ranges::count_if(alone, often)) < kEditedFields) {
      return;
    }
    if (*std::ranges::max_element(alone) > kNearlyAlways * edited) return;
    for (size_t i = 0; i < fields_.size(); ++i) {
      if (!IsKey(i) || !often(alone[i])) continue;
      Give(fields_[i], FieldRole::kFree,
           "copies differ in one field at a time, now in this one and now in others");
    }
  }

  std::vector<StudiedField>& fields_;
  std::vector<size_t> texts_;
  std::vector<size_t> titles_;
  std::vector<TextPair> pairs_;
  std::vector<const TextPair*> evidence_;  ///< of rare texts
  std::vector<const TextPair*> all_evidence_;
};

std::vector<FieldQuestion> TextRoles::Questions(std::span<const RecordView> records) const {
  struct Alone {
    size_t count = 0;
    const TextPair* example = nullptr;
  };
  std::map<std::vector<size_t>, Alone> by_fields;
  for (const TextPair& pair : pairs_) {
    std::vector<size_t> differ;
    for (size_t i = 0; i < fields_.size(); ++i) {
      if (IsKey(i) && pair.fields[i] == Agreement::kDiffers) differ.push_back(i);
    }
    if (differ.empty() || differ.size() > 2) continue;
    Alone& alone = by_fields[differ];
    ++alone.count;
    if (alone.example == nullptr) alone.example = &pair;
  }
  std::vector<std::pair<std::vector<size_t>, Alone>> found(by_fields.begin(), by_fields.end());
  std::ranges::stable_sort(
      found, [](const auto& a, const auto& b) { return a.second.count > b.second.count; });
  std::vector<FieldQuestion> questions;
  constexpr size_t kQuestionsMax = 2;
  for (const auto& [differ, alone] : found) {
    if (questions.size() == kQuestionsMax || static_cast<double>(alone.count) < kPairsMin) break;
    std::vector<std::string> names;
    for (const size_t field : differ) names.push_back(fields_[field].facts.path);
    questions.push_back(
        {fmt::format("{} records share their text with an earlier one, but differ in {}. They stay "
                     "unique",
                     Grouped(alone.count), fmt::join(names, " and ")),
         fmt::format("--free {}", fmt::join(names, ",")), records[alone.example->earlier].position,
         records[alone.example->later].position});
  }
  return questions;
}

/// Records whose text does not tell what they are, as rows of hashes of their values: to count what
/// chance makes equal.
class Rows {
 public:
  Rows(std::span<const RecordView> records, std::span<const StudiedField> fields) {
    std::unordered_map<std::string, size_t> numbers;
    for (size_t i = 0; i < fields.size(); ++i) numbers.emplace(fields[i].facts.path, i);
    RecordFields reader;
    Tokeniser tokeniser(true);
    TokenList tokens;
    for (const RecordView& record : records) {
      if (!record.value) continue;
      std::vector<uint64_t> row(fields.size(), 0);
      tokens.Clear();
      for (const RecordField& field : reader.Read(*record.value)) {
        const auto number = numbers.find(field.path);
        if (number == numbers.end() || field.text.empty()) continue;
        row[number->second] = Hash64(field.text) | 1;
        if (fields[number->second].role == FieldRole::kText) tokeniser.Tokenise(field.text, tokens);
      }
      ++records_;
      if (tokens.token_count() < FieldSelector::kTellingTokens) rows_.push_back(std::move(row));
    }
  }

  /// Share of the records whose text does not tell.
  double share() const {
    return static_cast<double>(rows_.size()) / static_cast<double>(std::max<size_t>(records_, 1));
  }

  struct Recurrence {
    size_t again = 0;     ///< rows that are equal to an earlier one in `fields`, not in `others`
    size_t equal = 0;     ///< rows that are equal to an earlier one in all
    size_t groups = 0;    ///< groups of such rows
    double expected = 0;  ///< how many rows chance makes so
    double records = 0;
    std::vector<std::pair<size_t, size_t>> pairs;  ///< each such row, with the first of its group
  };

  Recurrence Count(const std::vector<size_t>& fields, const std::vector<size_t>& others) const {
    Recurrence found;
    std::unordered_map<uint64_t, std::pair<size_t, bool>> first;
    std::unordered_map<uint64_t, uint64_t> whole;
    std::vector<size_t> distinct;
    for (size_t i = 0; i < rows_.size(); ++i) {
      const uint64_t key = KeyOf(i, fields);
      const uint64_t all = Mix64(key) + KeyOf(i, others);
      if (!whole.emplace(all, i).second) {
        ++found.equal;
        continue;
      }
      const auto [at, added] = first.try_emplace(key, i, false);
      if (added) {
        distinct.push_back(i);
        continue;
      }
      ++found.again;
      if (!std::exchange(at->second.second, true)) ++found.groups;
      found.pairs.emplace_back(at->second.first, i);
    }
    const auto rows = static_cast<double>(whole.size());
    found.expected = rows * rows / 2 * MatchOf(fields, distinct);
    found.records = rows;
    return found;
  }

  bool Agree(size_t field, const std::pair<size_t, size_t>& pair) const {
    return rows_[pair.first][field] == rows_[pair.second][field];
  }

  /// How many of `fields` the equal rows have, on average.
  double EqualFields(const std::vector<size_t>& fields, const Recurrence& found) const {
    size_t present = 0;
    for (const auto& [earlier, later] : found.pairs) {
      for (const size_t field : fields) present += rows_[later][field] != 0 ? 1 : 0;
    }
    return static_cast<double>(present) /
           static_cast<double>(std::max<size_t>(found.pairs.size(), 1));
  }

 private:
  uint64_t KeyOf(size_t row, const std::vector<size_t>& fields) const {
    uint64_t key = 0;
    for (const size_t field : fields) key = Mix64(key + rows_[row][field]);
    return key;
  }

  /// The chance that two of these rows are equal in all fields, as a tree of dependences tells
  /// (Chow and Liu 1968): each field depends on the one that leaves it the least chance to differ.
  double MatchOf(const std::vector<size_t>& fields, const std::vector<size_t>& rows) const;

  std::vector<std::vector<uint64_t>> rows_;
  size_t records_ = 0;
};

double Rows::MatchOf(const std::vector<size_t>& fields, const std::vector<size_t>& rows) const {
  constexpr size_t kFieldsMax = 40;
  constexpr size_t kPairsLookedAt = 10'000;
  const auto all = static_cast<double>(rows.size()) * static_cast<double>(rows.size() - 1) / 2;
  if (rows.size() < 2) return 1;
  struct Field {
    size_t number;
    double pairs = 0;  ///< that agree in it
    std::vector<std::pair<size_t, size_t>> some;
  };
  std::vector<Field> chain;
  std::unordered_map<uint64_t, std::vector<size_t>> groups;
  const auto group = [&](size_t field) {
    groups.clear();
    for (const size_t row : rows) groups[rows_[row][field]].push_back(row);
  };
  for (const size_t number : fields) {
    Field& field = chain.emplace_back(Field{number, 0, {}});
    group(number);
    for (const auto& [value, members] : groups) {
      const auto count = static_cast<double>(members.size());
      field.pairs += count * (count - 1) / 2;
    }
  }
  // The rarest agreement first; then each field by the one that leaves it the least chance to
  // differ.
  std::ranges::stable_sort(chain, {}, &Field::pairs);
  chain.resize(std::min(chain.size(), kFieldsMax), Field{0, 0, {}});
  for (Field& field : chain) {
    group(field.number);
    for (const auto& [value, members] : groups) {
      for (size_t i = 1; i < members.size() && field.some.size() < kPairsLookedAt; ++i) {
        field.some.emplace_back(members[Mix64(i) % i], members[i]);
      }
    }
  }
  double match = 1;
  for (size_t k = 0; k < chain.size(); ++k) {
    double chance = (chain[k].pairs + 1) / (all + 1);
    for (size_t earlier = 0; earlier < k; ++earlier) {
      const auto& some = chain[earlier].some;
      const auto agree = static_cast<double>(std::ranges::count_if(
          some, [&](const auto& pair) { return Agree(chain[k].number, pair); }));
      chance = std::max(chance, (agree + 1) / (static_cast<double>(some.size()) + 1));
    }
    match *= std::min(chance, 1.0);
  }
  return match;
}

/// Chooses what is left out of records without a text.
class StructureRoles {
 public:
  /// `long_texts`: the records hold texts. Then chance explains equal records only if the sample
  /// has many equal records.
  StructureRoles(std::span<const RecordView> records, std::vector<StudiedField>& fields,
                 bool long_texts = false)
      : fields_(fields), long_texts_(long_texts), rows_(records, fields) {}

  void Choose() {
    FindUnknown();
    if (!unknown_.empty() &&
        (!IsExplained(Content(), unknown_) || KeepIdentities(With(unknown_, LeftOut())))) {
      JudgeUnknown();
    }
    unknown_.clear();
    const std::vector<size_t> times = OfRole(FieldRole::kTime);
    std::vector<size_t> others = LeftOut();
    std::erase_if(others, [&](size_t i) { return fields_[i].role == FieldRole::kTime; });
    const std::vector<size_t> all = With(others, times);
    if (IsExplained(Content(), all) && !KeepIdentities(all)) {
      KeepAll(times);
      if (IsExplained(Content(), others)) KeepAll(others);
    }
    KeepShared();
  }

  /// Whether identifiers tell records of little text apart. If not, copies differ in them.
  bool IdentifiersTell() const { return IsExplained(Content(), OfRole(FieldRole::kIdentifier)); }
  /// Whether enough records have so little text that it matters.
  bool HasLittleText() const {
    constexpr double kTooFew = 0.01;
    return rows_.share() >= kTooFew;
  }

 private:
  std::vector<size_t> Where(const auto& is_one) const {
    std::vector<size_t> found;
    for (size_t i = 0; i < fields_.size(); ++i) {
      if (is_one(i)) found.push_back(i);
    }
    return found;
  }
  std::vector<size_t> OfRole(FieldRole role) const {
    return Where([&](size_t i) { return fields_[i].role == role; });
  }
  std::vector<size_t> LeftOut() const {
    return Where([&](size_t i) { return !IsCompared(fields_[i].role); });
  }
  static std::vector<size_t> With(std::vector<size_t> a, const std::vector<size_t>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  }
  std::vector<size_t> Content() const {
    return Where([&](size_t i) { return IsCompared(fields_[i].role) && !Holds(unknown_, i); });
  }

  /// Values that may name a delivery: one word that is different in each record; a number that
  /// rises by one; where a record came from, by its name.
  void FindUnknown() {
    unknown_ = Where([&](size_t i) {
      const StudiedField& field = fields_[i];
      const bool decimal = field.facts.numbers >= kNearlyAlways && field.facts.long_ids < kOften;
      const bool counts = field.facts.steps >= kNearlyAlways;
      return IsCompared(field.role) &&
             (counts || field.name.provenance || (IsDistinctWord(field.facts) && !decimal));
    });
  }

  /// Whether chance explains that records are equal in `fields` and differ in `others`, or whether
  /// there are none. States and readings come again many times, copies once or twice.
  bool IsExplained(const std::vector<size_t>& fields, const std::vector<size_t>& others) const {
    if (others.empty()) return false;
    const Rows::Recurrence found = rows_.Count(fields, others);
    const auto again = static_cast<double>(found.again);
    if (long_texts_ && again < kPairsMin) return false;
    const double bits =
        std::log2(found.records * found.records / 2 / std::max(found.expected, 1e-9));
    const bool rare = bits >= kBitsEnough && again <= kFew * found.records;
    const bool rich = rows_.EqualFields(fields, found) >= kFieldsEnough;
    if (again < kTimesChance * found.expected && !rare && !rich) return true;
    // Without copies to show it, equal content must be beyond chance in ten times as many records.
    if (again < kPairsMin) return 10 * found.expected > kChanceMax * found.records;
    const bool events = std::ranges::any_of(others, [&](size_t i) {
      return fields_[i].role != FieldRole::kCounter && fields_[i].facts.steps < kNearlyAlways;
    });
    return events && again > kCopiesMax * static_cast<double>(found.groups);
  }

  /// A field that differs in nearly all of the records that are equal in all known content is left
  /// out.
  void JudgeUnknown() {
    const Rows::Recurrence found = rows_.Count(Content(), With(unknown_, LeftOut()));
    for (const size_t i : unknown_) {
      const auto agree = static_cast<double>(std::ranges::count_if(
          found.pairs, [&](const auto& pair) { return rows_.Agree(i, pair); }));
      const double differing = 1 - agree / static_cast<double>(found.pairs.size());
      StudiedField& field = fields_[i];
      const bool by_chance = field.name.provenance && differing >= 1 - field.facts.match - kOften;
      if (differing >= kNearlyAlways || by_chance) {
        Give(field,
             field.facts.steps >= kNearlyAlways ? FieldRole::kCounter
             : field.name.provenance            ? FieldRole::kAddress
                                                : FieldRole::kIdentifier,
             fmt::format("differs in {} of the records that are equal in all else",
                         RoundedPercent(differing)));
      }
    }
  }

  /// Keeps each field that names the record and not the delivery: records that share a value of it
  /// agree in all content. Returns true if chance makes no records equal in the fields that are
  /// then compared.
  bool KeepIdentities(std::vector<size_t> left_out) {
    const std::vector<size_t> content = Content();
    std::vector<size_t> others;
    for (const size_t i : left_out) {
      const Rows::Recurrence same = rows_.Count({i}, With(content, left_out));
      const auto agree = std::count_if(same.pairs.begin(), same.pairs.end(), [&](const auto& pair) {
        return std::all_of(content.begin(), content.end(),
                           [&](size_t field) { return rows_.Agree(field, pair); });
      });
      const auto all = static_cast<double>(same.pairs.size());
      if (all < kIdentitiesMin || static_cast<double>(agree) < kIdentityAgrees * all) {
        others.push_back(i);
        continue;
      }
      std::erase(unknown_, i);
      Give(fields_[i], FieldRole::kKey,
           fmt::format("names the record: {} records share a value of it, and {} of them agree in "
                       "all content",
                       Grouped(same.pairs.size()),
                       RoundedPercent(static_cast<double>(agree) / all)));
    }
    return others.size() < left_out.size() && !IsExplained(Content(), others);
  }

  /// Keeps each field that copies share: the few records that are equal in all content and differ
  /// in it are other events. The time of a delivery differs in nearly all copies.
  void KeepShared() {
    const std::vector<size_t> left_out = LeftOut();
    const Rows::Recurrence found = rows_.Count(Content(), left_out);
    const auto all = static_cast<double>(found.pairs.size() + found.equal);
    if (all < kPairsMin || found.pairs.empty()) return;
    for (const size_t i : left_out) {
      const auto agree = static_cast<double>(
          found.equal + static_cast<size_t>(std::ranges::count_if(
                            found.pairs, [&](const auto& pair) { return rows_.Agree(i, pair); })));
      const bool by_chance = fields_[i].facts.match > kRareMatch;
      if (by_chance || agree < kNearlyAlways * all || agree == all) continue;
      Give(fields_[i], FieldRole::kKey,
           fmt::format("names the record: it agrees in {} of the records that are equal in all "
                       "content",
                       RoundedPercent(agree / all)));
    }
  }

  void KeepAll(const std::vector<size_t>& left_out) {
    for (const size_t i : left_out) {
      Give(fields_[i], FieldRole::kKey,
           fmt::format("{}; but without it different records would be equal, by chance or because "
                       "the same values come again",
                       fields_[i].reason));
    }
  }

  static constexpr double kChanceMax = 1e-4;
  /// So much agreement is no chance that matters, as long as few records show it.
  static constexpr double kBitsEnough = 21;
  /// So many equal values are no chance either, whatever few records say of each.
  static constexpr double kFieldsEnough = 30;
  static constexpr double kFew = 0.02;
  static constexpr double kTimesChance = 2.5;
  static constexpr double kIdentitiesMin = 3;
  static constexpr double kIdentityAgrees = 0.9;
  /// Two records hardly ever agree by chance in a field with less.
  static constexpr double kRareMatch = 0.01;
  /// More copies of a record than this on average are states that come again.
  static constexpr double kCopiesMax = 2.5;

  std::vector<StudiedField>& fields_;
  bool long_texts_;
  Rows rows_;
  std::vector<size_t> unknown_;
};

/// The texts that are the longest of their record in most of the records that have them.
std::vector<size_t> MainTexts(std::span<const RecordView> records,
                              const std::vector<StudiedField>& fields) {
  std::unordered_map<std::string, size_t> textual;
  for (size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].role == FieldRole::kKey && IsTextual(fields[i])) {
      textual.emplace(fields[i].facts.path, i);
    }
  }
  std::map<size_t, std::pair<size_t, size_t>> longest;  // in how many records, of how many
  RecordFields reader;
  for (const RecordView& record : records) {
    if (textual.empty() || !record.value) continue;
    size_t best = fields.size();
    size_t bytes = 0;
    for (const RecordField& field : reader.Read(*record.value)) {
      const auto found = textual.find(field.path);
      if (found == textual.end() || field.text.empty()) continue;
      ++longest[found->second].second;
      if (field.text.size() <= bytes) continue;
      bytes = field.text.size();
      best = found->second;
    }
    if (best < fields.size()) ++longest[best].first;
  }
  std::vector<size_t> texts;
  for (const auto& [field, counts] : longest) {
    if (2 * counts.first >= counts.second) texts.push_back(field);
  }
  return texts;
}

/// With `identifiers_tell`, identifiers must agree where there is too little text.
RecordOptions RecordOptionsOf(const FieldRoles& roles, bool identifiers_tell,
                              const RecordOptions& given) {
  RecordOptions record = given;
  std::vector<const StudiedField*> frequent_first;
  for (const StudiedField& field : roles.fields) frequent_first.push_back(&field);
  std::ranges::stable_sort(frequent_first, [](const StudiedField* a, const StudiedField* b) {
    return a->facts.present > b->facts.present;
  });
  for (const StudiedField* field : frequent_first) {
    const bool free = field->role == FieldRole::kFree ||
                      (field->role == FieldRole::kIdentifier && identifiers_tell);
    if (field->role == FieldRole::kText) {
      record.fields.push_back({field->facts.path});
    } else if (free && record.fields.size() < kListedMax) {
      record.fields.push_back({.path = field->facts.path, .free = true});
    } else if (!free && !IsCompared(field->role) && record.exclude.size() < kListedMax) {
      record.exclude.push_back(field->facts.path);
    }
  }
  if (roles.has_text) {
    record.fields.push_back({.path = "", .key = true});
  } else {
    record.fields.clear();
  }
  return record;
}

}  // namespace

FieldRoles ChooseRoles(std::span<const RecordView> records, std::vector<StudiedField> studied,
                       const RecordOptions& given) {
  FieldRoles roles;
  roles.fields = std::move(studied);
  std::erase_if(roles.fields, [&](const StudiedField& field) {
    return IsBelow(field.facts.path, given.exclude);
  });
  const std::vector<RecordView> part = RandomPart(records);
  const std::vector<size_t> texts = MainTexts(part, roles.fields);
  roles.has_text = !texts.empty();
  bool identifiers_tell = false;
  if (roles.has_text) {
    const std::vector<size_t> titles = TitlesOf(roles.fields, texts);
    TextPairs found = FindTextPairs(records, roles.fields, texts, titles);
    roles.pairs = found.pairs.size();
    if (found.standing) {
      const bool long_texts = std::ranges::all_of(texts, [&](size_t text) {
        return roles.fields[text].facts.tokens_mean >= FieldSelector::kTellingTokens;
      });
      StructureRoles(records, roles.fields, long_texts).Choose();
      for (const size_t text : texts) {
        Give(roles.fields[text], FieldRole::kText, "a standing text, which many records share");
      }
    } else {
      TextRoles chosen(roles.fields, texts, titles, std::move(found.pairs));
      chosen.Choose();
      roles.questions = chosen.Questions(records);
      identifiers_tell = !AreLogs(roles.fields) &&
                         StructureRoles(part, roles.fields).HasLittleText() &&
                         StructureRoles(records, roles.fields).IdentifiersTell();
    }
  } else {
    StructureRoles(records, roles.fields).Choose();
  }
  roles.record = RecordOptionsOf(roles, identifiers_tell, given);
  return roles;
}

const FieldSelector* SelectorFor(const RecordOptions& options, const std::string& path) {
  static const FieldSelector kEverything;
  if (IsBelow(path, options.exclude)) return nullptr;
  if (options.fields.empty()) return &kEverything;
  const FieldSelector* deepest = nullptr;
  size_t depth = 0;
  for (const FieldSelector& field : options.fields) {
    const Result<FieldPath> above = ParseFieldPath(field.path);
    if (!above.ok() || !IsBelow(path, {field.path})) continue;
    if (deepest != nullptr && above->size() < depth) continue;
    deepest = &field;
    depth = above->size();
  }
  return deepest;
}

bool IsSelected(const RecordOptions& options, const std::string& path) {
  return SelectorFor(options, path) != nullptr;
}

const char* UseOf(const RecordOptions& options, const std::string& path) {
  const FieldSelector* selector = SelectorFor(options, path);
  if (selector == nullptr) return "left out";
  if (selector->key) return Name(FieldRole::kKey);
  return selector->free ? Name(FieldRole::kFree) : "compared";
}

}  // namespace neardup
