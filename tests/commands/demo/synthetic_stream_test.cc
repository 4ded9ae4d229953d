#include "commands/demo/synthetic_stream.h"

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "commands/demo/demo_report.h"
#include "neardup/filter.h"

namespace neardup {
namespace {

using nlohmann::json;

const SyntheticStream& Stream() {
  static const SyntheticStream stream = GenerateSyntheticStream({});
  return stream;
}

/// Index of the record that a copy was made from; nullopt for a record that is no copy.
std::optional<size_t> OriginalOf(size_t index) {
  static const std::unordered_map<std::string, size_t> index_of_id = [] {
    std::unordered_map<std::string, size_t> indexes;
    for (size_t i = 0; i < Stream().labels.size(); ++i) indexes[Stream().labels[i].id] = i;
    return indexes;
  }();
  const std::string& original = Stream().labels[index].original;
  return original.empty() ? std::nullopt : std::optional(index_of_id.at(original));
}

/// Body of an article, description of a product.
std::string BodyOf(const SyntheticRecord& record) {
  const json fields = json::parse(record.payload);
  return fields.contains("body") ? fields["body"] : fields["description"];
}

/// Verdicts of a filter with these options over the whole stream.
std::vector<DemoVerdict> Decide(const FilterOptions& options) {
  auto filter = Filter::New(options);
  EXPECT_TRUE(filter.ok());
  Fingerprinter fingerprinter(options);
  std::vector<DemoVerdict> verdicts;
  for (size_t i = 0; i < Stream().records.size(); ++i) {
    const SyntheticRecord& record = Stream().records[i];
    const Verdict verdict = (*filter)->Decide(
        fingerprinter.Compute({{0, static_cast<int64_t>(i)}, record.timestamp_ms, record.payload}));
    (*filter)->Commit();
    DemoVerdict& kept = verdicts.emplace_back();
    kept.decision = verdict.decision;
    if (verdict.decision == Decision::kDuplicate) {
      kept.original = static_cast<size_t>(verdict.match.original.offset);
    }
  }
  return verdicts;
}

TEST(SyntheticStream, IsTheSameForTheSameOptionsOnly) {
  const SyntheticStream first = GenerateSyntheticStream({.count = 500});
  const SyntheticStream again = GenerateSyntheticStream({.count = 500});
  const SyntheticStream other = GenerateSyntheticStream({.count = 500, .seed = 2});
  size_t different = 0;
  for (size_t i = 0; i < first.records.size(); ++i) {
    EXPECT_EQ(again.records[i].payload, first.records[i].payload);
    EXPECT_EQ(again.records[i].timestamp_ms, first.records[i].timestamp_ms);
    different += other.records[i].payload != first.records[i].payload ? 1 : 0;
  }
  EXPECT_GT(different, 490);
}

// Golden: the stream must not depend on compiler or machine.
TEST(SyntheticStream, IsTheSameEverywhere) {
  uint64_t hash = 14695981039346656037u;  // FNV-1a over all payloads
  for (const SyntheticRecord& record : Stream().records) {
    for (const char c : record.payload) {
      hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
    }
  }
  EXPECT_EQ(hash, 6141136010243201907u);
}

TEST(SyntheticStream, HasTheNumbersOfCopiesAndMalformedRecordsThatItPromises) {
  std::map<std::string, size_t> count;
  for (const Label& label : Stream().labels) ++count[label.kind];
  EXPECT_EQ(Stream().records.size(), 20'000);
  EXPECT_EQ(Stream().labels.size(), 20'000);
  size_t copies = 0;
  for (const PlantedKind& kind : PlantedKinds()) {
    EXPECT_NEAR(static_cast<double>(count[Name(kind.edit)]),
                5000.0 * static_cast<double>(kind.share) / 11, 10)
        << kind.text;
    copies += count[Name(kind.edit)];
  }
  EXPECT_NEAR(static_cast<double>(copies), 5000, 10);
  EXPECT_EQ(count[kMalformedKind], 60);
  EXPECT_EQ(count["original"] + count["natural-exact"] + copies + count[kMalformedKind], 20'000);
}

TEST(SyntheticStream, HasExactlyTheNumberOfRecordsAskedFor) {
  for (const size_t count : {0, 1, 2, 3, 10, 333}) {
    EXPECT_EQ(GenerateSyntheticStream({.count = count}).records.size(), count);
    EXPECT_EQ(GenerateSyntheticStream({.count = count}).labels.size(), count);
  }
}

TEST(SyntheticStream, HasDifferentKeysAndTimestampsThatNeverDecrease) {
  std::set<std::string> keys;
  int64_t last_ms = 0;
  for (const SyntheticRecord& record : Stream().records) {
    EXPECT_TRUE(keys.insert(record.key).second) << record.key;
    EXPECT_GE(record.timestamp_ms, last_ms);
    last_ms = record.timestamp_ms;
  }
  EXPECT_LT(last_ms - Stream().records[0].timestamp_ms, WindowOptions().window_ms);
}

TEST(SyntheticStream, PutsEveryCopyAfterItsOriginal) {
  for (size_t i = 0; i < Stream().labels.size(); ++i) {
    const std::optional<size_t> original = OriginalOf(i);
    if (original) {
      EXPECT_LT(*original, i);
      EXPECT_EQ(Stream().labels[*original].cluster, Stream().labels[i].cluster);
    }
  }
}

TEST(SyntheticStream, EditsEachCopyAsItsKindSays) {
  for (size_t i = 0; i < Stream().records.size(); ++i) {
    if (!OriginalOf(i)) continue;
    const SyntheticRecord& record = Stream().records[i];
    const SyntheticRecord& original = Stream().records[*OriginalOf(i)];
    const std::string& kind = Stream().labels[i].kind;
    json copy = json::parse(record.payload);
    json source = json::parse(original.payload);
    EXPECT_EQ(copy["id"], record.key);
    EXPECT_NE(copy["id"], source["id"]);
    for (const std::string& field : kSyntheticFieldsExcluded) {
      copy.erase(field);
      source.erase(field);
    }
    const std::string body = BodyOf(record);
    const std::string before = BodyOf(original);
    EXPECT_EQ(copy == source, kind == "exact") << record.payload;
    if (kind == "reordered") {
      EXPECT_EQ(body.size(), before.size());
    }
    if (kind == "inserted-1") {
      EXPECT_GT(copy.dump().size(), source.dump().size());
    }
    if (kind == "sentence-drop") {
      EXPECT_LT(body.size(), before.size());
    }
    if (kind == "field-change") {
      EXPECT_EQ(body, before);
    }
  }
}

TEST(SyntheticStream, FillsEverySlotOfAPattern) {
  const std::string slots = "NAVPLOD";
  for (size_t i = 0; i < 2000; ++i) {
    if (Stream().labels[i].kind != "original") continue;
    const std::string body = BodyOf(Stream().records[i]);
    for (size_t at = 2; at + 1 < body.size(); ++at) {
      // The article "A" may begin a sentence.
      const bool alone = body[at - 2] != '.' && body[at - 1] == ' ' && body[at + 1] == ' ';
      EXPECT_FALSE(alone && slots.find(body[at]) != std::string::npos) << body;
    }
  }
}

// The figures of the demo: every copy whose content is equal is found, most copies with small edits
// are found, nothing unrelated is called a duplicate, and every malformed record is a dead letter.
TEST(SyntheticStream, LetsTheFilterFindEqualCopiesAndNothingUnrelated) {
  FilterOptions options;
  options.record.exclude = kSyntheticFieldsExcluded;
  options.match.distance_max = 3;
  const std::vector<DemoVerdict> verdicts = Decide(options);
  for (size_t i = 0; i < verdicts.size(); ++i) {
    EXPECT_EQ(verdicts[i].decision == Decision::kDeadLetter,
              Stream().labels[i].kind == kMalformedKind)
        << Stream().records[i].payload;
  }
  const DemoCounts counts = CountVerdicts(Stream().labels, verdicts);
  EXPECT_EQ(counts.false_matches(), 0);
  for (const char* kind : {"exact", "format", "reordered"}) {
    const Tally& tally = counts.accuracy.kinds.at(kind);
    EXPECT_EQ(tally.right, tally.true_duplicates) << kind;
  }
  for (const char* kind : {"replaced-1", "inserted-1"}) {
    const Tally& tally = counts.accuracy.kinds.at(kind);
    EXPECT_GT(2 * tally.right, tally.true_duplicates) << kind;
  }
}

}  // namespace
}  // namespace neardup
