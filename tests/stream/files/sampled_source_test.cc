#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "detect/base/temporary_folder.h"
#include "stream/files/file_sample.h"
#include "stream/files/file_source.h"

namespace neardup {
namespace {

class SampledSourceTest : public testing::Test {
 protected:
  SampledSourceTest() {
    std::ofstream file(path_);
    for (int line = 0; line < 100; ++line) file << "line " << line << "\n";
  }

  std::vector<std::unique_ptr<Source>> Open() const {
    std::vector<std::unique_ptr<Source>> sources;
    sources.push_back(FileSource::Open(path_).value());
    return sources;
  }

  static void AssignFrom(Source& source, int64_t next_offset) {
    const std::vector<InputPartition> inputs = source.Partitions().value();
    ASSERT_EQ(inputs.size(), 1U);
    const InputAssignment assignment = {5, inputs[0], next_offset};
    ASSERT_TRUE(source.Assign({&assignment, 1}).ok());
  }

  const TemporaryFolder folder_;
  const std::string path_ = folder_.path() / "records.jsonl";
};

TEST_F(SampledSourceTest, HandsOutEachRecordOnceAsThePlainSourceDoes) {
  for (const size_t ahead : {0, 1, 37, 100, 1000}) {
    for (const size_t batch : {1, 7, 1000}) {
      SampledSource source(Open());
      const auto sample = source.ReadAhead(ahead, SIZE_MAX);
      ASSERT_TRUE(sample.ok());
      EXPECT_EQ(sample->size(), std::min<size_t>(ahead, 100));
      AssignFrom(source, 0);
      std::vector<Message> messages;
      while (!source.exhausted()) {
        const size_t before = messages.size();
        EXPECT_EQ(source.Status()[0].next_offset, static_cast<int64_t>(before));
        EXPECT_FALSE(source.Status()[0].at_end);
        ASSERT_TRUE(source.Poll(batch, 10, messages).ok());
        EXPECT_LE(messages.size() - before, batch);
      }
      ASSERT_EQ(messages.size(), 100U) << ahead << " " << batch;
      for (size_t i = 0; i < messages.size(); ++i) {
        EXPECT_EQ(messages[i].position, (Position{5, static_cast<int64_t>(i)}));
        EXPECT_EQ(messages[i].value, "line " + std::to_string(i));
      }
      EXPECT_TRUE(source.Status()[0].at_end);
    }
  }
}

TEST_F(SampledSourceTest, HandsOutSeveralFilesOneAfterTheOther) {
  // The order of the files is another one than the order of their names.
  const std::vector<std::pair<std::string, int>> files = {
      {"c", 40}, {"empty", 0}, {"a", 25}, {"b", 3}};
  for (const auto& [name, lines] : files) {
    std::ofstream file(folder_.path() / name);
    for (int line = 0; line < lines; ++line) file << name << line << "\n";
  }
  for (const size_t ahead : {0, 1, 40, 41, 66, 1000}) {
    for (const size_t batch : {1, 7, 1000}) {
      std::vector<std::unique_ptr<Source>> sources;
      for (const auto& [name, lines] : files) {
        sources.push_back(FileSource::Open((folder_.path() / name).string()).value());
      }
      SampledSource source(std::move(sources));
      ASSERT_EQ(source.ReadAhead(ahead, SIZE_MAX)->size(), std::min<size_t>(ahead, 68));
      std::vector<InputAssignment> assigned;
      const std::vector<InputPartition> partitions = source.Partitions().value();
      for (const InputPartition& partition : partitions) {
        assigned.push_back({static_cast<uint32_t>(assigned.size() + 3), partition, 0});
      }
      ASSERT_TRUE(std::ranges::is_sorted(assigned, {}, &InputAssignment::partition));
      ASSERT_TRUE(source.Assign(assigned).ok());
      std::vector<Message> messages;
      while (!source.exhausted()) ASSERT_TRUE(source.Poll(batch, 10, messages).ok());
      size_t next = 0;
      for (const auto& [name, lines] : files) {
        for (int line = 0; line < lines; ++line) {
          ASSERT_LT(next, messages.size()) << ahead << " " << batch;
          const Message& message = messages[next++];
          ASSERT_EQ(message.value, name + std::to_string(line)) << ahead << " " << batch;
          ASSERT_EQ(message.position.offset, line);
          const InputPartition& partition = assigned.at(message.position.input - 3).partition;
          ASSERT_EQ(partition.topic, (folder_.path() / name).string());
        }
      }
      EXPECT_EQ(next, messages.size());
      for (const InputStatus& input : source.Status()) EXPECT_TRUE(input.at_end);
    }
  }
}

TEST_F(SampledSourceTest, MayBeAssignedAgainWhereItStands) {
  SampledSource source(Open());
  ASSERT_TRUE(source.ReadAhead(50, SIZE_MAX).ok());
  AssignFrom(source, 0);
  std::vector<Message> messages;
  ASSERT_TRUE(source.Poll(20, 10, messages).ok());
  AssignFrom(source, 20);
  ASSERT_TRUE(source.Poll(60, 10, messages).ok());
  EXPECT_EQ(messages.size(), 50U);
  EXPECT_EQ(messages.back().position.offset, 49);
}

TEST_F(SampledSourceTest, ReadsNoMoreAheadThanItMay) {
  SampledSource source(Open());
  const auto sample = source.ReadAhead(1000, 1);
  ASSERT_TRUE(sample.ok());
  EXPECT_GE(sample->size(), 1U);
  SampledSource few(Open());
  EXPECT_EQ(few.ReadAhead(10, SIZE_MAX)->size(), 10U);
}

}  // namespace
}  // namespace neardup
