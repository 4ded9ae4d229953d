// Compares the filter, under every comparison scheme that a stream can use, with one that scans a
// vector of all entries.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <optional>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "filter/match_scheme.h"
#include "neardup/filter.h"

namespace neardup {

void PrintTo(const SchemeRow& row, std::ostream* out) { *out << row.name; }

namespace {

using testing::HasSubstr;

constexpr uint64_t kSeed = 20261121;

std::vector<SchemeRow> StreamingRows() {
  std::vector<SchemeRow> rows;
  for (const SchemeRow& row : SchemeRows()) {
    if (row.frequencies != FrequencyUse::kNeeded) rows.push_back(row);
  }
  return rows;
}

FilterOptions SchemeOptionsFor(std::string_view name) {
  FilterOptions options;
  options.record.fields = {{"title", 1.0}, {"body", 1.0}, {"place", 1.0}};
  options.scheme.name = name;
  options.window = {
      .window_ms = 4000, .lateness_ms = 500, .ahead_max_ms = 1000, .entries_max = 1000};
  return options;
}

/// Records of three fields: families of edited copies, exact copies, and empty records. Their times
/// rise overall but are not in order.
class PayloadSource {
 public:
  std::string Next() {
    if (random_() % 50 == 0) return R"({"title":"","body":"?!","place":""})";
    if (random_() % 60 == 0) return "{broken";
    const uint64_t family = random_() % 60;
    const uint64_t edits = random_() % 4;
    std::string body;
    for (uint64_t word = 0; word < 60; ++word) {
      const bool edited = random_() % 60 < edits;
      body += Word(family * 100 + word + (edited ? 7000 + random_() % 5 : 0));
      body += word % 9 == 8 ? "。 " : " ";
    }
    const std::string title = random_() % 5 == 0 ? "other " : "";
    // Changes the case of a letter: equal after normalisation, but not byte by byte.
    const char* const place = random_() % 2 == 0 ? "Rome" : "rome";
    return R"({"title":")" + title + "Title " + std::to_string(family) + R"(","body":")" + body +
           R"(","place":")" + place + R"("})";
  }
  int64_t NextTime() {
    time_ms_ += static_cast<int64_t>(random_() % 20);
    return time_ms_ - static_cast<int64_t>(random_() % 300);
  }
  uint64_t Dice(uint64_t sides) { return random_() % sides; }

 private:
  /// Latin and Han text, because some schemes read only one of them.
  static std::string Word(uint64_t number) {
    const auto code_point = static_cast<char32_t>(0x4E00 + number * 7 % 5000);
    return "w" + std::to_string(number) + static_cast<char>(0xE0 | code_point >> 12) +
           static_cast<char>(0x80 | (code_point >> 6 & 0x3F)) +
           static_cast<char>(0x80 | (code_point & 0x3F));
  }

  std::mt19937_64 random_{kSeed};
  int64_t time_ms_ = 1'700'000'000'000;
};

bool ShareAKey(const Sketch& a, const Sketch& b) {
  return std::find_first_of(a.keys.begin(), a.keys.end(), b.keys.begin(), b.keys.end()) !=
         a.keys.end();
}

/// The reference, for one input. For a scheme that does not promise to find every match, it
/// compares only records that share a key, as the filter does.
class ScannedFilter {
 public:
  ScannedFilter(const FilterOptions& options, const ChosenScheme& chosen)
      : options_(options), chosen_(chosen) {}

  Verdict Decide(const FingerprintedRecord& record) {
    Verdict verdict;
    if (record.outcome.reason != Reason::kNone) {
      verdict.decision = Decision::kDeadLetter;
      return verdict;
    }
    now_.time_max_ms = std::max(now_.time_max_ms, record.outcome.time_ms);
    const FingerprintedRecord* best = nullptr;
    for (const FingerprintedRecord& entry : now_.entries) {
      const std::optional<int> distance = Distance(entry, record);
      if (!distance || (best != nullptr && *distance >= verdict.match.distance)) continue;
      best = &entry;
      verdict.match.distance = *distance;
    }
    if (best == nullptr) {
      now_.entries.push_back(record);
      return verdict;
    }
    verdict.decision = Decision::kDuplicate;
    verdict.match.original = best->position;
    verdict.match.kind =
        best->fingerprint.exact == record.fingerprint.exact ? MatchKind::kExact : MatchKind::kNear;
    return verdict;
  }

  void Commit() {
    now_.horizon_ms = std::max(now_.horizon_ms, now_.time_max_ms - options_.window.window_ms -
                                                    options_.window.lateness_ms);
    std::vector<FingerprintedRecord>& entries = now_.entries;
    while (!entries.empty() && entries.front().outcome.time_ms < now_.horizon_ms) {
      entries.erase(entries.begin());
    }
    committed_ = now_;
  }
  void Rollback() { now_ = committed_; }
  size_t size() const { return now_.entries.size(); }

 private:
  struct State {
    std::vector<FingerprintedRecord> entries;
    int64_t time_max_ms = 0;
    int64_t horizon_ms = INT64_MIN;
  };

