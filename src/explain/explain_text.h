// What `neardup explain` prints about two records: for people, and as JSON.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "explain/explanation.h"
#include "neardup/options.h"

namespace neardup {

/// An explanation, and what people call its records.
struct ExplainReport {
  std::string a;  ///< the earlier record, such as a.json or news/0/17
  std::string b;
  FilterOptions options;
  PairExplanation explained;
  /// What else is known, such as what the service wrote about the record.
  std::vector<std::string> notes;
};

/// A sentence with the verdict, and one with its reason. Both records must be comparable.
std::string VerdictSentence(const ExplainReport& report);
std::string ReasonSentence(const ExplainReport& report);

/// A change as one line: `match.distance_max 11`.
std::string ChangeText(const VerdictChange& change);
/// Such as `near duplicate`.
std::string VerdictName(const Verdict& verdict);

/// Whether both records have a distance: neither has too few words.
bool HaveDistance(const ExplainReport& report);

/// A text of one record in the place where the other one may have a text, too.
struct TextPlace {
  const ExplainedText* a = nullptr;  ///< nullptr: the record has no such text
  const ExplainedText* b = nullptr;

  const ExplainedText& any() const { return a != nullptr ? *a : *b; }
  bool equal() const { return a != nullptr && b != nullptr && a->text == b->text; }
};
/// All texts of both records, beside each other by their paths.
std::vector<TextPlace> TextPlaces(const PairExplanation& explained);

/// One distance of the pair, and its limit.
struct LimitRow {
  std::string name;      ///< such as `distance`
  std::string measured;  ///< such as `2 of at most 5`
  std::string why;       ///< the settings that the limit comes from
};
/// Empty if there is no distance.
std::vector<LimitRow> LimitRows(const ExplainReport& report);

/// Control characters, which a terminal would obey, become spaces. A long text is cut.
std::string Shortened(std::string_view text, size_t bytes_max);

/// To be read from top to bottom: the verdict, its reason, then the numbers.
std::string ExplainText(const ExplainReport& report);

/// The same as one JSON object, with everything in full. docs/explain.md describes its fields.
std::string ExplainJson(const ExplainReport& report);

}  // namespace neardup
