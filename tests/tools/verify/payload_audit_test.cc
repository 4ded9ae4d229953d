// The audit without headers: a correct copy of the inputs passes, and a copy with a single fault
// does not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "verify/audit_world.h"
#include "verify/payload.h"

namespace neardup {
namespace {

using testing::HasSubstr;

struct Output {
  InputPartition place;
  StoredRecord record;
  Decision decision = Decision::kUnique;
};

/// Two partitions of one topic; record 4 of each is equal to record 3.
class PayloadAuditTest : public testing::Test {
 protected:
  PayloadAuditTest() {
    for (int32_t partition = 0; partition < 2; ++partition) {
      for (int64_t offset = 0; offset < 10; ++offset) {
        StoredRecord record;
        record.offset = offset;
        const int64_t content = offset == 4 ? 3 : offset;
        record.timestamp_ms = content;
        record.key = "key";
        record.value = std::to_string(content);
        record.headers = {{"trace", "1"}, {"null", std::nullopt}};
        inputs_.push_back({{"in", partition}, record});
        outputs_.push_back({{"out", partition}, record});
      }
    }
    outputs_[0].record.timestamp_ms = 1;  // the input has 0, which cannot be sent
  }

  AuditReport Audited() {
    PayloadAudit audit;
    if (deleted_) audit.AddDeleted(0);
    for (const Output& input : inputs_) {
      audit.AddInput(input.place, input.record.message(0), input.record.offset < end_);
    }
    for (const Output& output : outputs_) {
      audit.AddOutput(output.place, output.record.message(0), RouteOf(output.decision));
    }
    return audit.Finish();
  }

  void ExpectOne(AuditCheck check, const std::string& where, const std::string& text) {
    const AuditReport report = Audited();
    EXPECT_EQ(report[check].violations, 1U) << ReportText(report);
    ASSERT_FALSE(report[check].first.empty());
    EXPECT_EQ(report[check].first[0].where, where);
    EXPECT_THAT(report[check].first[0].text, HasSubstr(text));
  }

  Output ByReference() {
    Output output{{"dead", 1}, {}, Decision::kDeadLetter};
    output.record.timestamp_ms = 77;
    return output;
  }

  std::vector<Output> inputs_;
  std::vector<Output> outputs_;
  int64_t end_ = INT64_MAX;
  bool deleted_ = false;
};

TEST_F(PayloadAuditTest, EveryInputInOneOutputPasses) {
  const AuditReport report = Audited();
  EXPECT_TRUE(report.ok()) << ReportText(report);
  EXPECT_EQ(report.inputs, 20U);
  EXPECT_EQ(report.unique, 20U);
  EXPECT_EQ(report[AuditCheck::kCoverage].looked_at, 20U);
  EXPECT_EQ(report[AuditCheck::kPayload].looked_at, 20U);
}

TEST_F(PayloadAuditTest, AMissingRecordIsNamed) {
  outputs_.erase(outputs_.begin() + 15);
  ExpectOne(AuditCheck::kCoverage, "in/1/5", "is in no output");
}

TEST_F(PayloadAuditTest, NoticesThatOneOfTwoEqualRecordsIsMissing) {
  outputs_.erase(outputs_.begin() + 4);
  ExpectOne(AuditCheck::kCoverage, "in/0/3", "is in no output");
}

TEST_F(PayloadAuditTest, AnExtraRecordIsNamedWithItsInput) {
  outputs_.push_back(outputs_[4]);
  outputs_.back().record.offset = 99;
  ExpectOne(AuditCheck::kCoverage, "out/0/99", "where it is at in/0/3");
}

TEST_F(PayloadAuditTest, EveryPartOfARecordCounts) {
  const std::vector<std::function<void(Output&)>> changes = {
      [](Output& output) { output.record.key = "kez"; },
      [](Output& output) { output.record.key.reset(); },
      [](Output& output) { output.record.value = "x"; },
      [](Output& output) { output.record.value.reset(); },
      [](Output& output) { ++output.record.timestamp_ms; },
      [](Output& output) { output.record.headers[0].second = "2"; },
      [](Output& output) { output.record.headers[1].second = ""; },
      [](Output& output) { output.record.headers.pop_back(); },
      [](Output& output) { output.place.partition = 0; },
  };
  const std::vector<Output> all = outputs_;
  for (const auto& change : changes) {
    outputs_ = all;
    change(outputs_[17]);
    const AuditReport report = Audited();
    // The input is missing, and the output is either unknown or an extra one.
    EXPECT_GE(report[AuditCheck::kCoverage].violations, 1U);
    EXPECT_EQ(report[AuditCheck::kPayload].violations + report[AuditCheck::kCoverage].violations,
              2U)
        << ReportText(report);
    if (HasFailure()) return;
  }
}

TEST_F(PayloadAuditTest, ARecordThatIsNotDemandedMayBeInTheOutputs) {
  end_ = 8;
  EXPECT_TRUE(Audited().ok());
  outputs_.erase(outputs_.begin() + 18, outputs_.end());
  EXPECT_TRUE(Audited().ok());
  outputs_.erase(outputs_.begin() + 17);
  ExpectOne(AuditCheck::kCoverage, "in/1/7", "is in no output");
}

TEST_F(PayloadAuditTest, EachDeadLetterByReferenceAccountsForOneRecord) {
  outputs_[17] = ByReference();
  EXPECT_TRUE(Audited().ok()) << ReportText(Audited());
  outputs_[16] = ByReference();
  outputs_.erase(outputs_.begin() + 15);
  ExpectOne(AuditCheck::kCoverage, "in/1/7", "2 of this partition are dead letters by reference");
}

TEST_F(PayloadAuditTest, AnExtraDeadLetterByReferenceIsFound) {
  outputs_.push_back(ByReference());
  ExpectOne(AuditCheck::kCoverage, "partition 1", "only 0 records that are in no output");
}

TEST_F(PayloadAuditTest, OutputsOfDeletedInputsAreCountedSeparately) {
  inputs_.erase(inputs_.begin(), inputs_.begin() + 2);
  deleted_ = true;
  const AuditReport report = Audited();
  EXPECT_TRUE(report.ok()) << ReportText(report);
  EXPECT_EQ(report.outputs_without_input, 2U);
}

}  // namespace
}  // namespace neardup
