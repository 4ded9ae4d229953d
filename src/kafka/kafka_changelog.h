// Changelog over one partition of <app>-changelog.
#pragma once

#include <cstdint>
#include <memory>

#include "kafka/kafka_options.h"
#include "neardup/result.h"
#include "stream/ports.h"

namespace neardup {

/// Builds the clients; does not wait for a broker.
///
/// End() is the high watermark, open transactions included, while Poll hands out what is committed.
/// After Fence nothing is open, so Poll gets there; were a transaction of another writer left
/// hanging, Poll would stop before End() instead of passing off an older state as the newest.
Result<std::unique_ptr<Changelog>> NewKafkaChangelog(const KafkaOptions& options, uint16_t lane,
                                                     KafkaLog log);

}  // namespace neardup
