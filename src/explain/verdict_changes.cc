#include "explain/verdict_changes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "detect/feature/mask.h"

namespace neardup {
namespace {

/// Bounds the time for records of many fields.
constexpr size_t kFieldsTried = 24;

using Setting = VerdictChange::Setting;

const char* OnOff(bool on) { return on ? "true" : "false"; }

class ChangeSearch {
 public:
  ChangeSearch(const FilterOptions& options, const RecordView& a, const RecordView& b,
               const PairExplanation& explained)
      : options_(options), a_(a), b_(b), explained_(explained) {}

  std::vector<VerdictChange> Run() {
    if (duplicate()) {
      Narrow();
    } else {
      Widen();
    }
    TryWindow();
    TryFields();
    TryTexts();
    return std::move(found_);
  }

 private:
  bool duplicate() const { return explained_.verdict.decision == Decision::kDuplicate; }

  /// Keeps the change if it gives the other verdict.
  bool Try(std::vector<Setting> settings, const FilterOptions& changed) {
    if (!CheckOptions(changed).ok()) return false;
    const Result<JudgedPair> judged = JudgePair(changed, a_, b_);
    if (!judged.ok() || !judged->comparable) return false;
    if ((judged->verdict.decision == Decision::kDuplicate) == duplicate()) return false;
    found_.push_back({std::move(settings), judged->verdict});
    return true;
  }

  /// The fewest changes of the match settings under which the records are near enough.
  void Widen() {
    if (explained_.cause == Cause::kOutsideWindow || explained_.cause == Cause::kKeysDiffer) return;
    FilterOptions changed = options_;
    std::vector<Setting> settings;
    if (explained_.a.exact_only || explained_.b.exact_only) {
      changed.feature.features_min =
          static_cast<uint32_t>(std::min(explained_.a.words.size(), explained_.b.words.size()));
      settings.push_back({"feature.features_min", fmt::to_string(changed.feature.features_min)});
    }
    const auto distance = static_cast<int>(explained_.words.bits.size());
    const int sum = distance + static_cast<int>(explained_.pairs.bits.size());
    const int widening = explained_.limits.widening;
    const int sum_widening = explained_.limits.sum_widening;
    if (distance - widening > changed.match.distance_max) {
      changed.match.distance_max = distance - widening;
      settings.push_back({"match.distance_max", fmt::to_string(changed.match.distance_max)});
    }
    if (changed.match.distance_max == 0) {  // equal words in another order
      changed.match.distance_max = 1;
      settings.push_back({"match.distance_max", "1"});
    }
    if (sum - sum_widening > changed.match.distance_sum_max) {
      changed.match.distance_sum_max = sum - sum_widening;
      settings.push_back(
          {"match.distance_sum_max", fmt::to_string(changed.match.distance_sum_max)});
    }
    if (explained_.shared_keys.empty() && distance > changed.match.distance_chance_max) {
      changed.match.distance_chance_max = distance;
      settings.push_back({"match.distance_chance_max", fmt::to_string(distance)});
    }
    if (const double similarity = SimilarityFor(distance - widening, sum - sum_widening);
        similarity < changed.match.similarity) {
      changed.match.similarity = similarity;
      settings.push_back({"match.similarity", fmt::to_string(similarity)});
    }
    if (distance >
        LimitsFor(changed.match, explained_.b.fingerprinted.features, 0).distance_max + widening) {
      changed.match.features_per_bit = 0;
      settings.push_back({"match.features_per_bit", "0"});
    }
    if (!NumbersAgree(changed.match, explained_.conflict_bits,
                      explained_.b.fingerprinted.features)) {
      changed.match.numbers = false;
      settings.push_back({"match.numbers", "false"});
    }
    if (!settings.empty() && !Try(settings, changed)) {
      changed.match.neighbours = true;
      settings.push_back({"match.neighbours", "true"});
      Try(settings, changed);
    }
    for (const auto& [path, on] : {std::pair{"match.widen", &MatchOptions::widen},
                                   std::pair{"match.neighbours", &MatchOptions::neighbours},
                                   std::pair{"match.text_keys", &MatchOptions::text_keys}}) {
      if (options_.match.*on) continue;
      FilterOptions switched = options_;
      switched.match.*on = true;
      Try({{path, "true"}}, switched);
    }
  }

  /// The largest match.similarity that allows the distances; 0: none does.
  static double SimilarityFor(int distance, int sum) {
    const auto [low, high] = MatchOptions::kSimilarityRange;
    for (double percents = 100 * high; percents >= 100 * low; --percents) {
      const SimilarityLimits limits = LimitsOf(percents / 100);
      if (distance <= limits.distance_max && sum <= limits.sum_max) return percents / 100;
    }
    return 0;
  }

  /// The largest value of each limit under which the records are no duplicates.
  void Narrow() {
    if (explained_.cause == Cause::kEqual) return;
    const NearnessLimits& limits = explained_.limits;
    FilterOptions changed = options_;
    changed.match.distance_max = std::max(*explained_.distance - limits.widening - 1, 0);
    Try({{"match.distance_max", fmt::to_string(changed.match.distance_max)}}, changed);
    if (changed.match.distance_max > 0) {
      changed.match.distance_max = 0;
      Try({{"match.distance_max", "0"}}, changed);
    }
    changed = options_;
    changed.match.distance_sum_max =
        *explained_.distance + explained_.order_distance - limits.sum_widening - 1;
    Try({{"match.distance_sum_max", fmt::to_string(changed.match.distance_sum_max)}}, changed);
    if (options_.match.widen) {
      changed = options_;
      changed.match.widen = false;
      Try({{"match.widen", "false"}}, changed);
    }
    if (!options_.match.numbers) {
      changed = options_;
      changed.match.numbers = true;
      Try({{"match.numbers", "true"}}, changed);
    }
  }

