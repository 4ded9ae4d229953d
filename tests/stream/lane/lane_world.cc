#include "stream/lane/lane_world.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "detect/base/letter_word.h"

namespace neardup {

LaneOptions TestOptions(int distance_max) {
  LaneOptions options;
  options.filter.record.fields = {{"text", 1.0}};
  options.filter.feature.features_min = 4;
  options.filter.match.distance_max = distance_max;
  options.filter.window.window_ms = 60'000;
  options.filter.window.lateness_ms = 5'000;
  options.filter.window.entries_max = 100'000;
  options.transaction_interval_ms = 50;
  options.fingerprint_threads = 2;
  options.retry_backoff_min_ms = 1;
  options.retry_backoff_max_ms = 20;
  return options;
}

void FillInputs(MemoryBroker& broker, std::mt19937_64& random, size_t records) {
  const std::vector<InputPartition> partitions = {{"a", 0}, {"a", 1}, {"b", 0}};
  std::map<InputPartition, int64_t> offsets;
  for (const InputPartition& partition : partitions) offsets[partition] = broker.End(partition);
  const size_t first = InputRecords(broker);
  for (size_t i = first; i < first + records; ++i) {
    const InputPartition& partition = partitions[random() % partitions.size()];
    offsets[partition] += 1 + (random() % 5 == 0 ? 2 : 0);  // gaps, as control records leave
    std::string text;
    const uint64_t family = random() % 30;
    for (uint64_t word = 0; word < 14; ++word) {
      const bool edited = random() % 20 == 0;
      text += LetterWord(family * 100 + word + (edited ? 50 : 0)) + " ";
    }
    std::optional<std::string> value = R"({"text":")" + text + R"("})";
    if (random() % 40 == 0) value = "{broken";
    if (random() % 80 == 0) value.reset();
    const auto time_ms = static_cast<int64_t>(1'700'000'000'000 + i * 300 + random() % 2000);
    broker.inputs[partition].push_back({offsets[partition], time_ms, value, i + 1});
  }
  for (const InputPartition& partition : partitions)
    broker.control_records[partition] = random() % 3;
}

std::vector<WrittenRecord> WrittenRecords(const MemoryBroker& broker) {
  std::vector<WrittenRecord> written(InputRecords(broker));
  for (const auto& [partition, records] : broker.inputs) {
    for (const MemoryRecord& record : records) {
      written[record.id - 1] = {.input = partition, .record = record};
    }
  }
  return written;
}

size_t CommittedRecords(const MemoryBroker& broker) { return broker.outputs.size(); }

size_t InputRecords(const MemoryBroker& broker) {
  size_t count = 0;
  for (const auto& [partition, records] : broker.inputs) count += records.size();
  return count;
}

bool AllPositionsAreAtTheEnd(MemoryBroker& broker) {
  for (const auto& [partition, records] : broker.inputs) {
    const auto found = broker.group_offsets.find(partition);
    if (found == broker.group_offsets.end() || found->second != broker.End(partition)) return false;
  }
  return true;
}

void ExpectEachOffsetOnce(const MemoryBroker& broker) {
  std::set<std::pair<InputPartition, int64_t>> seen;
  for (const MemoryOutput& output : broker.outputs) {
    ASSERT_TRUE(seen.emplace(output.input, output.offset).second)
        << output.input.topic << "/" << output.input.partition << "/" << output.offset << " twice";
  }
  for (const auto& [partition, records] : broker.inputs) {
    for (const MemoryRecord& record : records) {
      ASSERT_TRUE(seen.count({partition, record.offset})) << partition.topic << record.offset;
    }
  }
  ASSERT_EQ(seen.size(), InputRecords(broker));
}

}  // namespace neardup
