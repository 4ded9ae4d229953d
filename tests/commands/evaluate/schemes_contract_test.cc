// Holds every scheme, with its default parameters, against the contract of Scheme. The records are
// of several scripts and lengths, with edited copies; all pairs are compared.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <ostream>
#include <random>
#include <set>

#include "commands/evaluate/scheme.h"
#include "commands/evaluate/scheme_record.h"
#include "commands/evaluate/schemes.h"

namespace neardup {

void PrintTo(const SchemeRow& row, std::ostream* out) { *out << row.name; }

namespace {

constexpr uint32_t kSeed = 20260203;

class RecordSource {
 public:
  std::vector<std::string> Fresh() {
    const bool chinese = random_() % 2 == 0;
    std::vector<std::string> fields;
    for (uint64_t count = 1 + random_() % 4; count > 0; --count) {
      std::string text;
      for (uint64_t words = random_() % 60; words > 0; --words) {
        text += chinese ? HanWord() : LatinWord();
        if (random_() % 8 == 0) text += chinese ? "。" : ". ";
        if (random_() % 30 == 0) text += '\n';
      }
      fields.push_back(text);
    }
    return fields;
  }
  /// Appends a few words to one field, or replaces one field.
  std::vector<std::string> Edited(std::vector<std::string> fields) {
    std::string& field = fields[random_() % fields.size()];
    if (random_() % 4 == 0) {
      field = "replaced " + LatinWord();
    } else {
      for (uint64_t edits = random_() % 4; edits > 0; --edits) field += LatinWord() + HanWord();
    }
    return fields;
  }

 private:
  std::string LatinWord() {
    static constexpr const char* kWords[] = {"the ", "of ",     "fox ",   "river ",    "stone ",
                                             "3.5 ", "quick, ", "brown ", "<b>a</b> ", "&amp; "};
    if (random_() % 3 == 0) return "w" + std::to_string(random_() % 300) + " ";
    return kWords[random_() % std::size(kWords)];
  }
  std::string HanWord() {
    const auto code_point = static_cast<char32_t>(0x4E00 + random_() % 200);
    return {static_cast<char>(0xE0 | code_point >> 12),
            static_cast<char>(0x80 | (code_point >> 6 & 0x3F)),
            static_cast<char>(0x80 | (code_point & 0x3F))};
  }

  std::mt19937_64 random_{kSeed};
};

/// Also makes records with nothing in them.
std::deque<SchemeRecord> MakeRecords() {
  using Fields = std::vector<std::string>;
  RecordSource source;
  std::deque<SchemeRecord> records(1);
  for (const Fields& fields : {Fields{""}, Fields{"", "", ""}, Fields{"?! ..."}}) {
    records.emplace_back(fields);
  }
  for (int i = 0; i < 60; ++i) {
    const auto fields = source.Fresh();
    records.emplace_back(fields);
    records.emplace_back(fields);
    records.emplace_back(source.Edited(fields));
    records.emplace_back(source.Edited(source.Edited(fields)));
  }
  return records;
}

class SchemeContract : public testing::TestWithParam<SchemeRow> {
 protected:
  SchemeContract() : records_(MakeRecords()) {
    auto frequencies = std::make_shared<DocumentFrequencies>();
    for (size_t i = 0; i < 100; ++i) frequencies->Add(DistinctTokens(records_[i].texts()));
    auto scheme = NewScheme(GetParam().name, {.values = {}, .frequencies = frequencies});
    EXPECT_TRUE(scheme.ok());
    scheme_ = std::move(*scheme);
    for (const SchemeRecord& record : records_) {
      sketches_.emplace_back();
      scheme_->Compute(record.texts(), sketches_.back());
    }
  }

  std::deque<SchemeRecord> records_;
  std::unique_ptr<Scheme> scheme_;
  std::vector<Sketch> sketches_;
};

bool ShareAKey(const Sketch& a, const Sketch& b) {
  return std::find_first_of(a.keys.begin(), a.keys.end(), b.keys.begin(), b.keys.end()) !=
         a.keys.end();
}

TEST_P(SchemeContract, EqualRecordsHaveEqualSketches) {
  Sketch used = sketches_.back();
  for (size_t i = 0; i < records_.size(); ++i) {
    scheme_->Compute(records_[i].texts(), used);
    ASSERT_EQ(used, sketches_[i]) << "seed " << kSeed << " record " << i;
  }
}

TEST_P(SchemeContract, KeysAreDistinct) {
  for (const Sketch& sketch : sketches_) {
    const std::set<uint64_t> distinct(sketch.keys.begin(), sketch.keys.end());
    ASSERT_EQ(distinct.size(), sketch.keys.size()) << "seed " << kSeed;
  }
}

TEST_P(SchemeContract, ARecordIsAtDistanceZeroFromItself) {
  for (size_t i = 0; i < sketches_.size(); ++i) {
    const Sketch& sketch = sketches_[i];
    ASSERT_EQ(scheme_->Distance(sketch.words, sketch.words), 0)
        << "seed " << kSeed << " record " << i;
    ASSERT_TRUE(scheme_->scans_all() || !sketch.keys.empty()) << "record " << i;
  }
}

TEST_P(SchemeContract, ARecordWithNothingInItIsNoCopyOfAnother) {
  for (size_t i = 4; i < sketches_.size(); ++i) {
    if (DistinctTokens(records_[i].texts()).empty()) continue;
    ASSERT_EQ(scheme_->Distance(sketches_[0].words, sketches_[i].words), std::nullopt)
        << "seed " << kSeed << " record " << i;
  }
}

TEST_P(SchemeContract, MatchesShareAKeyAndDistanceIsSymmetric) {
  size_t near = 0;
  for (size_t i = 0; i < sketches_.size(); ++i) {
    for (size_t j = i + 1; j < sketches_.size(); ++j) {
      const auto distance = scheme_->Distance(sketches_[i].words, sketches_[j].words);
      ASSERT_EQ(distance, scheme_->Distance(sketches_[j].words, sketches_[i].words))
          << "seed " << kSeed << " records " << i << " and " << j;
      if (!distance) continue;
      near += *distance > 0;
      const bool met = scheme_->scans_all() || ShareAKey(sketches_[i], sketches_[j]);
      ASSERT_TRUE(met || !GetParam().finds_all)
          << "seed " << kSeed << " records " << i << " and " << j << " at " << *distance;
    }
  }
  const std::set<std::string_view> knows_equals_only = {"md5", "i-match", "idf-string"};
  EXPECT_EQ(near == 0, knows_equals_only.contains(GetParam().name));
}

std::string TestName(const testing::TestParamInfo<SchemeRow>& info) {
  std::string name(info.param.name);
  std::erase(name, '-');
  return name;
}

INSTANTIATE_TEST_SUITE_P(EveryScheme, SchemeContract, testing::ValuesIn(SchemeRows()), TestName);

}  // namespace
}  // namespace neardup