  std::optional<int> Distance(const FingerprintedRecord& entry,
                              const FingerprintedRecord& record) const {
    if (std::abs(entry.outcome.time_ms - record.outcome.time_ms) > options_.window.window_ms)
      return {};
    if (entry.position == record.position) return {};
    if (!chosen_.row->finds_all && !ShareAKey(*entry.sketch, *record.sketch)) return {};
    return chosen_.scheme->Distance(entry.sketch->words, record.sketch->words);
  }

  FilterOptions options_;
  ChosenScheme chosen_;
  State now_;
  State committed_;
};

class SchemeFilter : public testing::TestWithParam<SchemeRow> {};

void ExpectSame(const Verdict& a, const Verdict& b) {
  ASSERT_EQ(a.decision, b.decision);
  if (a.decision != Decision::kDuplicate) return;
  ASSERT_EQ(a.match.original, b.match.original);
  ASSERT_EQ(a.match.distance, b.match.distance);
  ASSERT_EQ(a.match.kind, b.match.kind);
}

TEST_P(SchemeFilter, DecidesAsAFullScanDoesAndIsRestoredFromItsLog) {
  const FilterOptions options = SchemeOptionsFor(GetParam().name);
  auto filter = Filter::New(options);
  auto chosen = ChooseScheme(options.scheme);
  ASSERT_TRUE(filter.ok() && chosen.ok());
  Fingerprinter fingerprinter(options);
  ScannedFilter model(options, *chosen);
  PayloadSource payloads;
  std::vector<Entry> log;
  size_t duplicates = 0;
  uint64_t kinds = 0;
  for (int64_t step = 0; step < 1500; ++step) {
    SCOPED_TRACE("seed " + std::to_string(kSeed) + " step " + std::to_string(step));
    const int64_t offset = payloads.Dice(50) == 0 ? std::max<int64_t>(0, step - 1) : step;
    const int64_t time_ms = payloads.NextTime();
    const FingerprintedRecord record =
        fingerprinter.Compute({{0, offset}, time_ms, payloads.Next()});
    const Verdict verdict = (*filter)->Decide(record);
    ExpectSame(verdict, model.Decide(record));
    if (HasFatalFailure()) return;
    if (verdict.decision == Decision::kDuplicate) {
      ++duplicates;
      kinds |= verdict.match.kind == MatchKind::kExact ? 1 : 2;
    }
    const uint64_t dice = payloads.Dice(100);
    if (dice < 4 || step == 1499) {
      log.insert(log.end(), (*filter)->uncommitted().begin(), (*filter)->uncommitted().end());
      (*filter)->Commit();
      model.Commit();
    } else if (dice == 4) {
      (*filter)->Rollback();
      model.Rollback();
    }
    ASSERT_EQ((*filter)->entries(), model.size());
  }
  EXPECT_GT(duplicates, 20U);
  EXPECT_EQ(kinds & 1, 1U) << "no exact duplicate";
  EXPECT_GT((*filter)->entries_expired(), 20U);

  auto restored = Filter::New(options);
  ASSERT_TRUE(restored.ok());
  (*restored)->Restore(log);
  (*restored)->RestoreTime(0, (*filter)->time_ms(0));
  (*restored)->RestoreHorizon((*filter)->horizon_ms());
  ASSERT_EQ((*restored)->entries(), (*filter)->entries());
  for (int64_t offset = 2000; offset < 2200; ++offset) {
    const int64_t time_ms = payloads.NextTime();
    const FingerprintedRecord record =
        fingerprinter.Compute({{0, offset}, time_ms, payloads.Next()});
    ExpectSame((*restored)->Decide(record), (*filter)->Decide(record));
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(EveryStreamingScheme, SchemeFilter, testing::ValuesIn(StreamingRows()));

TEST(SchemeFilter, RecordsHaveTheExactHashAndASketchOnly) {
  const FilterOptions options = SchemeOptionsFor("segments");
  FilterOptions own = options;
  own.scheme = {};
  const char* const payload = R"({"title":"One two.","body":"Three four five. One."})";
  const auto record = Fingerprinter(options).Compute({{0, 1}, 5, payload});
  EXPECT_EQ(record.fingerprint.exact,
            Fingerprinter(own).Compute({{0, 1}, 5, payload}).fingerprint.exact);
  EXPECT_EQ(record.fingerprint.simhash, 0U);
  EXPECT_EQ(record.fingerprint.order, 0U);
  EXPECT_TRUE(record.text_keys.keys().empty());
  EXPECT_EQ(record.features, 6U);
  EXPECT_EQ(record.sketch->words.size(), 3U);
  EXPECT_EQ(record.position, (Position{0, 1}));
  EXPECT_TRUE(Fingerprinter(own).Compute({{0, 1}, 5, payload}).sketch->words.empty());
}

TEST(SchemeFilter, ATooLargeSketchMakesADeadLetter) {
  const FilterOptions options = SchemeOptionsFor("shingles");
  std::mt19937_64 random(kSeed);
  std::string text;
  while (text.size() < 60'000) text += static_cast<char>('a' + random() % 26);
  auto filter = Filter::New(options);
  ASSERT_TRUE(filter.ok());
  Fingerprinter fingerprinter(options);
  const auto large = fingerprinter.Compute({{0, 1}, 5, R"({"title":")" + text + R"("})"});
  EXPECT_EQ(large.outcome.reason, Reason::kTooLarge);
  EXPECT_THAT(large.outcome.error, HasSubstr("scheme shingles keeps "));
  EXPECT_THAT(large.outcome.error, HasSubstr("at most 524288"));
  EXPECT_EQ((*filter)->Decide(large).decision, Decision::kDeadLetter);
  const auto small =
      fingerprinter.Compute({{0, 2}, 5, R"({"title":")" + text.substr(0, 30'000) + R"("})"});
  EXPECT_EQ((*filter)->Decide(small).decision, Decision::kUnique);
  EXPECT_LE(small.sketch->bytes(), kSketchBytesMax);
}

TEST(SchemeFilter, CountsItsMemoryAndHasNoBound) {
  const FilterOptions options = SchemeOptionsFor("minhash");
  EXPECT_FALSE(FilterBytesMax(options, 10).has_value());
  EXPECT_TRUE(FilterBytesMax(FilterOptions(), 10).has_value());
  auto filter = Filter::New(options);
  ASSERT_TRUE(filter.ok());
  const uint64_t before = (*filter)->bytes();
  (*filter)->Decide(Fingerprinter(options).Compute({{0, 1}, 5, R"({"title":"some words"})"}));
  const uint64_t sketch_bytes = (64 + 25) * 8;
  EXPECT_GE((*filter)->bytes(), before + 2 * sketch_bytes) << "index and uncommitted";
  (*filter)->Commit();
  EXPECT_GE((*filter)->bytes(), before + sketch_bytes);
}

std::string Complaint(const std::string& name, const std::map<std::string, double>& values) {
  FilterOptions options;
  options.scheme = {name, values};
  const auto checked = CheckOptions(options);
  return checked.ok() ? "" : checked.error().text;
}

TEST(SchemeOptions, ErrorsNameWhatCannotBeUsed) {
  for (const SchemeRow& row : StreamingRows()) EXPECT_EQ(Complaint(std::string(row.name), {}), "");
  EXPECT_EQ(Complaint("minhash", {{"similarity_min", 0.8}}), "");
  EXPECT_THAT(Complaint("minhush", {}),
              HasSubstr("match.scheme: unknown scheme 'minhush', expected one of "));
  EXPECT_EQ(Complaint("i-match", {}),
            "match.scheme: i-match needs document frequencies of a sample; it is offered by "
            "`neardup evaluate` only");
  EXPECT_EQ(Complaint("minhash", {{"similarity", 0.8}}),
            "match.scheme_options: scheme minhash has no parameter 'similarity'; it takes "
            "shingle_length, similarity_min");
  EXPECT_EQ(Complaint("minhash", {{"similarity_min", 2}}),
            "match.scheme_options: scheme minhash: similarity_min is 2, expected a number from "
            "0.01 to 1");
  EXPECT_EQ(Complaint("neardup", {{"distance_max", 2}}),
            "match.scheme_options: found distance_max, expected none: scheme neardup is set by the "
            "other match settings");
}

TEST(SchemeOptions, RefuseKeyFieldsAndFreeFields) {
  for (const auto member : {&FieldSelector::key, &FieldSelector::free}) {
    FilterOptions options = SchemeOptionsFor("segments");
    ASSERT_TRUE(CheckOptions(options).ok());
    options.record.fields[1].*member = true;
    const auto checked = CheckOptions(options);
    ASSERT_FALSE(checked.ok());
    EXPECT_EQ(checked.error().text,
              "match.scheme is segments, which does not support key fields; remove key and free "
              "from record.fields");
  }
}

TEST(SchemeOptions, ChangeTheFingerprintSpecAsDoesTheOrderOfFields) {
  const auto spec = [](const std::function<void(FilterOptions&)>& change) {
    FilterOptions options = SchemeOptionsFor("multi-md5");
    change(options);
    return FingerprintSpec(options);
  };
  const std::string base = spec([](auto&) {});
  EXPECT_THAT(base, HasSubstr(R"("scheme":"multi-md5 first_fields=3 first_equal=1 )"));
  EXPECT_NE(base, spec([](auto& o) { o.scheme.name = "md5-then-multi"; }));
  EXPECT_NE(base, spec([](auto& o) { o.scheme.values["first_equal"] = 2; }));
  EXPECT_NE(base, spec([](auto& o) { std::swap(o.record.fields[0], o.record.fields[1]); }));
  EXPECT_EQ(base, spec([](auto& o) { o.scheme.values["first_equal"] = 1; }));
  EXPECT_EQ(base, spec([](auto& o) { o.feature.features_min = 7; }));
  EXPECT_THAT(FingerprintSpec(FilterOptions()), testing::Not(HasSubstr("scheme")));
}

}  // namespace
}  // namespace neardup
