// Reads the outputs of a lane for a report.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "config/settings.h"
#include "kafka/kafka_options.h"
#include "neardup/result.h"
#include "report/verdict_summary.h"
#include "verify/progress.h"

namespace neardup {

struct VerdictReadingOptions {
  /// Kafka timestamp of the first outputs to read, milliseconds since 1970; nullopt: all outputs.
  std::optional<int64_t> from_ms;
  size_t calls_max = 5;    ///< closest calls
  size_t copied_max = 10;  ///< most copied records
};

/// Counts the verdicts in the output topics of the configured inputs, committed records only. The
/// lane may be running: what it commits after the call began is not counted. Looks up the originals
/// of the closest calls in the input topics. kConfig if the outputs have no headers; kNotFound if
/// an output topic does not exist.
Result<VerdictReport> ReadVerdicts(const Settings& settings, const VerdictReadingOptions& options,
                                   Progress& progress, const KafkaLog& log);

}  // namespace neardup
