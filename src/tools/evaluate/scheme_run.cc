#include "evaluate/scheme_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <memory>
#include <string_view>
#include <utility>

#include "filter/record_features.h"
#include "index/sketch_index.h"
#include "neardup/filter.h"
#include "schemes/schemes.h"
#include "schemes/token_counts.h"

namespace neardup {

namespace {

constexpr std::string_view kAllSchemes = "all";
/// Records between two commits of the filter, which forgets expired entries only then. No lane
/// commits more records at a time.
constexpr size_t kCommitRecords = 1000;
/// Records from which a scheme learns document frequencies.
constexpr size_t kLearnedRecords = 3000;

Error Wrong(const std::string& text, const std::string& what) {
  return {ErrorCode::kConfig, fmt::format("--scheme {}: {}", text, what)};
}

std::vector<std::string> AllNames() {
  std::vector<std::string> names = {kFilterScheme};
  for (const std::string_view name : SchemeNames()) names.emplace_back(name);
  return names;
}

Result<void> ReadValue(std::string_view setting, SchemeChoice& choice) {
  const size_t equals = setting.find('=');
  double value = 0;
  bool number = false;
  if (equals != std::string_view::npos) {
    const char* const end = setting.data() + setting.size();
    const auto read = std::from_chars(setting.data() + equals + 1, end, value);
    number = read.ec == std::errc() && read.ptr == end;
  }
  if (!number) {
    return Wrong(choice.text,
                 fmt::format("found \"{}\" after a colon, expected parameter=number", setting));
  }
  choice.values[std::string(setting.substr(0, equals))] = value;
  return {};
}

Result<SchemeChoice> Parse(const std::string& text) {
  SchemeChoice choice;
  choice.text = text;
  std::string_view rest = text;
  const size_t name_end = rest.find(':');
  choice.name = rest.substr(0, name_end);
  const std::vector<std::string> known = AllNames();
  if (std::find(known.begin(), known.end(), choice.name) == known.end()) {
    return Wrong(text,
                 fmt::format("unknown; expected {} or {}", fmt::join(known, ", "), kAllSchemes));
  }
  while (rest.find(':') != std::string_view::npos) {
    rest.remove_prefix(rest.find(':') + 1);
    NEARDUP_TRY(ReadValue(rest.substr(0, rest.find(':')), choice));
  }
  if (choice.is_filter() && !choice.values.empty()) {
    return Wrong(text, "found a parameter; set the filter's parameters with --config or --set");
  }
  return choice;
}

/// Seconds since its construction.
class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
  }

 private:
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
};

/// Lets the filter decide the payloads of a set in order, and keeps its calls.
class Decider {
 public:
  Decider(const LabelledSet& set, Filter& filter) : filter_(filter), calls_(set) {}

  void Decide(const FingerprintedRecord& record) {
    const auto payload = static_cast<size_t>(record.position.offset);
    const Verdict verdict = filter_.Decide(record);
    if (verdict.decision == Decision::kDuplicate) {
      calls_.AddDuplicate(payload, static_cast<size_t>(verdict.match.original.offset));
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

std::shared_ptr<const DocumentFrequencies> CountDocuments(const LabelledSet& set,
                                                          const FilterOptions& options) {
  auto frequencies = std::make_shared<DocumentFrequencies>();
  SchemeTextReader reader(options);
  const size_t count = std::min(kLearnedRecords, set.payloads.size());
  for (size_t i = 0; i < count; ++i) {
    std::vector<uint64_t> tokens;
    for (const SchemeText& text : reader.Read(set.View(i)).texts) {
      tokens.insert(tokens.end(), text.tokens.begin(), text.tokens.end());
    }
    std::sort(tokens.begin(), tokens.end());
    tokens.erase(std::unique(tokens.begin(), tokens.end()), tokens.end());
    frequencies->Add(tokens);
  }
  return frequencies;
}

Result<std::unique_ptr<Scheme>> MakeScheme(const LabelledSet& set, const FilterOptions& options,
                                           const SchemeChoice& choice) {
  SchemeOptions scheme;
  scheme.values = choice.values;
  const auto rows = SchemeRows();
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const SchemeRow& candidate) {
    return candidate.name == choice.name;
  });
  if (row != rows.end() && row->frequencies != FrequencyUse::kNone) {
    scheme.frequencies = CountDocuments(set, options);
  }
  return NewScheme(choice.name, scheme);
}

}  // namespace

Result<std::vector<SchemeChoice>> ParseSchemes(const std::vector<std::string>& texts) {
  std::vector<std::string> wanted;
  for (const std::string& text : texts) {
    const std::vector<std::string> names =
        text == kAllSchemes ? AllNames() : std::vector<std::string>{text};
    wanted.insert(wanted.end(), names.begin(), names.end());
  }
  if (wanted.empty()) wanted = {kFilterScheme};
  std::vector<SchemeChoice> choices;
  for (const std::string& text : wanted) {
    NEARDUP_ASSIGN(SchemeChoice choice, Parse(text));
    choices.push_back(std::move(choice));
  }
  return choices;
}

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

Result<SchemeRun> RunSketches(const LabelledSet& set, const FilterOptions& options,
                              const SchemeChoice& choice) {
  NEARDUP_ASSIGN(const std::unique_ptr<Scheme> scheme, MakeScheme(set, options, choice));
  SketchIndex index(*scheme);
  const uint64_t empty_bytes = index.bytes();
  SchemeTextReader reader(options);
  CallList calls(set);
  SchemeRun run;
  Entry entry;
  const Stopwatch watch;
  for (size_t i = 0; i < set.payloads.size(); ++i) {
    const RecordView record = set.View(i);
    const SchemeTexts& texts = reader.Read(record);
    run.dead_letters += texts.outcome.reason == Reason::kNone ? 0 : 1;
    if (!texts.outcome.comparable()) {
      calls.AddUnique(i);
      continue;
    }
    Sketch sketch;
    scheme->Compute(texts.texts, sketch);
    entry.sketch = std::move(sketch);
    entry.time_ms = texts.outcome.time_ms;
    entry.origin = record.position;
    if (const auto match = index.FindNearest(entry, options.window.window_ms)) {
      calls.AddDuplicate(i, static_cast<size_t>(index.MatchOf(*match).original.offset));
    } else {
      calls.AddUnique(i);
      index.Insert(entry);
    }
  }
  run.seconds = watch.seconds();
  run.accuracy = Judge(set.labels, calls.calls());
  run.records = set.payloads.size();
  run.entries = index.size();
  run.bytes = index.bytes() - empty_bytes;
  return run;
}

Result<std::vector<CurvePoint>> RunDistances(const LabelledSet& set, FilterOptions options) {
  NEARDUP_TRY(CheckOptions(options));
  const std::vector<FingerprintedRecord> records = FingerprintAll(set, WithNearFeatures(options));
  std::vector<CurvePoint> curve;
  for (int distance = 0; distance <= MatchOptions::kDistanceMaxRange.max; ++distance) {
    options.match.distance_max = distance;
    // The curve ends before the first distance that the filter refuses.
    if (!CheckOptions(options).ok()) break;
    NEARDUP_ASSIGN(const std::unique_ptr<Filter> filter, Filter::New(options));
    Decider decider(set, *filter);
    for (const FingerprintedRecord& record : records) decider.Decide(record);
    curve.push_back({distance, Judge(set.labels, decider.calls().calls()).all});
  }
  return curve;
}

}  // namespace neardup
