#include "lane/group_text.h"

#include <nlohmann/json.hpp>

namespace neardup {

namespace {

using nlohmann::ordered_json;

ordered_json ToJson(const Position& position, std::span<const InputProgress> inputs) {
  const InputPartition& partition = inputs[position.input].partition;
  return {
      {"topic", partition.topic}, {"partition", partition.partition}, {"offset", position.offset}};
}

}  // namespace

std::string GroupText(const Group& group, std::span<const InputProgress> inputs) {
  const ordered_json json = {
      {"original", ToJson(group.original, inputs)}, {"copies", group.copies},
      {"first_time_ms", group.original_time_ms},    {"last_time_ms", group.last_time_ms},
      {"last", ToJson(group.last, inputs)},         {"newest", ToJson(group.newest, inputs)}};
  return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace neardup
