// Records whose schema cannot be had wait, in their order, and none is lost or handed out twice.
#include "stream/lane/encoded_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace neardup {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// One input with the records "0", "1", ...
class NumberSource : public Source {
 public:
  Result<FoundInputs> Find() override { return FoundInputs(); }
  Result<OffsetBounds> Bounds(const InputPartition&) override { return OffsetBounds{0, kEnd}; }
  Result<std::optional<uint64_t>> ChecksumAt(const InputPartition&, int64_t offset) override {
    return {static_cast<uint64_t>(offset)};
  }
  Result<void> Assign(std::span<const InputAssignment> inputs) override {
    next_ = inputs.front().next_offset;
    return {};
  }
  Result<void> Poll(size_t records_max, int, std::vector<Message>& out) override {
    for (size_t i = 0; i < records_max && next_ < kEnd; ++i, ++next_) {
      const auto text = std::make_shared<const std::string>(std::to_string(next_));
      Message& message = out.emplace_back();
      message.position = {0, next_};
      message.value = *text;
      message.owner = text;
    }
    return {};
  }
  std::vector<InputStatus> Status() override {
    return {
        {.input = 0, .next_offset = next_, .at_end = next_ == kEnd, .lag_records = kEnd - next_}};
  }
  bool exhausted() const override { return next_ == kEnd; }

  static constexpr int64_t kEnd = 10;

 private:
  int64_t next_ = 0;
};

struct TextEncodings : PayloadEncodings {
  Result<void> Find(std::span<Message> messages) override {
    ++asked;
    if (error) return *error;
    for (Message& message : messages) message.encoding = TextEncoding(100);
    return {};
  }
  std::optional<Error> error;
  int asked = 0;
};

class EncodedSourceTest : public testing::Test {
 protected:
  std::unique_ptr<EncodedSource> New(OnNoSchema on_no_schema) {
    return std::make_unique<EncodedSource>(std::make_unique<NumberSource>(), encodings_,
                                           on_no_schema);
  }
  /// Polls until a call has an error or gives records; the JSON of these.
  std::vector<std::string> Poll(Source& source, size_t records_max) {
    std::vector<Message> messages;
    const Result<void> polled = source.Poll(records_max, 2000, messages);
    error_ = polled.ok() ? "" : polled.error().text;
    std::vector<std::string> texts;
    RecordBuffer buffer;
    for (const Message& message : messages) {
      texts.emplace_back(*RecordOf(message, buffer).value);
    }
    return texts;
  }

  std::shared_ptr<TextEncodings> encodings_ = std::make_shared<TextEncodings>();
  const Error away_ = Retriable(ErrorCode::kUnavailable, "the registry is away");
  std::string error_;
};

TEST_F(EncodedSourceTest, HandsOutRecordsWithTheirEncoding) {
  const auto source = New(OnNoSchema::kFail);
  EXPECT_THAT(Poll(*source, 2), ElementsAre(R"({"text":"0"})", R"({"text":"1"})"));
  EXPECT_EQ(**source->ChecksumAt({}, 7), 7);
  EXPECT_EQ(source->Status()[0].next_offset, 2);
}

TEST_F(EncodedSourceTest, RecordsWaitForTheirSchemaAndThenComeInOrder) {
  const auto source = New(OnNoSchema::kWait);
  encodings_->error = away_;
  EXPECT_THAT(Poll(*source, 3), IsEmpty());
  EXPECT_EQ(error_, "");
  const InputStatus waiting = source->Status()[0];
  EXPECT_EQ(waiting.next_offset, 0) << "nothing was handed out";
  EXPECT_EQ(waiting.lag_records, NumberSource::kEnd);
  EXPECT_FALSE(waiting.at_end);
  EXPECT_EQ(waiting.trouble, InputTrouble::kUnreachable);
  EXPECT_EQ(waiting.trouble_text, away_.text);

  encodings_->error.reset();
  EXPECT_THAT(Poll(*source, 2), ElementsAre(R"({"text":"0"})", R"({"text":"1"})"));
  EXPECT_EQ(source->Status()[0].next_offset, 2) << "one record had no room";
  EXPECT_EQ(source->Status()[0].trouble, InputTrouble::kNone);
  EXPECT_THAT(Poll(*source, 9), ElementsAre(R"({"text":"2"})"));
  EXPECT_EQ(Poll(*source, 9).size(), 7);
  EXPECT_TRUE(source->exhausted());
  EXPECT_TRUE(source->Status()[0].at_end);
}

TEST_F(EncodedSourceTest, AsksNoMoreThanOnceASecond) {
  const auto source = New(OnNoSchema::kWait);
  encodings_->error = away_;
  std::vector<Message> messages;
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(source->Poll(3, 0, messages).ok());
  EXPECT_EQ(encodings_->asked, 1);
}

TEST_F(EncodedSourceTest, AnAssignmentDropsWhatWaits) {
  const auto source = New(OnNoSchema::kWait);
  encodings_->error = away_;
  EXPECT_THAT(Poll(*source, 3), IsEmpty());
  encodings_->error.reset();
  const InputAssignment again{.input = 0, .partition = {}, .next_offset = 1};
  ASSERT_TRUE(source->Assign({&again, 1}).ok());
  EXPECT_THAT(Poll(*source, 1), ElementsAre(R"({"text":"1"})"));
}

TEST_F(EncodedSourceTest, AToolFailsInsteadOfWaiting) {
  const auto source = New(OnNoSchema::kFail);
  encodings_->error = away_;
  EXPECT_THAT(Poll(*source, 3), IsEmpty());
  EXPECT_THAT(error_, HasSubstr("the registry is away"));
}

TEST_F(EncodedSourceTest, AFinalErrorEndsTheWait) {
  const auto source = New(OnNoSchema::kWait);
  encodings_->error = Fatal(ErrorCode::kInternal, "libcurl cannot start");
  EXPECT_THAT(Poll(*source, 3), IsEmpty());
  EXPECT_THAT(error_, HasSubstr("libcurl cannot start"));
}

}  // namespace
}  // namespace neardup
