#include "lane/input_backlog.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace neardup {

void InputBacklog::Follow(const Delta& delta) {
  const auto& read = delta.pipeline.inputs;
  std::map<InputPartition, Place> inputs;
  for (const InputProgress& input : delta.inputs) {
    const std::string& topic = input.partition.topic;
    if (!read.empty() && !std::binary_search(read.begin(), read.end(), topic)) continue;
    const auto known = inputs_.find(input.partition);
    inputs[input.partition] = {input.next_offset, known == inputs_.end() ? -1 : known->second.end};
  }
  inputs_ = std::move(inputs);
}

InputPartition InputBacklog::NextToAsk() {
  assert(!inputs_.empty());
  auto next = inputs_.upper_bound(asked_);
  if (next == inputs_.end()) next = inputs_.begin();
  asked_ = next->first;
  return asked_;
}

void InputBacklog::SetEnd(const InputPartition& input, int64_t end) {
  const auto known = inputs_.find(input);
  if (known != inputs_.end()) known->second.end = end;
}

int64_t InputBacklog::undecided(const std::string& topic) const {
  int64_t records = 0;
  for (auto place = inputs_.lower_bound({topic, 0});
       place != inputs_.end() && place->first.topic == topic; ++place) {
    if (place->second.end < 0) continue;
    records += std::max<int64_t>(0, place->second.end - place->second.next_offset);
  }
  return records;
}

}  // namespace neardup
