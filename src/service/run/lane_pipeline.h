// Whether the changelog of an `app` is that of this pipeline, before an instance begins to work.
#pragma once

#include <optional>

#include "config/settings.h"
#include "kafka/kafka_options.h"
#include "neardup/result.h"
#include "state/pipeline.h"

namespace neardup {

/// Reads the end of the changelog. Returns the topics that the instance will replace, or nothing if
/// its topics are those of the changelog, or if no changelog can be read now: the lane checks
/// it again. kMismatch: it belongs to another pipeline. kConfig: the changelog is that of an older
/// version, in which the default of `app` was another one. kUnavailable: no broker answers.
Result<std::optional<PipelineTopics>> FindPipeline(const Settings& settings, const KafkaLog& log);

}  // namespace neardup
