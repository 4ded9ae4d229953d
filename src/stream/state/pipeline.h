// The topics of a lane: what it reads, where it writes, and how many lanes share them. The
// changelog names them, so that an instance of another pipeline that has the same `app` by mistake
// is refused.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "neardup/result.h"
#include "stream/state/route.h"

namespace neardup {

/// Replaces {topic} in the name of an output topic.
std::string ExpandTopic(const std::string& topic_template, const std::string& input_topic);

struct PipelineTopics {
  std::vector<std::string> inputs;  ///< ascending, distinct; empty: not known
  /// Names, or templates with {topic}; empty: not known. A lane that observes sends duplicates to
  /// the unique topic, so that both names are equal.
  std::string unique;
  std::string duplicate;
  std::string dead_letter;
  /// Partition p of each topic belongs to lane p modulo this number. At least 1.
  uint16_t lanes = 1;

  bool known() const { return !inputs.empty(); }
  RoutingMode mode() const {
    return !unique.empty() && unique == duplicate ? RoutingMode::kObserve : RoutingMode::kRoute;
  }
  bool operator==(const PipelineTopics&) const = default;
};

/// Whether the pipeline writes to the unique topic of `input_topic`. The pipeline may not read
/// `input_topic`, because several inputs may share one unique topic.
bool WritesUniquesOf(const PipelineTopics& topics, const std::string& input_topic);

/// The same topics as a lane uses them under this mode.
PipelineTopics UnderMode(PipelineTopics topics, RoutingMode mode);

/// The topics of an instance, and the topics of an older configuration that it may replace.
struct Pipeline {
  PipelineTopics topics;
  /// Empty inputs: the instance replaces no other inputs. Empty outputs: no other outputs.
  PipelineTopics before;
};

/// `inputs` as PipelineTopics holds them.
std::vector<std::string> SortedTopics(std::vector<std::string> inputs);

/// What the newest delta of a changelog says of the topics. A delta of an older version does not
/// name them: then the topics of the partitions that the lane has ever read stand for its inputs,
/// and its outputs are not known.
PipelineTopics TopicsOfLane(const PipelineTopics& named, std::span<const InputProgress> inputs);

enum class PipelineMatch : uint8_t {
  kSame,     ///< the instance has the topics of the lane, as far as these are known
  kChanges,  ///< the instance may replace the topics of the lane by its own topics
  kOther,    ///< the lane belongs to another pipeline
};

/// Compares the names that templates expand to. A lane with unknown topics counts as the same.
PipelineMatch Compare(const Pipeline& pipeline, const PipelineTopics& lane);

/// A fatal kMismatch, which shows the topics of both, and says what to do. `changelog`: its name.
Error OtherPipeline(const Pipeline& pipeline, const PipelineTopics& lane,
                    std::string_view changelog);

/// For a log line: `reads a, b and writes a.unique, ...`.
std::string TextOf(const PipelineTopics& topics);

}  // namespace neardup
