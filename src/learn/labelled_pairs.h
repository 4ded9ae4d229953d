// Settings that decide pairs of records as a person has marked them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "learn/field_study.h"
#include "neardup/options.h"

namespace neardup {

/// Two records as JSON, and whether a person calls the later one a copy. Borrows the texts.
struct LabelledPair {
  std::string_view a;  ///< the earlier record
  std::string_view b;
  bool copy = false;
};

/// How many pairs come out as they are marked.
struct LabelFit {
  uint64_t copies = 0;  ///< pairs that are marked as copies
  uint64_t copies_found = 0;
  uint64_t others = 0;  ///< pairs that are marked as no copies
  uint64_t others_apart = 0;
  std::vector<size_t> wrong;  ///< numbers of the pairs that come out otherwise, ascending

  uint64_t pairs() const { return copies + others; }
  uint64_t right() const { return copies_found + others_apart; }
  /// The mean of both shares, so that the more frequent kind does not decide alone. A kind without
  /// pairs counts as right.
  double score() const;
};

/// Decides the later record of each pair after the earlier one, and nothing else. The options must
/// be valid.
LabelFit FitOf(std::span<const LabelledPair> pairs, const FilterOptions& options);

/// Fewer marked pairs of a kind than this say little about that kind.
inline constexpr uint64_t kLabelsFew = 30;

/// Options that fit marked pairs.
struct LabelledChoice {
  FilterOptions options;
  LabelFit before;  ///< of the options that the search began with
  LabelFit after;
  /// What was changed, in words, such as "site is compared", in order of the changes.
  std::vector<std::string> changes;
  /// LabelFit::score on pairs that the choice had not seen: each half of the pairs, with options
  /// that fit the other half. nullopt: too few pairs.
  std::optional<double> unseen_score;
};

/// Changes one setting after the other, as long as more pairs come out right: which of `fields` are
/// compared and which are keys (unless `keep_fields`), distances, and from how many tokens on
/// records are compared by distance. A change must put right more pairs than chance does, so a
/// single odd pair changes nothing among many; and nothing changes without some pairs of each kind.
/// At most kLabelsUsed pairs are used. Deterministic. Takes some seconds for 1,000 pairs. The model
/// of the options counts only while the fields stay.
LabelledChoice FitToLabels(std::span<const LabelledPair> pairs, const FilterOptions& start,
                           std::span<const StudiedField> fields, bool keep_fields);
inline constexpr size_t kLabelsUsed = 1000;

}  // namespace neardup