  void TryWindow() {
    if (explained_.cause != Cause::kOutsideWindow) return;
    const int64_t a_ms = explained_.a.fingerprinted.outcome.time_ms;
    const int64_t b_ms = explained_.b.fingerprinted.outcome.time_ms;
    const auto [low, high] = std::minmax(a_ms, b_ms);
    const uint64_t apart = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
    if (apart > static_cast<uint64_t>(WindowOptions::kTenYearsMs)) return;
    FilterOptions changed = options_;
    changed.window.window_ms = static_cast<int64_t>(apart);
    Try({{"window.window_ms", fmt::to_string(apart)}}, changed);
  }

  void TryFields() {
    std::vector<FieldSelector>& fields = changed_.record.fields;
    if (options_.record.fields.empty()) return TryExcluded();
    for (size_t i = 0; i < std::min(options_.record.fields.size(), kFieldsTried); ++i) {
      const FieldSelector& field = options_.record.fields[i];
      // All other fields: those that differ can be left out one by one.
      if (field.path.empty()) continue;
      changed_ = options_;
      if (fields.size() > 1) {
        fields.erase(fields.begin() + static_cast<std::ptrdiff_t>(i));
        Try({{"record.fields", fmt::format("without {}", field.path)}}, changed_);
        changed_ = options_;
      }
      fields[i].key = field.is_text();
      fields[i].free = false;
      fields[i].weight = 1;
      Try({{"record.fields",
            fmt::format("{} {}", field.path,
                        field.is_text() ? "as a key field" : "compared by likeness")}},
          changed_);
    }
    const auto& compared = options_.record.fields;
    if (std::ranges::find(compared, "", &FieldSelector::path) != compared.end()) TryExcluded();
  }

  /// Every top-level field is compared: leaves out those that differ.
  void TryExcluded() {
    const auto values = [](const ExplainedRecord& record) {
      std::set<std::pair<std::string, std::string>> of_record;
      for (const ExplainedText& text : record.texts) of_record.emplace(text.path, text.text);
      return of_record;
    };
    const auto of_a = values(explained_.a);
    const auto of_b = values(explained_.b);
    std::set<std::string> differing;
    const auto add = [&](const auto& ones, const auto& others) {
      for (const auto& one : ones) {
        if (!others.contains(one) && !one.first.empty()) differing.insert(one.first);
      }
    };
    add(of_a, of_b);
    add(of_b, of_a);
    size_t tried = 0;
    for (const std::string& path : differing) {
      if (++tried > kFieldsTried) break;
      changed_ = options_;
      changed_.record.exclude.push_back(path);
      Try({{"record.exclude", fmt::format("with {}", path)}}, changed_);
    }
  }

  void TryTexts() {
    bool flipped = false;
    for (const MaskRow& row : kMaskRows) {
      changed_ = options_;
      changed_.feature.masks.*row.on = !(options_.feature.masks.*row.on);
      flipped |= TryMasks();
    }
    if (!flipped && !duplicate()) {
      changed_ = options_;
      changed_.feature.masks = kAllMasks;
      TryMasks();
    }
    changed_ = options_;
    changed_.feature.markup = !options_.feature.markup;
    Try({{"feature.markup", OnOff(changed_.feature.markup)}}, changed_);
    if (options_.model != Model()) {
      changed_ = options_;
      changed_.model = Model();
      Try({{"feature.model", "none"}}, changed_);
    }
  }

  bool TryMasks() {
    const std::vector<std::string> names = MaskNames(changed_.feature.masks);
    return Try({{"feature.masks", fmt::format("[{}]", fmt::join(names, ", "))}}, changed_);
  }

  const FilterOptions& options_;
  const RecordView& a_;
  const RecordView& b_;
  const PairExplanation& explained_;
  FilterOptions changed_;
  std::vector<VerdictChange> found_;
};

}  // namespace

Result<JudgedPair> JudgePair(const FilterOptions& options, const RecordView& a,
                             const RecordView& b) {
  NEARDUP_TRY(CheckOptions(options));
  // Between two records no verdict depends on the capacity (block_layout.h, key_table.cc), and a
  // filter takes the memory of its capacity at once.
  FilterOptions small = options;
  small.window.entries_max = WindowOptions::kEntriesMaxRange.min;
  NEARDUP_ASSIGN(const std::unique_ptr<Filter> filter, Filter::New(small));
  Fingerprinter fingerprinter(options);
  RecordView first = a;
  RecordView second = b;
  first.position = {0, 0};
  second.position = {0, 1};
  JudgedPair judged;
  const Verdict of_first = filter->Decide(fingerprinter.Compute(first));
  if (!filter->uncommitted().empty()) judged.remembered = filter->uncommitted()[0].text_keys;
  judged.verdict = filter->Decide(fingerprinter.Compute(second));
  judged.comparable = of_first.outcome.comparable() && judged.verdict.outcome.comparable();
  return judged;
}

std::vector<VerdictChange> FindChanges(const FilterOptions& options, const RecordView& a,
                                       const RecordView& b, const PairExplanation& explained) {
  return ChangeSearch(options, a, b, explained).Run();
}

}  // namespace neardup
