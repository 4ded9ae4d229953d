// Lease by membership in a consumer group on <app>-lease, a topic that is never written.
#pragma once

#include <cstdint>
#include <memory>

#include "kafka/kafka_options.h"
#include "neardup/result.h"
#include "stream/ports.h"

namespace neardup {

/// Joins the group and keeps a thread of its own that polls it. Held() says whether partition
/// `lane` is assigned to us; an outage is no error but the loss of the lease once the session has
/// run out. Release is final and takes 10 s at most.
Result<std::unique_ptr<Lease>> NewKafkaLease(const KafkaOptions& options, uint16_t lane,
                                             KafkaLog log);

}  // namespace neardup
