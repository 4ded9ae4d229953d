#include "stream/lane/memory_broker.h"

#include <algorithm>
#include <utility>

#include "detect/base/hash.h"

namespace neardup {

int64_t MemoryBroker::StableEnd(const InputPartition& input) {
  const auto open = open_from.find(input);
  return open == open_from.end() ? End(input) : std::min(open->second, End(input));
}

void MemoryBroker::DeleteTopic(const std::string& topic) {
  missing_topics.insert(topic);
  std::erase_if(group_offsets, [&](const auto& each) { return each.first.topic == topic; });
  for (auto& [id, producer] : producers_) {
    std::erase_if(producer.offsets,
                  [&](const InputProgress& input) { return input.partition.topic == topic; });
  }
}

int64_t MemoryBroker::ChangelogStableEnd() const {
  int64_t end = ChangelogEnd();
  for (const auto& [id, producer] : producers_) {
    if (producer.first_delta >= 0) end = std::min(end, producer.first_delta);
  }
  return end;
}

std::string_view MemoryBroker::NewestDelta() const {
  for (auto delta = changelog.rbegin(); delta != changelog.rend(); ++delta) {
    if (delta->kind == MemoryDelta::Kind::kCommitted && !delta->bytes.empty()) return *delta;
  }
  return {};
}

bool MemoryBroker::Holds(const ChangelogMark& mark) const {
  if (mark.offset < changelog_begin || mark.offset >= ChangelogEnd()) return false;
  return Hash64(changelog[static_cast<size_t>(mark.offset)].bytes) == mark.checksum;
}

void MemoryBroker::Reset(const std::string& id) {
  if (reset_fences) Fence(id);
  producers_[id].first_delta = -1;
  changelog.clear();
  changelog_begin = 0;
  group_offsets.clear();
  outputs.clear();
  commits.clear();
}

void MemoryBroker::LoseChangelogFrom(int64_t offset) {
  if (offset >= ChangelogEnd()) return;
  changelog.resize(static_cast<size_t>(std::max(offset, changelog_begin)));
  for (auto& [id, producer] : producers_) {
    if (producer.first_delta >= ChangelogEnd()) producer.first_delta = -1;
  }
}

// ---- transactions

uint64_t MemoryBroker::Fence(const std::string& id) {
  EndTransaction(id, /*commit=*/false);
  Settle(id);
  return ++producers_[id].epoch;
}

MemoryProducer& MemoryBroker::Open(const std::string& id) {
  Settle(id);
  MemoryProducer& producer = producers_[id];
  if (producer.transaction == 0) producer.transaction = ++transactions_;
  return producer;
}

void MemoryBroker::Write(const std::string& id, MemoryOutput output) {
  Open(id).outputs.push_back(std::move(output));
}

void MemoryBroker::WriteDelta(const std::string& id, std::string_view bytes) {
  MemoryProducer& producer = Open(id);
  if (sends_deltas_late) {
    producer.unsent_deltas.emplace_back(bytes);
  } else {
    AppendDelta(producer, bytes);
  }
}

void MemoryBroker::AppendDelta(MemoryProducer& producer, std::string_view bytes) {
  if (producer.first_delta < 0) producer.first_delta = ChangelogEnd();
  MemoryDelta& delta = changelog.emplace_back(std::string(bytes));
  delta.kind = MemoryDelta::Kind::kOpen;
  delta.transaction = producer.transaction;
}

void MemoryBroker::AddOffsets(const std::string& id, std::span<const InputProgress> offsets) {
  MemoryProducer& producer = Open(id);
  producer.offsets.assign(offsets.begin(), offsets.end());
  for (const std::string& bytes : std::exchange(producer.unsent_deltas, {})) {
    AppendDelta(producer, bytes);
  }
}

void MemoryBroker::EndTransaction(const std::string& id, bool commit) {
  MemoryProducer& producer = producers_[id];
  if (producer.transaction == 0 || producer.ending) return;
  if (commit && marks_late) {
    producer.ending = true;
  } else {
    Finish(producer, commit);
  }
}

void MemoryBroker::Settle(const std::string& id) {
  MemoryProducer& producer = producers_[id];
  if (producer.ending) Finish(producer, /*commit=*/true);
}

void MemoryBroker::TimeOut(const std::string& id) {
  if (!IsOpen(id)) return;
  EndTransaction(id, /*commit=*/false);
  ++producers_[id].epoch;
}

void MemoryBroker::Arrive(size_t late_end) {
  const LateEnd end = late_ends[late_end];
  late_ends.erase(late_ends.begin() + static_cast<std::ptrdiff_t>(late_end));
  if (!IsCurrent(end.id, end.epoch)) return;
  // Its client does not know, and goes on sending.
  std::vector<std::string> unsent = std::exchange(producers_[end.id].unsent_deltas, {});
  EndTransaction(end.id, end.commit);
  Settle(end.id);
  producers_[end.id].unsent_deltas = std::move(unsent);
}

void MemoryBroker::Finish(MemoryProducer& producer, bool commit) {
  const int64_t first = producer.first_delta < 0 ? ChangelogEnd() : producer.first_delta;
  MemoryCommit made_visible;
  for (auto offset = static_cast<size_t>(first); offset < changelog.size(); ++offset) {
    MemoryDelta& delta = changelog[offset];
    if (delta.transaction != producer.transaction) continue;
    delta.kind = commit ? MemoryDelta::Kind::kCommitted : MemoryDelta::Kind::kAborted;
    if (commit) made_visible.deltas.push_back(delta.bytes);
  }
  if (marks_changelog && producer.first_delta >= 0) changelog.emplace_back();
  if (commit) {
    outputs.insert(outputs.end(), producer.outputs.begin(), producer.outputs.end());
    for (const InputProgress& input : producer.offsets) {
      group_offsets[input.partition] = input.next_offset;
    }
    made_visible.outputs = outputs.size();
    made_visible.groups = std::move(producer.groups);
    commits.push_back(std::move(made_visible));
  }
  producer = MemoryProducer{.epoch = producer.epoch};
}

}  // namespace neardup
