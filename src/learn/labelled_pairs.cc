#include "learn/labelled_pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <functional>
#include <memory>
#include <utility>

#include "detect/base/hash.h"
#include "detect/index/match.h"
#include "learn/field_roles.h"
#include "neardup/filter.h"

namespace neardup {
namespace {

/// More fields than these are not tried.
constexpr size_t kFieldsTried = 24;
constexpr int kChangesMax = 12;
/// With fewer pairs of a kind, whatever suits the other kind would be taken.
constexpr uint64_t kEachKindMin = 5;
/// Both records of a pair have this event time.
constexpr int64_t kTimeMs = 1'700'000'000'000;

/// Fingerprints of all pairs under one choice of fields and features.
class PairPrints {
 public:
  PairPrints(std::span<const LabelledPair> pairs, const FilterOptions& options) : pairs_(pairs) {
    Fingerprinter fingerprinter(WithNearFeatures(options));  // the search tries other distances
    prints_.reserve(2 * pairs.size());
    for (const LabelledPair& pair : pairs) {
      prints_.push_back(fingerprinter.Compute({{0, 0}, kTimeMs, pair.a}));
      prints_.push_back(fingerprinter.Compute({{0, 1}, kTimeMs, pair.b}));
    }
  }

  /// What the filter decides.
  LabelFit Decide(FilterOptions options) const {
    options.window = {};
    options.window.entries_max = WindowOptions::kEntriesMaxRange.min;
    Result<std::unique_ptr<Filter>> made = Filter::New(options);
    assert(made.ok());
    Filter& filter = **made;
    return Count([&](const FingerprintedRecord& a, const FingerprintedRecord& b) {
      filter.Decide(a);
      const bool found = filter.Decide(b).decision == Decision::kDuplicate;
      filter.Rollback();
      return found;
    });
  }
  /// The same by the match rule alone. Nearly always equal, and much faster, because no index is
  /// made.
  LabelFit Estimate(const MatchOptions& match) const {
    return Count([&](const FingerprintedRecord& a, const FingerprintedRecord& b) {
      if (!a.outcome.comparable() || !b.outcome.comparable()) return false;
      if (a.fingerprint.exact == b.fingerprint.exact) return true;
      const int shared = SharedKeys(b.text_keys.keys(), a.text_keys.keys());
      return Accepts(match, NearnessOf(b.fingerprint, a.fingerprint, shared, b.features));
    });
  }

 private:
  template <class IsFound>
  LabelFit Count(const IsFound& is_found) const {
    LabelFit fit;
    for (size_t i = 0; i < pairs_.size(); ++i) {
      const bool found = is_found(prints_[2 * i], prints_[2 * i + 1]);
      const bool copy = pairs_[i].copy;
      ++(copy ? fit.copies : fit.others);
      if (found != copy) {
        fit.wrong.push_back(i);
      } else {
        ++(copy ? fit.copies_found : fit.others_apart);
      }
    }
    return fit;
  }

  std::span<const LabelledPair> pairs_;
  std::vector<FingerprintedRecord> prints_;
};

struct Trial {
  FilterOptions options;
  LabelFit fit;
  std::string change;
};

/// The same options at the distance that fits best; of several, the one that is nearest to theirs.
Trial AtBestDistance(std::span<const LabelledPair> pairs, FilterOptions options,
                     std::string change) {
  const PairPrints prints(pairs, options);
  const int start = options.match.distance_max;
  Trial best{options, prints.Estimate(options.match), std::move(change)};
  std::vector<int> distances;
  for (int d = MatchOptions::kDistanceMaxRange.min; d <= MatchOptions::kDistanceMaxRange.max; ++d) {
    distances.push_back(d);
  }
  std::ranges::stable_sort(distances,
                           [&](int a, int b) { return std::abs(a - start) < std::abs(b - start); });
  for (const int distance : distances) {
    options.match.distance_max = distance;
    LabelFit fit = prints.Estimate(options.match);
    if (fit.score() > best.fit.score()) {
      best.options = options;
      best.fit = std::move(fit);
    }
  }
  return best;
}

class LabelSearch {
 public:
  LabelSearch(std::span<const LabelledPair> pairs, const FilterOptions& start,
              std::span<const StudiedField> fields, bool keep_fields)
      : pairs_(pairs), fields_(fields), keep_fields_(keep_fields) {
    best_ = {start, PairPrints(pairs, start).Estimate(start.match), ""};
  }

