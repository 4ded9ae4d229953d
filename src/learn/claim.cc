#include "learn/claim.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <memory>

#include "detect/feature/quote.h"
#include "detect/filter/record_features.h"
#include "learn/sample.h"

namespace neardup {
namespace {

constexpr std::array<Edit, 8> kEdits = {{{EditKind::kReplaced, 0},
                                         {EditKind::kReplaced, 5},
                                         {EditKind::kReplaced, 20},
                                         {EditKind::kSentenceDrop, 0},
                                         {EditKind::kReordered, 0},
                                         {EditKind::kCut, 20},
                                         {EditKind::kAdded, 20},
                                         {EditKind::kTypo, 5}}};
constexpr std::array<const char*, 8> kEditTexts = {
    "one word changed",    "5 % changed",     "20 % changed",        "a sentence dropped",
    "sentences reordered", "a fifth cut off", "a fifth added to it", "5 % misspelt"};
/// Edits whose copies anybody would call copies.
constexpr size_t kSmallEdits = 2;
/// The number of copies with each small edit, and with each other edit.
constexpr size_t kSmallCopies = 200;
constexpr size_t kOtherCopies = 100;
/// Records that are read for the copies of one edit. A few very large ones would take minutes.
constexpr size_t kBytesOfEdit = size_t{4} << 20;
/// Records that are tried for one copy.
constexpr int kTriesMost = 4;
/// Arbitrary, but fixed, so that results can be repeated.
constexpr uint64_t kSeed = 0x6e656172647570;
/// A record of fewer tokens is not the same record when one of them is another.
constexpr uint32_t kPlantedFeaturesMin = 8;
constexpr size_t kAuditedMax = 2000;
/// A claim with less recall, or more unlike records, is poor.
constexpr double kPoorRecall = 0.8;
constexpr double kPoorUnlike = 0.02;

std::string Percent(double share) {
  const double percent = 100 * share;
  if (percent == 0 || percent >= 10) return fmt::format("{:.0f} %", percent);
  return percent < 0.01 ? "less than 0.01 %" : fmt::format("{:.2g} %", percent);
}

/// The same options, but the free fields must agree, too.
FilterOptions WithoutFreeFields(FilterOptions options) {
  for (FieldSelector& field : options.record.fields) {
    field.key = field.key || field.free;
    field.free = false;
  }
  return options;
}

/// Paths of the fields that are compared by likeness.
std::vector<FieldPath> TextFields(const RecordOptions& record) {
  std::vector<FieldPath> paths;
  for (const FieldSelector& field : record.fields) {
    const Result<FieldPath> path = ParseFieldPath(field.path);
    if (path.ok() && field.is_text()) paths.push_back(*path);
  }
  return paths;
}

/// What differs in the records that are joined as equal; empty: nothing.
std::string EqualText(const Claim& claim) {
  std::vector<std::string> parts;
  const auto add = [&parts](uint64_t count, const char* where) {
    if (count > 0) parts.push_back(fmt::format("{} differ {}", Grouped(count), where));
  };
  add(claim.other_fields, "in a field that may differ");
  add(claim.masked, "only in what masks hide");
  if (parts.empty()) return "";
  return fmt::format("; it joins {} as equal, of which {}", Counted(claim.exact, "record"),
                     fmt::join(parts, " and "));
}

}  // namespace

double Claim::recall() const {
  uint64_t planted = 0;
  uint64_t found = 0;
  for (size_t i = 0; i < std::min(kSmallEdits, edits.size()); ++i) {
    planted += edits[i].planted;
    found += edits[i].found;
  }
  return ShareAmong(found, planted);
}

bool Claim::measured() const {
  return std::ranges::any_of(edits, [](const auto& edit) { return edit.planted > 0; });
}

std::string ClaimText(const Claim& claim) {
  if (!claim.measured()) {
    return "no copies could be planted, since no record has enough words" + EqualText(claim);
  }
  std::vector<std::string> parts;
  std::optional<size_t> weakest;
  for (size_t i = 0; i < claim.edits.size(); ++i) {
    if (claim.edits[i].planted == 0) continue;
    if (!weakest || claim.edits[i].share() <= claim.edits[*weakest].share()) weakest = i;
    if (i >= kSmallEdits) continue;
    parts.push_back(
        fmt::format("{} of those with {}", Percent(claim.edits[i].share()), kEditTexts[i]));
  }
  if (*weakest >= kSmallEdits) {
    parts.push_back(fmt::format("and least with {}: {}", kEditTexts[*weakest],
                                Percent(claim.edits[*weakest].share())));
  }
  const std::string joined =
      claim.joined.near == 0
          ? "no records of the sample are joined by likeness"
          : fmt::format(
                "of the {} records that it joins by likeness, {} share less than {:.0f} % "
                "of their phrases",
                Grouped(claim.joined.near),
                Percent(ShareAmong(claim.joined.doubtful, claim.joined.near)),
                100 * JoinedRecords::kCopyShare);
  return fmt::format("of planted copies it finds {}; {}{}", fmt::join(parts, ", "), joined,
                     EqualText(claim));
}

std::string ClaimDoubt(const Claim& claim) {
  if (!claim.measured()) return "";
  const double unlike = ShareAmong(claim.joined.unlike, claim.joined.near);
  if (unlike > kPoorUnlike) {
    return fmt::format(
        "{} of the joined records share little text, so look at the pairs and name "
        "the fields to compare",
        Percent(unlike));
  }
  return claim.recall() >= kPoorRecall ? "" : "copies with small changes are missed";
}

PlantedSample::PlantedSample(std::span<const RecordView> records, const RecordOptions& record)
    : records_(ShuffledPart(records, kRecordsMax)) {
  Plant(record);
}

void PlantedSample::Plant(const RecordOptions& record) {
  const std::vector<FieldPath> fields = TextFields(record);
  if (fields.empty() || records_.empty()) return;
  FilterOptions options;
  options.record = record;
  RecordFeatureReader reader(options);
  const RecordCopier copier(fields);
  SeededRandom random(kSeed);
  Vocabulary vocabulary(kSeed);
  const auto words_of = std::min<size_t>(records_.size(), 500);
  for (size_t i = 0; i < words_of; ++i) {
    const RecordView& from = records_[i * records_.size() / words_of];
    if (reader.Read(from).outcome.comparable()) copier.AddWords(*from.value, vocabulary);
  }
  for (size_t edit = 0; edit < kEdits.size(); ++edit) {
    size_t bytes = 0;
    const size_t copies = edit < kSmallEdits ? kSmallCopies : kOtherCopies;
    for (size_t copy = 0; copy < copies && bytes < kBytesOfEdit; ++copy) {
      for (int tried = 0; tried < kTriesMost; ++tried) {
        const RecordView& original = random.Pick(records_);
        bytes += original.value->size();
        const RecordHashes& before = reader.Read(original);
        if (!before.outcome.comparable()) continue;
        if (reader.Count().features < kPlantedFeaturesMin) continue;
        if (HoldsQuote(reader.tokens().text())) continue;  // an edit of the quote makes no copy
        const uint64_t exact = before.exact;
        const auto edited =
            copier.Edited(*original.value, kEdits[edit], *original.value, vocabulary, random);
        if (!edited) continue;
        Copy made{edited->dump(), original.time_ms, edit};
        const RecordHashes& after = reader.Read({{}, made.time_ms, made.payload});
        if (!after.outcome.comparable() || after.exact == exact) continue;
        copies_.push_back(std::move(made));
        break;
      }
    }
  }
}

void PlantedSample::Fingerprint(const FilterOptions& options) {
  std::string spec = FingerprintSpec(options);
  if (spec == spec_) return;
  spec_ = std::move(spec);
  Fingerprinter fingerprinter(options);
  record_prints_.clear();
  copy_prints_.clear();
  for (size_t i = 0; i < records_.size(); ++i) {
    RecordView record = records_[i];
    record.position = {0, static_cast<int64_t>(i)};
    record_prints_.push_back(fingerprinter.Compute(record));
  }
  for (size_t i = 0; i < copies_.size(); ++i) {
    const Position position = {1, static_cast<int64_t>(i)};
    copy_prints_.push_back(
        fingerprinter.Compute({position, copies_[i].time_ms, copies_[i].payload}));
  }
  phrases_.assign(records_.size(), {});
  holders_.clear();
}

std::vector<uint64_t> PlantedSample::WordsOf(size_t record, RecordFeatureReader& reader) const {
  if (!reader.Read(records_[record]).outcome.comparable()) return {};
  const std::span<const uint64_t> hashes = reader.tokens().hashes();
  std::vector<uint64_t> words(hashes.begin(), hashes.end());
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return words;
}

void PlantedSample::CountWords(RecordFeatureReader& reader) {
  if (!holders_.empty()) return;
  for (size_t i = 0; i < std::min(records_.size(), kCountedMax); ++i) {
    for (const uint64_t word : WordsOf(i, reader)) ++holders_[word];
  }
}

JoinedRecords PlantedSample::Audit(const FilterOptions& options, std::span<const Join> joined) {
  RecordFeatureReader reader(options);
  const auto phrases_of = [&](size_t record) -> const Phrases& {
    std::optional<Phrases>& phrases = phrases_[record];
    if (!phrases) {
      reader.Read(records_[record]);
      phrases = PhrasesOf(reader.Count().triples);
    }
    return *phrases;
  };
  const size_t audited = std::min(joined.size(), kAuditedMax);
  JoinedRecords found;
  if (audited == 0) return found;
  const auto has_known_word = [this](const std::vector<uint64_t>& words,
                                     const std::vector<uint64_t>& other) {
    return std::any_of(words.begin(), words.end(), [&](uint64_t word) {
      const auto holders = holders_.find(word);
      return holders != holders_.end() && holders->second >= JoinedRecords::kKnownWord &&
             !std::binary_search(other.begin(), other.end(), word);
    });
  };
  std::unordered_map<size_t, size_t> group_sizes;
  for (const Join& join : joined) ++group_sizes[join.earlier];
  for (size_t i = 0; i < audited; ++i) {
    const auto [later, earlier, alike] = joined[i * joined.size() / audited];
    found.Add(SharedPhrases(phrases_of(later), phrases_of(earlier)));
    if (group_sizes[earlier] + alike <= JoinedRecords::kSeries) continue;
    CountWords(reader);
    const std::vector<uint64_t> words = WordsOf(later, reader);
    const std::vector<uint64_t> other = WordsOf(earlier, reader);
    found.series += has_known_word(words, other) && has_known_word(other, words) ? 1 : 0;
  }
  for (uint64_t* count : {&found.unlike, &found.doubtful, &found.series}) {
    *count = *count * joined.size() / audited;
  }
  found.near = joined.size();
  return found;
}

void PlantedSample::AuditEqual(const FilterOptions& options, std::span<const Join> equal,
                               Claim& claim) const {
  FilterOptions strict = WithoutFreeFields(options);
  FilterOptions unmasked = strict;
  unmasked.feature.masks = {};
  RecordTokenReader with_masks(strict, std::nullopt);
  RecordTokenReader without_masks(unmasked, std::nullopt);
  const auto differ = [this](RecordTokenReader& reader, const Join& join) {
    const uint64_t later = reader.Read(records_[join.later]).exact;
    return later != reader.Read(records_[join.earlier]).exact;
  };
  const size_t audited = std::min(equal.size(), kAuditedMax);
  uint64_t other_fields = 0;
  uint64_t masked = 0;
  for (size_t i = 0; i < audited; ++i) {
    const Join& join = equal[i * equal.size() / audited];
    if (records_[join.later].value == records_[join.earlier].value) continue;
    if (differ(with_masks, join)) {
      ++other_fields;
    } else if (differ(without_masks, join)) {
      ++masked;
    }
  }
  if (audited == 0) return;
  claim.other_fields = other_fields * equal.size() / audited;
  claim.masked = masked * equal.size() / audited;
}

Claim PlantedSample::Measure(const FilterOptions& options) {
  Fingerprint(options);
  Claim claim;
  for (const Edit& edit : kEdits) claim.edits.push_back({edit});
  FilterOptions trial = options;
  trial.window.entries_max =
      std::max<uint64_t>(records_.size(), WindowOptions::kEntriesMaxRange.min);
  const Result<std::unique_ptr<Filter>> created = Filter::New(trial);
  if (!created.ok()) return claim;
  Filter& filter = **created;
  std::vector<Join> equal;
  std::vector<Join> joined;
  for (size_t i = 0; i < record_prints_.size(); ++i) {
    if (!record_prints_[i].outcome.comparable()) continue;
    const Verdict verdict = filter.Decide(record_prints_[i]);
    if (verdict.decision == Decision::kUnique) ++claim.unique;
    if (verdict.decision != Decision::kDuplicate) continue;
    const auto earlier = static_cast<size_t>(verdict.match.original.offset);
    if (verdict.match.kind == MatchKind::kExact) {
      equal.push_back({i, earlier});
    } else {
      joined.push_back({i, earlier, filter.FindAll(record_prints_[i]).size()});
    }
  }
  claim.exact = equal.size();
  AuditEqual(options, equal, claim);
  claim.joined = Audit(options, joined);
  for (size_t i = 0; i < copy_prints_.size(); ++i) {
    if (!copy_prints_[i].outcome.comparable()) continue;
    ClaimedEdit& edit = claim.edits[copies_[i].edit];
    ++edit.planted;
    edit.found += filter.FindAll(copy_prints_[i]).empty() ? 0 : 1;
  }
  return claim;
}

}  // namespace neardup
