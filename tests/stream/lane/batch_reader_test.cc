// Batches come in the order of the source, whichever thread reads them.
#include "stream/lane/batch_reader.h"

#include <gtest/gtest.h>

#include <new>
#include <string>
#include <thread>
#include <vector>

namespace neardup {
namespace {

/// Hands out the records {"text":"record 0"}, {"text":"record 1"}, ... of one input.
class CountingSource : public Source {
 public:
  explicit CountingSource(bool beside) : beside_(beside) {}

  Result<FoundInputs> Find() override { return FoundInputs(); }
  Result<OffsetBounds> Bounds(const InputPartition&) override { return OffsetBounds(); }
  Result<void> Assign(std::span<const InputAssignment> inputs) override {
    next_ = inputs.front().next_offset;
    return {};
  }
  Result<void> Poll(size_t records_max, int, std::vector<Message>& out) override {
    polled_in = std::this_thread::get_id();
    if (throws) throw std::bad_alloc();
    if (next_ == fails_at) return Retriable(ErrorCode::kUnavailable, "the broker is away");
    const int64_t to = hides ? next_ : std::min(next_ + static_cast<int64_t>(records_max), end);
    for (; next_ < to; ++next_) {
      auto text = std::make_shared<const std::string>(R"({"text":"record )" +
                                                      std::to_string(next_) + R"("})");
      Message& message = out.emplace_back();
      message.position = {0, next_};
      message.timestamp_ms = 1000 + next_;
      message.value = *text;
      message.owner = std::move(text);
    }
    return {};
  }
  std::vector<InputStatus> Status() override {
    return {{.input = 0, .next_offset = next_, .at_end = next_ == end}};
  }
  bool exhausted() const override { return next_ == end; }
  bool polls_beside() const override { return beside_; }

  int64_t fails_at = -1;
  bool throws = false;
  int64_t end = 1000;
  bool hides = false;  ///< what there is, for a while
  std::thread::id polled_in;

 private:
  bool beside_;
  int64_t next_ = 0;
};

class BatchReaderTest : public testing::TestWithParam<bool> {
 protected:
  /// Waits until the batch that has begun is read.
  void AwaitBatch() {
    do {
      reader_.Collect(10);
    } while (reader_.is_reading());
  }

  CountingSource source_{GetParam()};
  FilterOptions options_;
  FingerprintPool pool_{options_, 2};
  BatchReader reader_{source_, pool_};
  Batch batch_;
};

INSTANTIATE_TEST_SUITE_P(InItsOwnThreadOrNot, BatchReaderTest, testing::Bool(),
                         [](const auto& each) { return each.param ? "Beside" : "Inline"; });

TEST_P(BatchReaderTest, EveryRecordComesOnceInOrderWithItsFingerprint) {
  Fingerprinter one(options_);
  int64_t next = 0;
  do {
    if (!reader_.has_begun()) reader_.Begin(130, 0);
    ASSERT_TRUE(reader_.Take(batch_).ok());
    EXPECT_EQ(source_.polled_in != std::this_thread::get_id(), GetParam());
    const int64_t end = next + static_cast<int64_t>(batch_.messages.size());
    ASSERT_EQ(batch_.inputs.size(), 1U);
    EXPECT_EQ(batch_.inputs[0].next_offset, end);
    // The next batch is read while this one is used.
    if (!batch_.exhausted) reader_.Begin(130, 0);
    for (size_t i = 0; next < end; ++i, ++next) {
      const Message& message = batch_.messages[i];
      ASSERT_EQ(message.position.offset, next);
      const FingerprintedRecord expected =
          one.Compute({message.position, message.timestamp_ms, message.value});
      EXPECT_EQ(batch_.records[i].fingerprint, expected.fingerprint);
      EXPECT_EQ(batch_.records[i].position, message.position);
    }
  } while (!batch_.exhausted);
  EXPECT_EQ(next, 1000);
  EXPECT_FALSE(reader_.has_begun());
}

