// The search in outputs with gaps, foreign records and few or no records, against a scan.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>

#include "commands/verify/input_range.h"

namespace neardup {
namespace {

struct OutputRecord {
  int64_t offset = 0;
  int64_t origin_offset = 0;
  uint64_t seq = 0;
  std::string header;
};

/// Hands out a few records per poll.
class StoredOutputs : public Source {
 public:
  std::map<InputPartition, std::vector<OutputRecord>> records;
  int polled = 0;

  Result<FoundInputs> Find() override { return FoundInputs(); }
  Result<OffsetBounds> Bounds(const InputPartition&) override { return OffsetBounds(); }
  Result<void> Assign(std::span<const InputAssignment> inputs) override {
    assigned_.assign(inputs.begin(), inputs.end());
    return {};
  }
  Result<void> Poll(size_t, int, std::vector<Message>& out) override {
    for (InputAssignment& input : assigned_) {
      int taken = 0;
      for (const OutputRecord& record : records[input.partition]) {
        if (record.offset < input.next_offset || taken == 3) continue;
        Message& message = out.emplace_back();
        message.position = {input.input, record.offset};
        if (!record.header.empty()) message.headers = {{"neardup", record.header}};
        input.next_offset = record.offset + 1;
        ++taken;
        ++polled;
      }
    }
    return {};
  }
  std::vector<InputStatus> Status() override {
    std::vector<InputStatus> rows;
    for (const InputAssignment& input : assigned_) {
      const auto& all = records[input.partition];
      const bool at_end = all.empty() || all.back().offset < input.next_offset;
      rows.push_back({.input = input.input, .next_offset = input.next_offset, .at_end = at_end});
    }
    return rows;
  }

 private:
  std::vector<InputAssignment> assigned_;
};

TEST(OutputSearch, FindsTheBeginOfAPartAsAScanDoes) {
  std::mt19937_64 random(11);
  StoredOutputs source;
  std::vector<OutputSearch> searches;
  for (int32_t partition = 0; partition < 40; ++partition) {
    auto& records = source.records[{"out", partition}];
    int64_t offset = static_cast<int64_t>(random() % 100);
    int64_t origin = 0;
    const auto count = partition < 4 ? partition : static_cast<int>(random() % 30'000);
    for (int i = 0; i < count; ++i) {
      offset += 1 + static_cast<int64_t>(random() % 50 == 0 ? random() % 3000 : 0);
      origin += 1 + static_cast<int64_t>(random() % 5);
      const auto seq = static_cast<uint64_t>(origin * 3);
      std::string header;
      if (random() % 20 != 0) {  // the others are foreign records
        header = "seq=" + std::to_string(seq) + ";origin=in/" + std::to_string(partition) + "/" +
                 std::to_string(origin);
      }
      records.push_back({offset, origin, seq, header});
    }
    searches.push_back({.output = {"out", partition},
                        .begin = records.empty() ? 0 : records.front().offset,
                        .end = offset + 1,
                        .origin_offset = static_cast<int64_t>(random() % (origin + 5))});
  }
  ASSERT_TRUE(SearchOutputs(source, searches).ok());
  size_t all = 0;
  for (const OutputSearch& search : searches) {
    SCOPED_TRACE(testing::Message() << "seed 11 partition " << search.output.partition);
    uint64_t seq_behind = UINT64_MAX;
    for (const OutputRecord& record : source.records[search.output]) {
      ++all;
      if (record.header.empty()) continue;
      if (record.offset < search.found) {
        EXPECT_LT(record.origin_offset, search.origin_offset);
      }
      if (record.offset >= search.found + kOutputSearchSlack) {
        EXPECT_GE(record.origin_offset, search.origin_offset);
        seq_behind = std::min(seq_behind, record.seq);
      }
    }
    EXPECT_LE(search.seq_behind, seq_behind);
  }
  EXPECT_LT(source.polled, static_cast<int>(all / 10)) << "it must not read all outputs";
}

}  // namespace
}  // namespace neardup
