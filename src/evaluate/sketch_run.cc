#include "evaluate/sketch_run.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "evaluate/stopwatch.h"
#include "filter/scheme_texts.h"
#include "fingerprint/document_frequencies.h"
#include "fingerprint/schemes.h"
#include "index/sketch_index.h"

namespace neardup {
namespace {

constexpr size_t kSampleRecords = 3000;

std::shared_ptr<const DocumentFrequencies> CountDocuments(const LabelledSet& set,
                                                          const FilterOptions& options) {
  auto frequencies = std::make_shared<DocumentFrequencies>();
  SchemeTextReader reader(options);
  const size_t count = std::min(kSampleRecords, set.payloads.size());
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

Result<SchemeRun> RunSketches(const LabelledSet& set, const FilterOptions& options,
                              const SchemeChoice& choice) {
  NEARDUP_ASSIGN(const std::unique_ptr<Scheme> scheme, MakeScheme(set, options, choice));
  SketchIndex index(*scheme);
  const uint64_t empty_bytes = index.bytes();
  SchemeTextReader reader(options);
  CallList calls(set);
  SchemeRun run;
  SketchEntry entry;
  const Stopwatch watch;
  for (size_t i = 0; i < set.payloads.size(); ++i) {
    const RecordView record = set.View(i);
    const SchemeTexts& texts = reader.Read(record);
    run.dead_letters += texts.reason == Reason::kNone ? 0 : 1;
    if (texts.reason != Reason::kNone || texts.passed) {
      calls.AddUnique(i);
      continue;
    }
    scheme->Compute(texts.texts, entry.sketch);
    entry.time_ms = texts.time_ms;
    entry.origin = record.position;
    if (const auto match = index.FindNearest(entry, options.window.window_ms)) {
      calls.AddDuplicate(i, static_cast<size_t>(index.origin(match->id).offset));
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

}  // namespace neardup