TEST_P(BatchReaderTest, AnErrorComesBehindTheRecordsBeforeIt) {
  source_.fails_at = 20;
  reader_.Begin(20, 0);
  ASSERT_TRUE(reader_.Take(batch_).ok());
  EXPECT_EQ(batch_.messages.size(), 20U);
  reader_.Begin(20, 0);
  AwaitBatch();
  EXPECT_FALSE(reader_.CanBegin());
  EXPECT_TRUE(reader_.has_begun());
  const Result<void> taken = reader_.Take(batch_);
  ASSERT_FALSE(taken.ok());
  EXPECT_EQ(taken.error().code, ErrorCode::kUnavailable);
  EXPECT_TRUE(batch_.messages.empty());
  EXPECT_FALSE(reader_.has_begun());
}

TEST_P(BatchReaderTest, WhatIsDiscardedComesAgainAfterAnAssignment) {
  reader_.Begin(50, 0);
  reader_.Discard();
  EXPECT_FALSE(reader_.has_begun());
  const std::vector<InputAssignment> inputs = {{0, {"topic", 0}, 0}};
  ASSERT_TRUE(source_.Assign(inputs).ok());
  reader_.Begin(50, 0);
  ASSERT_TRUE(reader_.Take(batch_).ok());
  ASSERT_EQ(batch_.messages.size(), 50U);
  EXPECT_EQ(batch_.messages[0].position.offset, 0);
}

TEST_P(BatchReaderTest, ReadsSeveralBatchesAheadUpToABound) {
  size_t batches = 0;
  for (int tries = 0; tries < 1000; ++tries) {
    if (reader_.CanBegin()) {
      reader_.Begin(10, 0);
      ++batches;
    }
    reader_.Collect(1);
  }
  EXPECT_EQ(batches, kBatchesAheadMax);
  EXPECT_EQ(reader_.records_ahead(), 10 * kBatchesAheadMax);
  for (int64_t next = 0; reader_.has_begun();) {
    ASSERT_TRUE(reader_.Take(batch_).ok());
    ASSERT_EQ(batch_.messages.size(), 10U);
    for (const Message& message : batch_.messages) EXPECT_EQ(message.position.offset, next++);
    EXPECT_EQ(batch_.inputs[0].next_offset, next);
  }
  EXPECT_EQ(reader_.records_ahead(), 0U);
  EXPECT_TRUE(reader_.CanBegin());
}

TEST_P(BatchReaderTest, AnErrorWaitsBehindTheBatchesThatWereReadBefore) {
  source_.fails_at = 20;
  while (!reader_.has_begun() || reader_.CanBegin()) {
    if (reader_.CanBegin()) reader_.Begin(10, 0);
    AwaitBatch();
  }
  for (int batch = 0; batch < 2; ++batch) {
    ASSERT_TRUE(reader_.Take(batch_).ok());
    EXPECT_EQ(batch_.messages.size(), 10U);
  }
  EXPECT_FALSE(reader_.CanBegin());
  EXPECT_FALSE(reader_.Take(batch_).ok());
  EXPECT_FALSE(reader_.has_begun());
  EXPECT_TRUE(reader_.CanBegin());
}

// The service then says that memory is short, and ends in order.
TEST_P(BatchReaderTest, AnExceptionReachesTheThreadOfTheOwner) {
  source_.throws = true;
  EXPECT_THROW(
      {
        reader_.Begin(10, 0);
        static_cast<void>(reader_.Take(batch_));
      },
      std::bad_alloc);
  EXPECT_FALSE(reader_.has_begun());
}

TEST_P(BatchReaderTest, ABatchThatBroughtNothingIsForgotten) {
  source_.end = 2000;
  const std::vector<InputAssignment> inputs = {{0, {"topic", 0}, 1000}};
  ASSERT_TRUE(source_.Assign(inputs).ok());
  source_.hides = true;
  reader_.Begin(50, 0);
  AwaitBatch();
  EXPECT_FALSE(reader_.has_begun());
  source_.hides = false;
  reader_.Begin(50, 0);
  ASSERT_TRUE(reader_.Take(batch_).ok());
  EXPECT_EQ(batch_.messages.size(), 50U);
}

TEST_P(BatchReaderTest, TheEndOfTheSourceIsNotForgotten) {
  const std::vector<InputAssignment> inputs = {{0, {"topic", 0}, 1000}};
  ASSERT_TRUE(source_.Assign(inputs).ok());
  reader_.Begin(50, 0);
  AwaitBatch();
  EXPECT_FALSE(reader_.CanBegin());
  ASSERT_TRUE(reader_.Take(batch_).ok());
  EXPECT_TRUE(batch_.exhausted);
}

}  // namespace
}  // namespace neardup
