#include "commands/evaluate/scheme_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <memory>
#include <numeric>
#include <string_view>
#include <utility>

#include "commands/evaluate/schemes.h"
#include "detect/fingerprint/exact_hash.h"
#include "detect/index/match.h"
#include "neardup/filter.h"

namespace neardup {

SchemeTextReader::SchemeTextReader(const FilterOptions& options)
    : extractor_(options.record),
      tokeniser_(options.feature.markup, options.feature.masks),
      tokens_(options.model.hash_seed) {}

const SchemeTexts& SchemeTextReader::Read(const RecordView& record) {
  const ExtractedRecord& extracted = extractor_.Extract(record);
  result_.outcome = extracted.outcome;
  result_.texts.clear();
  result_.exact = 0;
  if (result_.outcome.comparable()) Tokenise(extracted.pieces);
  return result_;
}

void SchemeTextReader::Tokenise(const std::vector<TextPiece>& pieces) {
  tokens_.Clear();
  marks_.clear();
  ExactHash exact;
  for (const TextPiece& piece : pieces) {
    const Mark begin{tokens_.size(), tokens_.token_count()};
    marks_.push_back(begin);
    const TextKind kind = piece.number ? TextKind::kNumber : TextKind::kText;
    const std::string_view as_it_is = tokeniser_.Tokenise(piece.text, tokens_, kind);
    exact.Add(as_it_is.empty() ? tokens_.TextFrom(begin.byte) : as_it_is, piece.path_hash);
  }
  marks_.push_back({tokens_.size(), tokens_.token_count()});
  // Only now, because the token texts move in memory while they grow.
  for (size_t i = 0; i < pieces.size(); ++i) {
    const Mark& begin = marks_[i];
    const Mark& end = marks_[i + 1];
    const std::string_view normalised =
        tokens_.TextFrom(begin.byte).substr(0, end.byte - begin.byte);
    result_.texts.push_back({pieces[i].field, pieces[i].text, normalised,
                             tokens_.hashes().subspan(begin.token, end.token - begin.token)});
  }
  result_.exact = exact.value();
  std::stable_sort(result_.texts.begin(), result_.texts.end(),
                   [](const SchemeText& a, const SchemeText& b) { return a.field < b.field; });
}

void SketchIndex::Insert(SketchedRecord record) {
  if (scheme_.scans_all()) record.sketch.keys = {};
  for (const uint64_t key : record.sketch.keys) records_by_key_[key].push_back(records_.size());
  records_.push_back(std::move(record));
}

std::optional<Match> SketchIndex::FindNearest(const SketchedRecord& sought,
                                              int64_t window_ms) const {
  std::optional<Match> best;
  // Numbers ascend, so the oldest of equally near records stays the best.
  for (const size_t number : CandidatesOf(sought.sketch)) {
    const SketchedRecord& record = records_[number];
    if (!WithinWindow(record.time_ms, sought.time_ms, window_ms)) continue;
    const std::optional<int> distance = scheme_.Distance(record.sketch.words, sought.sketch.words);
    if (!distance || (best && best->distance <= *distance)) continue;
    const MatchKind kind = record.exact == sought.exact ? MatchKind::kExact : MatchKind::kNear;
    best = Match{record.origin, record.time_ms, *distance, kind, false, number};
    if (*distance == 0) break;
  }
  return best;
}

std::vector<size_t> SketchIndex::CandidatesOf(const Sketch& sought) const {
  std::vector<size_t> numbers;
  if (scheme_.scans_all()) {
    numbers.resize(records_.size());
    std::iota(numbers.begin(), numbers.end(), size_t{0});
    return numbers;
  }
  for (const uint64_t key : sought.keys) {
    const auto found = records_by_key_.find(key);
    if (found == records_by_key_.end()) continue;
    numbers.insert(numbers.end(), found->second.begin(), found->second.end());
  }
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

uint64_t SketchIndex::bytes() const {
  uint64_t bytes = records_by_key_.bucket_count() * sizeof(void*);
  for (const SketchedRecord& record : records_) bytes += sizeof(record) + record.sketch.bytes();
  for (const auto& [key, numbers] : records_by_key_) {
    bytes += sizeof(void*) + sizeof(key) + sizeof(numbers) + numbers.capacity() * sizeof(size_t);
  }
  return bytes;
}

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

/// The calls that verdicts make. verdicts[i] belongs to the payload i.
CallList CallsOf(const LabelledSet& set, std::span<const Verdict> verdicts) {
  CallList calls(set);
  for (size_t i = 0; i < verdicts.size(); ++i) {
    if (verdicts[i].decision == Decision::kDuplicate) {
      calls.AddDuplicate(i, static_cast<size_t>(verdicts[i].match.original.offset));
    } else {
      calls.AddUnique(i);
    }
  }
  return calls;
}

/// Lets the filter decide the payload of a set that follows the last one.
Verdict DecideNext(const FingerprintedRecord& record, Filter& filter) {
  const Verdict verdict = filter.Decide(record);
  if ((static_cast<size_t>(record.position.offset) + 1) % kCommitRecords == 0) filter.Commit();
  return verdict;
}

SchemeRun RunOf(const LabelledSet& set, std::vector<Verdict> verdicts, double seconds) {
  SchemeRun run;
  run.accuracy = Judge(set.labels, CallsOf(set, verdicts).calls());
  run.records = verdicts.size();
  run.dead_letters = static_cast<uint64_t>(std::count_if(
      verdicts.begin(), verdicts.end(),
      [](const Verdict& verdict) { return verdict.decision == Decision::kDeadLetter; }));
  run.seconds = seconds;
  run.verdicts = std::move(verdicts);
  return run;
}

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
  std::vector<Verdict> verdicts;
  verdicts.reserve(set.payloads.size());
  const Stopwatch watch;
  for (size_t i = 0; i < set.payloads.size(); ++i) {
    verdicts.push_back(DecideNext(fingerprinter.Compute(set.View(i)), *filter));
  }
  SchemeRun run = RunOf(set, std::move(verdicts), watch.seconds());
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
  std::vector<Verdict> verdicts;
  verdicts.reserve(set.payloads.size());
  const Stopwatch watch;
  for (size_t i = 0; i < set.payloads.size(); ++i) {
    const RecordView view = set.View(i);
    const SchemeTexts& texts = reader.Read(view);
    Verdict& verdict = verdicts.emplace_back();
    verdict.outcome = texts.outcome;
    if (!texts.outcome.comparable()) {
      if (texts.outcome.reason != Reason::kNone) verdict.decision = Decision::kDeadLetter;
      continue;
    }
    SketchedRecord record{{}, texts.outcome.time_ms, view.position, texts.exact};
    scheme->Compute(texts.texts, record.sketch);
    if (const auto match = index.FindNearest(record, options.window.window_ms)) {
      verdict.decision = Decision::kDuplicate;
      verdict.match = *match;
    } else {
      index.Insert(std::move(record));
    }
  }
  SchemeRun run = RunOf(set, std::move(verdicts), watch.seconds());
  run.entries = index.size();
  run.bytes = index.bytes() - empty_bytes;
  return run;
}

std::string VerdictTable(const SchemeRun& run) {
  std::string table = "id\tverdict\toriginal\tdistance\tkind\n";
  for (size_t i = 0; i < run.verdicts.size(); ++i) {
    const Verdict& verdict = run.verdicts[i];
    table += fmt::format("{}\t{}\t", i + 1, Name(verdict.decision));
    if (verdict.decision == Decision::kDuplicate) {
      table += fmt::format("{}\t{}\t{}\n", verdict.match.original.offset + 1,
                           verdict.match.distance, Name(verdict.match.kind));
    } else {
      table += "\t\t\n";
    }
  }
  return table;
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
    std::vector<Verdict> verdicts;
    for (const FingerprintedRecord& record : records) {
      verdicts.push_back(DecideNext(record, *filter));
    }
    curve.push_back({distance, Judge(set.labels, CallsOf(set, verdicts).calls()).all});
  }
  return curve;
}

}  // namespace neardup
