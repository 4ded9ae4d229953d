#include "stream/state/pipeline.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "detect/base/message_text.h"

namespace neardup {
namespace {

/// More topics than this are not listed one by one.
constexpr size_t kListedMax = 12;

using Names = std::vector<std::string>;

Names Sorted(Names names) {
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

/// The names that the template gives for these inputs.
Names Expanded(const std::string& topic_template, const Names& inputs) {
  Names names;
  for (const std::string& input : inputs) names.push_back(ExpandTopic(topic_template, input));
  return Sorted(std::move(names));
}

/// Whether both write the records of these inputs to the same topics.
bool SameOutputs(const PipelineTopics& a, const PipelineTopics& b, const Names& inputs) {
  const auto same = [&](const std::string& one, const std::string& other) {
    return std::ranges::all_of(inputs, [&](const std::string& input) {
      return ExpandTopic(one, input) == ExpandTopic(other, input);
    });
  };
  return same(a.unique, b.unique) && same(a.duplicate, b.duplicate) &&
         same(a.dead_letter, b.dead_letter);
}

bool MeetAny(const Names& a, const Names& b) {
  return std::ranges::any_of(
      a, [&](const std::string& name) { return std::ranges::binary_search(b, name); });
}

bool OutputsAreKnown(const PipelineTopics& topics) { return !topics.unique.empty(); }

Names Outputs(const PipelineTopics& topics) {
  Names all;
  for (const std::string* each : {&topics.unique, &topics.duplicate, &topics.dead_letter}) {
    for (std::string& name : Expanded(*each, topics.inputs)) {
      if (std::ranges::find(all, name) == all.end()) all.push_back(std::move(name));
    }
  }
  return all;
}

std::string Listed(const Names& names) {
  return ListText(names, names.size() <= kListedMax ? kListedMax : kListedMax - 1);
}

/// In long lists, topics that are not in `other` come first.
Names DifferentFirst(Names names, Names other) {
  other = Sorted(std::move(other));
  std::stable_partition(names.begin(), names.end(), [&](const std::string& name) {
    return !std::ranges::binary_search(other, name);
  });
  return names;
}

std::string ModeText(const PipelineTopics& topics) {
  return topics.mode() == RoutingMode::kObserve ? " (routing.mode: observe)" : "";
}

std::string SideText(const PipelineTopics& topics, const PipelineTopics& other) {
  std::string text = "reads " + Listed(DifferentFirst(topics.inputs, other.inputs));
  if (!OutputsAreKnown(topics)) return text + "; its outputs are not known";
  return text + "; writes " + Listed(DifferentFirst(Outputs(topics), Outputs(other))) +
         ModeText(topics);
}

bool MayReplaceInputs(const Pipeline& pipeline, const PipelineTopics& lane) {
  return lane.inputs == pipeline.topics.inputs || lane.inputs == pipeline.before.inputs;
}

bool MayReplaceOutputs(const Pipeline& pipeline, const PipelineTopics& lane) {
  return SameOutputs(pipeline.topics, lane, lane.inputs) ||
         (OutputsAreKnown(pipeline.before) && SameOutputs(pipeline.before, lane, lane.inputs));
}

/// The settings that allow the change.
std::string AllowingSettings(const Pipeline& pipeline, const PipelineTopics& lane) {
  std::string text;
  if (lane.inputs != pipeline.topics.inputs) {
    text = fmt::format("input.topics_before: [{}]", fmt::join(lane.inputs, ", "));
  }
  const auto add = [&text](const std::string& setting) {
    text += (text.empty() ? "" : " and ") + setting;
  };
  if (!OutputsAreKnown(lane) || SameOutputs(pipeline.topics, lane, lane.inputs)) return text;
  const PipelineTopics& ours = pipeline.topics;
  if (!SameOutputs(UnderMode(ours, RoutingMode::kObserve), UnderMode(lane, RoutingMode::kObserve),
                   lane.inputs)) {
    add(fmt::format(R"(output.topics_before: ["{}", "{}", "{}"])", lane.unique, lane.duplicate,
                    lane.dead_letter));
  }
  if (ours.mode() != lane.mode()) add(fmt::format("routing.mode_before: {}", Name(lane.mode())));
  return text;
}

}  // namespace

std::string ExpandTopic(const std::string& topic_template, const std::string& input_topic) {
  static constexpr std::string_view kPlaceholder = "{topic}";
  std::string expanded = topic_template;
  for (size_t at = 0; (at = expanded.find(kPlaceholder, at)) != std::string::npos;
       at += input_topic.size()) {
    expanded.replace(at, kPlaceholder.size(), input_topic);
  }
  return expanded;
}

bool WritesUniquesOf(const PipelineTopics& topics, const std::string& input_topic) {
  const std::string unique = ExpandTopic(topics.unique, input_topic);
  return std::ranges::any_of(topics.inputs, [&](const std::string& input) {
    return input == input_topic || ExpandTopic(topics.unique, input) == unique;
  });
}

PipelineTopics UnderMode(PipelineTopics topics, RoutingMode mode) {
  if (mode == RoutingMode::kObserve) topics.duplicate = topics.unique;
  return topics;
}

std::vector<std::string> SortedTopics(std::vector<std::string> inputs) {
  return Sorted(std::move(inputs));
}

PipelineTopics TopicsOfLane(const PipelineTopics& named, std::span<const InputProgress> inputs) {
  if (named.known()) return named;
  PipelineTopics read;
  for (const InputProgress& input : inputs) read.inputs.push_back(input.partition.topic);
  read.inputs = Sorted(std::move(read.inputs));
  return read;
}

PipelineMatch Compare(const Pipeline& pipeline, const PipelineTopics& lane) {
  const PipelineTopics& ours = pipeline.topics;
  if (!lane.known() || !ours.known()) return PipelineMatch::kSame;
  if (lane.lanes != ours.lanes) return PipelineMatch::kOther;
  if (!OutputsAreKnown(lane)) {
    // The list holds topics that the lane no longer reads, so it may be longer than ours.
    if (MeetAny(ours.inputs, lane.inputs)) return PipelineMatch::kSame;
    return lane.inputs == pipeline.before.inputs ? PipelineMatch::kChanges : PipelineMatch::kOther;
  }
  if (lane.inputs == ours.inputs && SameOutputs(ours, lane, lane.inputs)) {
    return PipelineMatch::kSame;
  }
  return MayReplaceInputs(pipeline, lane) && MayReplaceOutputs(pipeline, lane)
             ? PipelineMatch::kChanges
             : PipelineMatch::kOther;
}

Error OtherPipeline(const Pipeline& pipeline, const PipelineTopics& lane,
                    std::string_view changelog) {
  if (lane.lanes != pipeline.topics.lanes) {
    return Fatal(
        ErrorCode::kMismatch,
        fmt::format(
            "changelog {} belongs to one of {} lane(s), and lanes.count is {}; with another "
            "number of lanes, records that repeat each other would be in different lanes. "
            "Set lanes.count: {}, or stop all lanes and run `neardup lanes migrate --lanes {}`; "
            "see "
            "docs/lanes.md",
            changelog, lane.lanes, pipeline.topics.lanes, lane.lanes, pipeline.topics.lanes));
  }
  return Fatal(ErrorCode::kMismatch,
               fmt::format("changelog {} belongs to another pipeline:\n"
                           "  this instance {}\n"
                           "  the changelog {}\n"
                           "Give this pipeline an `app` of its own. If it is the same pipeline and "
                           "its topics are meant to change, set {} and keep the `app`; see "
                           "docs/run-on-kafka.md#change-the-topics-of-a-pipeline",
                           changelog, SideText(pipeline.topics, lane),
                           SideText(lane, pipeline.topics), AllowingSettings(pipeline, lane)));
}

std::string TextOf(const PipelineTopics& topics) {
  std::string text = "reads " + Listed(topics.inputs);
  if (!OutputsAreKnown(topics)) return text;
  return text + " and writes " + Listed(Outputs(topics)) + ModeText(topics);
}

}  // namespace neardup