  void Run() {
    for (int change = 0; change < kChangesMax && !best_.fit.wrong.empty(); ++change) {
      if (!TakeBest()) return;
    }
  }
  const Trial& best() const { return best_; }
  const std::vector<std::string>& changes() const { return changes_; }

 private:
  /// So many more pairs must come out right. With more pairs, more of them do by chance.
  int64_t gain_min() const { return 1 + static_cast<int64_t>(pairs_.size() / 50); }

  bool TakeBest() {
    std::optional<Trial> taken;
    const auto consider = [&](Trial trial) {
      const int64_t gain =
          static_cast<int64_t>(trial.fit.right()) - static_cast<int64_t>(best_.fit.right());
      if (gain < gain_min() || trial.fit.score() <= best_.fit.score()) return;
      if (taken && trial.fit.score() <= taken->fit.score()) return;
      taken = std::move(trial);
    };
    for (auto& [change, options] : Candidates()) {
      if (!CheckOptions(options).ok()) continue;
      consider(AtBestDistance(pairs_, std::move(options), change));
    }
    if (!taken) return false;
    const int before = best_.options.match.distance_max;
    const int after = taken->options.match.distance_max;
    if (before != after) {
      taken->change += fmt::format("{}match.distance_max {} instead of {}",
                                   taken->change.empty() ? "" : ", with ", after, before);
    }
    best_ = std::move(*taken);
    changes_.push_back(best_.change);
    return true;
  }

  using Candidate = std::pair<std::string, FilterOptions>;

  std::vector<Candidate> Candidates() const {
    std::vector<Candidate> candidates = {{"", best_.options}};
    AddMatches(candidates);
    AddFeatures(candidates);
    if (!keep_fields_) {
      for (const StudiedField& field : fields_.first(std::min(fields_.size(), kFieldsTried))) {
        AddField(field.facts.path, candidates);
      }
    }
    return candidates;
  }

  void AddMatches(std::vector<Candidate>& candidates) const {
    const MatchOptions& match = best_.options.match;
    const auto add = [&](std::string change, const std::function<void(MatchOptions&)>& edit) {
      candidates.emplace_back(std::move(change), best_.options);
      edit(candidates.back().second.match);
    };
    if (match.text_keys) {
      add(match.widen ? "match.widen false" : "match.widen true",
          [](MatchOptions& changed) { changed.widen = !changed.widen; });
    }
    for (const uint32_t per_bit : {0U, 3U}) {
      if (match.features_per_bit == per_bit) continue;
      add(fmt::format("match.features_per_bit {}", per_bit),
          [per_bit](MatchOptions& changed) { changed.features_per_bit = per_bit; });
    }
    for (const double similarity : {0.5, 0.6, 0.7, 0.8, 0.9}) {
      if (match.similarity == similarity) continue;
      add(fmt::format("match.similarity {}", similarity),
          [similarity](MatchOptions& changed) { changed.similarity = similarity; });
    }
  }

  void AddFeatures(std::vector<Candidate>& candidates) const {
    for (const uint32_t least : {4U, 8U, 12U}) {
      if (best_.options.feature.features_min == least) continue;
      candidates.emplace_back(fmt::format("feature.features_min {}", least), best_.options);
      candidates.back().second.feature.features_min = least;
    }
    candidates.emplace_back("masks for numbers", best_.options);
    bool& number = candidates.back().second.feature.masks.number;
    if (number) candidates.back().first = "no masks for numbers";
    number = !number;
  }

  enum class FieldUse : uint8_t { kText, kKey, kFree, kLeftOut };

