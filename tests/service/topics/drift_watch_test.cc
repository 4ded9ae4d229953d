// The drift watch on batches as a lane reports them.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "learn/synthetic_streams.h"
#include "neardup/filter.h"
#include "service/metrics/hand_clock.h"
#include "service/topics/lane_learning.h"

namespace neardup {
namespace {

constexpr size_t kWindow = 500;
constexpr size_t kBatch = 70;

class DriftWatchTest : public testing::Test {
 protected:
  void Start(std::optional<StreamProfile> reference) {
    watch_ = std::make_unique<DriftWatch>(
        TextOptions(), std::move(reference), clock_,
        [this](const DriftReport& report) { reports_.push_back(report); });
  }

  /// In batches, with the time that goes by between two of them.
  void Read(const std::vector<std::string>& payloads, int64_t pause_ms) {
    Fingerprinter fingerprinter(TextOptions());
    for (size_t from = 0; from < payloads.size(); from += kBatch) {
      std::vector<Message> batch;
      std::vector<FingerprintedRecord> records;
      for (size_t i = from; i < std::min(from + kBatch, payloads.size()); ++i) {
        Message message;
        message.position = {0, offset_++};
        message.timestamp_ms = 0;
        message.value = payloads[i];
        records.push_back(
            fingerprinter.Compute({message.position, message.timestamp_ms, message.value}));
        batch.push_back(std::move(message));
      }
      watch_->Saw(event::BatchFingerprinted{batch, records});
      clock_.now_ms += pause_ms;
    }
  }

  static StreamProfile Reference() {
    return ProfileOf(ViewsOf(TextStream(1, kWindow, 100, 3)), TextOptions());
  }

  HandClock clock_;
  std::unique_ptr<DriftWatch> watch_;
  std::vector<DriftReport> reports_;
  int64_t offset_ = 0;
};

TEST_F(DriftWatchTest, FindsInTwoWindowsThatAStreamHasChangedAndThatItHasChangedBack) {
  Start(Reference());
  EXPECT_TRUE(watch_->has_reference());
  Read(TextStream(2, 3 * kWindow, 100, 3), DriftWatch::kPeriodMs);
  ASSERT_GE(reports_.size(), 2U);
  for (const DriftReport& report : reports_) EXPECT_FALSE(report.detected || report.changed);
  reports_.clear();
  Read(SeriesStream(3, 5 * kWindow), DriftWatch::kPeriodMs);
  ASSERT_GE(reports_.size(), 3U);
  EXPECT_TRUE(reports_.back().detected);
  EXPECT_EQ(std::count_if(reports_.begin(), reports_.end(),
                          [](const DriftReport& report) { return report.changed; }),
            1);
  Read(TextStream(4, 3 * kWindow, 100, 3), DriftWatch::kPeriodMs);
  EXPECT_FALSE(reports_.back().detected);
}

TEST_F(DriftWatchTest, BeginsAtMostOneWindowAMinute) {
  Start(Reference());
  Read(TextStream(2, 10 * kWindow, 100, 3), 1);
  EXPECT_EQ(reports_.size(), 1U);
  clock_.now_ms += DriftWatch::kPeriodMs;
  Read(TextStream(3, 10 * kWindow, 100, 3), 1);
  EXPECT_EQ(reports_.size(), 2U);
}

TEST_F(DriftWatchTest, TakesItsFirstWindowAsReferenceWhereThereIsNone) {
  Start(std::nullopt);
  EXPECT_FALSE(watch_->has_reference());
  Read(TextStream(2, kProfiledRecords, 100, 3), DriftWatch::kPeriodMs);
  EXPECT_TRUE(watch_->has_reference());
  ASSERT_EQ(reports_.size(), 1U);
  EXPECT_FALSE(reports_.back().detected);
  Read(SeriesStream(3, 2 * kProfiledRecords + kBatch), DriftWatch::kPeriodMs);
  ASSERT_EQ(reports_.size(), 3U);
  EXPECT_TRUE(reports_.back().detected);
}

TEST_F(DriftWatchTest, DoesNotUseAReferenceOfOtherOptions) {
  StreamProfile other = Reference();
  ++other.options;
  Start(other);
  EXPECT_FALSE(watch_->has_reference());
}

TEST_F(DriftWatchTest, DropsAWindowWhoseRecordsComeAgain) {
  Start(Reference());
  const std::vector<std::string> stream = TextStream(2, kWindow, 100, 3);
  const std::vector<std::string> half(stream.begin(), stream.begin() + kWindow / 2);
  Read(half, DriftWatch::kPeriodMs);
  watch_->Saw(event::TransactionAborted{Retriable(ErrorCode::kAborted, "")});
  Read(half, DriftWatch::kPeriodMs);
  watch_->Saw(event::LaneLost{Retriable(ErrorCode::kUnavailable, "")});
  Read(half, DriftWatch::kPeriodMs);
  EXPECT_TRUE(reports_.empty());
}

}  // namespace
}  // namespace neardup
