// What the outputs of a lane say about its verdicts: how many of each kind, which pairs were just
// near enough, and which records were copied most.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "commands/verify/progress.h"
#include "kafka/kafka_options.h"
#include "neardup/result.h"
#include "neardup/verdict.h"
#include "service/config/settings.h"
#include "stream/lane/ports.h"
#include "stream/lane/route_header.h"
#include "stream/state/route.h"

namespace neardup {

/// A near duplicate whose distance is among the largest.
struct ClosestCall {
  std::string copy;      ///< topic/partition/offset in the outputs
  std::string original;  ///< topic/partition/offset in the inputs
  int distance = 0;
  std::string copy_text;
  /// What the input topic holds there; nullopt: not looked up, or deleted.
  std::optional<std::string> original_text = {};
};

struct CopiedRecord {
  std::string original;  ///< topic/partition/offset in the inputs
  uint64_t copies = 0;
  int64_t first_ms = 0;  ///< Kafka's timestamps of the copies
  int64_t last_ms = 0;
  std::optional<std::string> text = {};  ///< as ClosestCall::original_text
};

/// A text of a pair that has more bytes is cut.
inline constexpr size_t kShownBytesMax = size_t{64} << 10;
/// The text, cut between two UTF-8 characters if it is longer.
std::string CutText(std::string_view text, size_t bytes_max = kShownBytesMax);

/// This distance and larger ones are counted together. Neardup itself writes none of them.
inline constexpr size_t kDistancesCounted = 18;

struct VerdictCounts {
  uint64_t unique = 0;
  uint64_t exact = 0;
  uint64_t near = 0;
  std::array<uint64_t, kReasonCount> dead_letters{};    ///< by Reason
  std::array<uint64_t, kDistancesCounted> distances{};  ///< of near duplicates
  uint64_t late = 0;
  uint64_t suspects = 0;         ///< among `unique`
  uint64_t replacing = 0;        ///< duplicates that took the place of an older record
  uint64_t released = 0;         ///< duplicates that were released to the unique topic
  uint64_t observed = 0;         ///< duplicates and dead letters on the unique topic
  uint64_t unreadable = 0;       ///< records without a neardup header, or with a broken one
  int64_t first_ms = INT64_MAX;  ///< Kafka's timestamps
  int64_t last_ms = INT64_MIN;

  uint64_t dead() const;
  /// Without the unreadable ones.
  uint64_t records() const { return unique + exact + near + dead(); }
};

/// Counts outputs. Keeps at most kOriginalsMax originals and `calls_max` pairs. One owner thread.
class VerdictSummary {
 public:
  /// Originals that are copied for the first time after so many others are not counted one by one.
  static constexpr size_t kOriginalsMax = 1'000'000;
  explicit VerdictSummary(size_t calls_max) : calls_max_(calls_max) {}

  /// `place`: the output topic and partition that the record was read from.
  void Add(const InputPartition& place, const Message& message);

  const VerdictCounts& counts() const { return counts_; }
  /// Some originals were not counted one by one.
  bool originals_left_out() const { return originals_left_out_; }
  /// The largest distances first. Among equal distances, the choice is random, and the same for the
  /// same outputs.
  std::vector<ClosestCall>& closest_calls() { return calls_; }
  /// The most copies first; at most `count`.
  std::vector<CopiedRecord> MostCopied(size_t count) const;

 private:
  void AddDuplicate(const InputPartition& place, const Message& message,
                    const ParsedOriginal& original);

  size_t calls_max_;
  VerdictCounts counts_;
  std::vector<ClosestCall> calls_;
  std::unordered_map<std::string, CopiedRecord> originals_;
  bool originals_left_out_ = false;
};

/// What `neardup report` prints, besides the counts.
struct VerdictReport {
  VerdictCounts counts;
  std::vector<ClosestCall> closest_calls;
  std::vector<CopiedRecord> most_copied;
  std::vector<std::string> notes = {};  ///< sentences
  std::string limits = {};              ///< how far apart near duplicates may be; empty: not known
  RecordOptions record = {};            ///< which fields of the examples are shown
};

/// To be read from top to bottom: shares, distances, examples.
std::string ReportText(const VerdictReport& report);
/// The same as one JSON object.
std::string ReportJson(const VerdictReport& report);
/// The pairs whose records are both there and were not cut, as `neardup test` and `tune --cases`
/// read them (explain/verdict_cases.h). Each is to be a duplicate, until a person changes that.
std::string ReportCases(const VerdictReport& report);

// Reads the outputs of a lane for a report.

struct VerdictReadingOptions {
  /// Kafka timestamp of the first outputs to read, milliseconds since 1970; nullopt: all outputs.
  std::optional<int64_t> from_ms;
  size_t calls_max = 5;    ///< closest calls
  size_t copied_max = 10;  ///< most copied records
};

/// Counts the verdicts in the output topics of the configured inputs, committed records only. The
/// lane may be running: what it commits after the call began is not counted. Looks up the originals
/// of the examples in the input topics. kConfig if the outputs have no headers; kNotFound if
/// an output topic does not exist.
Result<VerdictReport> ReadVerdicts(const Settings& settings, const VerdictReadingOptions& options,
                                   Progress& progress, const KafkaLog& log);

}  // namespace neardup
