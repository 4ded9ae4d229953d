#include "demo/synthetic_stream.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "neardup/filter.h"

namespace neardup {
namespace {

using nlohmann::json;

const std::vector<SyntheticRecord>& Sample() {
  static const std::vector<SyntheticRecord> records = GenerateSampleStream({});
  return records;
}

/// Body of an article, description of a product.
std::string BodyOf(const SyntheticRecord& record) {
  const json fields = json::parse(record.payload);
  return fields.contains("body") ? fields["body"] : fields["description"];
}

FilterOptions DemoOptions() {
  FilterOptions options;
  options.record.exclude = kSampleFieldsExcluded;
  options.match.distance_max = 3;
  return options;
}

/// Verdicts of a filter over the whole sample.
std::vector<Verdict> Decide(const FilterOptions& options) {
  auto filter = Filter::New(options);
  EXPECT_TRUE(filter.ok());
  Fingerprinter fingerprinter(options);
  std::vector<Verdict> verdicts;
  for (size_t i = 0; i < Sample().size(); ++i) {
    const SyntheticRecord& record = Sample()[i];
    verdicts.push_back((*filter)->Decide(fingerprinter.Compute(
        {{0, static_cast<int64_t>(i)}, record.timestamp_ms, record.payload})));
    (*filter)->Commit();
  }
  return verdicts;
}

TEST(SyntheticStream, EqualOptionsGiveEqualRecords) {
  const auto again = GenerateSampleStream({.count = 500});
  const auto other = GenerateSampleStream({.count = 500, .seed = 2});
  size_t different = 0;
  for (size_t i = 0; i < again.size(); ++i) {
    EXPECT_EQ(again[i].payload, Sample()[i].payload) << "a shorter stream is a beginning";
    EXPECT_EQ(again[i].timestamp_ms, Sample()[i].timestamp_ms);
    different += again[i].payload != other[i].payload ? 1 : 0;
  }
  EXPECT_GT(different, 490);
}

// Golden: the stream must not depend on compiler or machine.
TEST(SyntheticStream, TheRecordsAreTheSameEverywhere) {
  uint64_t hash = 14695981039346656037u;  // FNV-1a over all payloads
  for (const SyntheticRecord& record : Sample()) {
    for (const char c : record.payload) {
      hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
    }
  }
  EXPECT_EQ(hash, 5220751963554282811u);
}

TEST(SyntheticStream, HasAsManyRecordsCopiesAndFaultsAsPromised) {
  std::map<SyntheticKind, size_t> count;
  for (const SyntheticRecord& record : Sample()) ++count[record.kind];
  EXPECT_EQ(Sample().size(), 20'000);
  EXPECT_EQ(count.size(), static_cast<size_t>(kSampleKindCount));
  size_t copies = 0;
  for (const auto& [kind, n] : count) {
    EXPECT_GT(n, 30) << Name(kind);
    if (kind != SyntheticKind::kUnique && kind != SyntheticKind::kMalformed) copies += n;
  }
  EXPECT_NEAR(static_cast<double>(copies) / 20'000, 0.25, 0.01);
  EXPECT_NEAR(static_cast<double>(count[SyntheticKind::kMalformed]) / 20'000, 0.003, 0.001);
}

TEST(SyntheticStream, KeysDifferAndTimeNeverGoesBack) {
  std::set<std::string> keys;
  int64_t last_ms = 0;
  for (const SyntheticRecord& record : Sample()) {
    EXPECT_TRUE(keys.insert(record.key).second) << record.key;
    EXPECT_GE(record.timestamp_ms, last_ms);
    last_ms = record.timestamp_ms;
  }
  EXPECT_LT(last_ms - Sample()[0].timestamp_ms, WindowOptions().window_ms);
}

TEST(SyntheticStream, CopiesPointToAnEarlierUniqueRecordAndOthersToNone) {
  for (size_t i = 0; i < Sample().size(); ++i) {
    const SyntheticRecord& record = Sample()[i];
    const bool copy =
        record.kind != SyntheticKind::kUnique && record.kind != SyntheticKind::kMalformed;
    ASSERT_EQ(record.original.has_value(), copy) << i;
    if (!copy) continue;
    ASSERT_LT(*record.original, i);
    EXPECT_EQ(Sample()[*record.original].kind, SyntheticKind::kUnique);
  }
}

TEST(SyntheticStream, EachEditChangesWhatItsNameSays) {
  for (const SyntheticRecord& record : Sample()) {
    if (!record.original) continue;
    const SyntheticRecord& original = Sample()[*record.original];
    json copy = json::parse(record.payload);
    json source = json::parse(original.payload);
    EXPECT_EQ(copy["id"], record.key);
    EXPECT_NE(copy["id"], source["id"]);
    for (const std::string& field : kSampleFieldsExcluded) {
      copy.erase(field);
      source.erase(field);
    }
    const std::string body = BodyOf(record);
    const std::string before = BodyOf(original);
    EXPECT_EQ(copy == source, record.kind == SyntheticKind::kExactCopy) << record.payload;
    switch (record.kind) {
      case SyntheticKind::kReordered:
        EXPECT_EQ(body.size(), before.size());
        break;
      case SyntheticKind::kWordInserted:
        EXPECT_GT(body.size(), before.size());
        break;
      case SyntheticKind::kSentenceDropped:
        EXPECT_LT(body.size(), before.size());
        break;
      case SyntheticKind::kFieldChanged:
        EXPECT_EQ(body, before);
        break;
      default:
        break;
    }
  }
}

TEST(SyntheticStream, NoPatternIsLeftUnfilled) {
  const std::string slots = "NAVPLOD";
  for (size_t i = 0; i < 2000; ++i) {
    const SyntheticRecord& record = Sample()[i];
    if (record.kind != SyntheticKind::kUnique) continue;
    const std::string body = BodyOf(record);
    for (size_t at = 2; at + 1 < body.size(); ++at) {
      // The article "A" may begin a sentence.
      const bool alone = body[at - 2] != '.' && body[at - 1] == ' ' && body[at + 1] == ' ';
      EXPECT_FALSE(alone && slots.find(body[at]) != std::string::npos) << body;
    }
  }
}

// The demo's figures: what does not depend on the distance is found completely, nothing unrelated
// is called a duplicate, most small edits are found, and every malformed record is a dead letter.
TEST(SyntheticStream, TheFilterFindsEqualCopiesAndNothingUnrelated) {
  const std::vector<Verdict> verdicts = Decide(DemoOptions());
  std::array<size_t, kSampleKindCount> records{};
  std::array<size_t, kSampleKindCount> duplicates{};
  size_t false_matches = 0;
  for (size_t i = 0; i < Sample().size(); ++i) {
    const SyntheticRecord& record = Sample()[i];
    const Verdict& verdict = verdicts[i];
    EXPECT_EQ(verdict.decision == Decision::kDeadLetter, record.kind == SyntheticKind::kMalformed)
        << record.payload << " " << verdict.outcome.error;
    ++records[static_cast<size_t>(record.kind)];
    if (verdict.decision != Decision::kDuplicate) continue;
    ++duplicates[static_cast<size_t>(record.kind)];
    const SyntheticRecord& match = Sample()[static_cast<size_t>(verdict.match.original.offset)];
    // A copy that was not found counts as a record of its own, and its copies may match it.
    const size_t found =
        match.original.value_or(static_cast<size_t>(verdict.match.original.offset));
    false_matches += found == record.original.value_or(Sample().size()) ? 0 : 1;
  }
  EXPECT_EQ(false_matches, 0);
  for (const SyntheticKind kind :
       {SyntheticKind::kExactCopy, SyntheticKind::kFormatChanged, SyntheticKind::kReordered}) {
    EXPECT_EQ(duplicates[static_cast<size_t>(kind)], records[static_cast<size_t>(kind)])
        << Name(kind);
  }
  for (const SyntheticKind kind : {SyntheticKind::kWordsReplaced, SyntheticKind::kWordInserted}) {
    EXPECT_GT(2 * duplicates[static_cast<size_t>(kind)], records[static_cast<size_t>(kind)])
        << Name(kind);
  }
}

}  // namespace
}  // namespace neardup
