#include "evaluate/filter_run.h"

#include <memory>
#include <vector>

#include "evaluate/stopwatch.h"
#include "neardup/filter.h"

namespace neardup {
namespace {

/// As large a step as any lane makes; forgetting happens in between.
constexpr size_t kCommitRecords = 1000;
constexpr int kDistanceMost = 16;

/// Decides one payload after the other.
class Decider {
 public:
  Decider(const LabelledSet& set, Filter& filter) : filter_(filter), calls_(set) {}

  void Decide(const FingerprintedRecord& record) {
    const auto payload = static_cast<size_t>(record.position.offset);
    const Verdict verdict = filter_.Decide(record);
    if (verdict.decision == Decision::kDuplicate) {
      calls_.AddDuplicate(payload, static_cast<size_t>(verdict.original.offset));
    } else {
      calls_.AddUnique(payload);
    }
    dead_letters_ += verdict.decision == Decision::kDeadLetter ? 1 : 0;
    if ((payload + 1) % kCommitRecords == 0) filter_.Commit();
  }

  const CallList& calls() const { return calls_; }
  uint64_t dead_letters() const { return dead_letters_; }

 private:
  Filter& filter_;
  CallList calls_;
  uint64_t dead_letters_ = 0;
};

std::vector<FingerprintedRecord> FingerprintAll(const LabelledSet& set,
                                                const FilterOptions& options) {
  Fingerprinter fingerprinter(options);
  std::vector<FingerprintedRecord> records;
  records.reserve(set.payloads.size());
  for (size_t i = 0; i < set.payloads.size(); ++i) {
    records.push_back(fingerprinter.Compute(set.View(i)));
  }
  return records;
}

}  // namespace

Result<SchemeRun> RunFilter(const LabelledSet& set, const FilterOptions& options) {
  NEARDUP_ASSIGN(const std::unique_ptr<Filter> filter, Filter::New(options));
  const uint64_t empty_bytes = filter->bytes();
  Fingerprinter fingerprinter(options);
  Decider decider(set, *filter);
  const Stopwatch watch;
  for (size_t i = 0; i < set.payloads.size(); ++i) {
    decider.Decide(fingerprinter.Compute(set.View(i)));
  }
  SchemeRun run;
  run.seconds = watch.seconds();
  run.accuracy = Judge(set.labels, decider.calls().calls());
  run.records = set.payloads.size();
  run.dead_letters = decider.dead_letters();
  run.entries = filter->entries();
  run.bytes = filter->bytes() - empty_bytes;
  return run;
}

Result<std::vector<CurvePoint>> RunDistances(const LabelledSet& set, FilterOptions options) {
  NEARDUP_TRY(CheckOptions(options));
  const std::vector<FingerprintedRecord> records = FingerprintAll(set, options);
  std::vector<CurvePoint> curve;
  for (int distance = 0; distance <= kDistanceMost; ++distance) {
    options.match.distance_max = distance;
    // Beyond the largest distance the filter takes the curve ends.
    if (!CheckOptions(options).ok()) break;
    NEARDUP_ASSIGN(const std::unique_ptr<Filter> filter, Filter::New(options));
    Decider decider(set, *filter);
    for (const FingerprintedRecord& record : records) decider.Decide(record);
    curve.push_back({distance, Judge(set.labels, decider.calls().calls()).all});
  }
  return curve;
}

}  // namespace neardup
