// Runs schemes over a labelled set: which ones, what they found, how fast, and in how much memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "commands/evaluate/labelled_set.h"
#include "commands/evaluate/scheme.h"
#include "detect/feature/text_features.h"
#include "detect/feature/tokeniser.h"
#include "detect/record/field_extractor.h"
#include "neardup/options.h"
#include "neardup/record.h"
#include "neardup/result.h"
#include "neardup/verdict.h"

namespace neardup {

// Reads payloads into the texts that a comparison scheme computes its sketch from.

/// What a comparison scheme computes its sketch from.
struct SchemeTexts {
  ReadOutcome outcome;
  // The rest is set only if outcome.comparable().
  /// ExactHash of the texts.
  uint64_t exact = 0;
  /// Ordered by field, and within a field as in the document. Valid until the next record.
  std::vector<SchemeText> texts;
};

/// Keeps scratch memory: one instance per thread. It uses the record options, markup, masks and the
/// model's hash seed. Key fields are texts like any others.
class SchemeTextReader {
 public:
  /// The options must be valid.
  explicit SchemeTextReader(const FilterOptions& options);

  /// The result is valid until the next call.
  const SchemeTexts& Read(const RecordView& record);

 private:
  /// Where the tokens of a piece begin in tokens_.
  struct Mark {
    size_t byte = 0;
    size_t token = 0;
  };

  void Tokenise(const std::vector<TextPiece>& pieces);

  FieldExtractor extractor_;
  Tokeniser tokeniser_;
  TokenList tokens_;
  std::vector<Mark> marks_;
  SchemeTexts result_;
};

// Remembers records of a comparison scheme, and finds the one nearest to a sketch.

struct SketchedRecord {
  Sketch sketch;
  int64_t time_ms = 0;
  Position origin;
  uint64_t exact = 0;  ///< SchemeTexts::exact
};

/// The counterpart of Index for comparison schemes, written to be simple and not to be fast. It
/// never forgets a record.
///
/// The candidates of a look-up are the records that share a key with the one that is sought, or all
/// records with Scheme::scans_all. A candidate is a match if Scheme::Distance accepts it and its
/// event time is inside the window. Only one thread may use it.
class SketchIndex {
 public:
  /// `scheme` must outlive the index.
  explicit SketchIndex(const Scheme& scheme) : scheme_(scheme) {}

  void Insert(SketchedRecord record);
  /// Finds the best match: the smallest distance, then the oldest record. `window_ms`: 0 or more.
  std::optional<Match> FindNearest(const SketchedRecord& sought, int64_t window_ms) const;

  uint64_t size() const { return records_.size(); }
  /// Memory held by records, keys and the table of keys, without the overhead of the allocator.
  uint64_t bytes() const;

 private:
  /// The numbers of all records that FindNearest compares, in ascending order.
  std::vector<size_t> CandidatesOf(const Sketch& sought) const;

  const Scheme& scheme_;
  std::vector<SketchedRecord> records_;
  std::unordered_map<uint64_t, std::vector<size_t>> records_by_key_;
};

/// Name of the filter itself among the schemes.
inline constexpr const char* kFilterScheme = "neardup";

/// A scheme to run, and its parameters.
struct SchemeChoice {
  std::string text;  ///< as the user wrote it
  std::string name;
  std::map<std::string, double, std::less<>> values;

  bool is_filter() const { return name == kFilterScheme; }
};

/// Reads texts of the form "NAME" or "NAME:parameter=number:...". "all" means every scheme,
/// the filter first; an empty list stands for the filter alone. Checks names, but not parameters:
/// RunSketches does.
Result<std::vector<SchemeChoice>> ParseSchemes(const std::vector<std::string>& texts);

struct SchemeRun {
  std::string scheme;  ///< SchemeChoice::text
  Accuracy accuracy;
  uint64_t records = 0;
  uint64_t dead_letters = 0;
  /// Time from payload to verdict on one thread, without the time a scheme learns beforehand.
  double seconds = 0;
  /// Unique records remembered at the end, and the bytes they take: the bytes of the index, less
  /// the bytes of an empty one.
  uint64_t entries = 0;
  uint64_t bytes = 0;
  std::vector<Verdict> verdicts;  ///< on each payload

  double records_per_s() const { return seconds > 0 ? static_cast<double>(records) / seconds : 0; }
  std::optional<double> bytes_per_entry() const {
    if (entries == 0) return std::nullopt;
    return static_cast<double>(bytes) / static_cast<double>(entries);
  }
};

/// Runs the filter. Only unique records are remembered and matched.
Result<SchemeRun> RunFilter(const LabelledSet& set, const FilterOptions& options);

/// Runs a comparison scheme. Of `options` it uses the record and feature options and the length of
/// the window. A scheme that needs document frequencies counts them in the first 3,000 records.
Result<SchemeRun> RunSketches(const LabelledSet& set, const FilterOptions& options,
                              const SchemeChoice& choice);

/// The verdicts as `neardup filter --verdicts` writes them: a line of column names, and a line for
/// each payload, named by its number from 1.
std::string VerdictTable(const SchemeRun& run);

/// What the filter finds at another distance_max.
struct CurvePoint {
  int distance_max = 0;
  Tally tally;
};

/// Runs the filter at each distance_max from 0 to the largest that CheckOptions accepts with the
/// other options.
Result<std::vector<CurvePoint>> RunDistances(const LabelledSet& set, FilterOptions options);

}  // namespace neardup