  /// The field is compared, must agree, may differ, or is left out.
  void AddField(const std::string& path, std::vector<Candidate>& candidates) const {
    const std::vector<FieldSelector>& fields = best_.options.record.fields;
    const auto found = std::ranges::find(fields, path, &FieldSelector::path);
    const bool listed = found != fields.end();
    const auto with = [&](std::string change, FieldUse use) {
      FilterOptions options = best_.options;
      std::erase_if(options.record.fields,
                    [&](const FieldSelector& field) { return field.path == path; });
      std::erase(options.record.exclude, path);
      if (use == FieldUse::kLeftOut) {
        // Otherwise a selector of all other fields would take it.
        options.record.exclude.push_back(path);
      } else {
        options.record.fields.push_back({path, 1.0, use == FieldUse::kKey, use == FieldUse::kFree});
      }
      const uint64_t seed = options.model.hash_seed;
      options.model = {};
      options.model.hash_seed = seed;
      candidates.emplace_back(std::move(change), std::move(options));
    };
    const FieldSelector* selector = SelectorFor(best_.options.record, path);
    if (!listed || !found->is_text()) with(path + " is compared", FieldUse::kText);
    if (selector == nullptr || !selector->key) with(path + " must agree", FieldUse::kKey);
    if (selector == nullptr || !selector->free) with(path + " may differ", FieldUse::kFree);
    if (selector != nullptr) with(path + " is left out", FieldUse::kLeftOut);
  }

  std::span<const LabelledPair> pairs_;
  std::span<const StudiedField> fields_;
  bool keep_fields_;
  Trial best_;
  std::vector<std::string> changes_;
};

/// The same pairs whatever their order: those whose texts have the smallest hashes.
std::vector<LabelledPair> PairsToUse(std::span<const LabelledPair> pairs) {
  std::vector<std::pair<uint64_t, LabelledPair>> hashed;
  hashed.reserve(pairs.size());
  for (const LabelledPair& pair : pairs) {
    hashed.emplace_back(Hash64(pair.b, Hash64(pair.a)), pair);
  }
  std::ranges::sort(hashed, [](const auto& x, const auto& y) { return x.first < y.first; });
  std::vector<LabelledPair> used;
  for (size_t i = 0; i < std::min(hashed.size(), kLabelsUsed); ++i)
    used.push_back(hashed[i].second);
  return used;
}

bool HasBothKinds(std::span<const LabelledPair> pairs) {
  const auto copies = static_cast<uint64_t>(std::ranges::count_if(pairs, &LabelledPair::copy));
  return copies >= kEachKindMin && pairs.size() - copies >= kEachKindMin;
}

/// The mean score of each half under options that fit the other half.
std::optional<double> UnseenScore(std::span<const LabelledPair> pairs, const FilterOptions& start,
                                  std::span<const StudiedField> fields, bool keep_fields) {
  const std::span<const LabelledPair> halves[] = {pairs.first(pairs.size() / 2),
                                                  pairs.subspan(pairs.size() / 2)};
  if (!HasBothKinds(halves[0]) || !HasBothKinds(halves[1])) return std::nullopt;
  double sum = 0;
  for (const int fitted : {0, 1}) {
    LabelSearch search(halves[fitted], start, fields, keep_fields);
    search.Run();
    sum += FitOf(halves[1 - fitted], search.best().options).score();
  }
  return sum / 2;
}

}  // namespace

double LabelFit::score() const {
  const auto share = [](uint64_t part, uint64_t all) {
    return all == 0 ? 1.0 : static_cast<double>(part) / static_cast<double>(all);
  };
  return (share(copies_found, copies) + share(others_apart, others)) / 2;
}

LabelFit FitOf(std::span<const LabelledPair> pairs, const FilterOptions& options) {
  return PairPrints(pairs, options).Decide(options);
}

LabelledChoice FitToLabels(std::span<const LabelledPair> pairs, const FilterOptions& start,
                           std::span<const StudiedField> fields, bool keep_fields) {
  const std::vector<LabelledPair> used = PairsToUse(pairs);
  LabelSearch search(used, start, fields, keep_fields);
  if (HasBothKinds(used)) search.Run();
  LabelledChoice choice;
  choice.options = search.best().options;
  choice.changes = search.changes();
  choice.before = FitOf(pairs, start);
  choice.after = FitOf(pairs, choice.options);
  choice.unseen_score = UnseenScore(used, start, fields, keep_fields);
  return choice;
}

}  // namespace neardup
