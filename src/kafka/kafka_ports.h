// The lane's ports on Kafka. The functions make the clients and do not wait for a broker.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "kafka/kafka_options.h"
#include "neardup/result.h"
#include "stream/lane/encoded_source.h"
#include "stream/lane/ports.h"

namespace neardup {

/// Reads the input topics, committed records only, with KafkaOptions::encodings. Messages may
/// outlive the Source.
Result<std::unique_ptr<Source>> NewKafkaSource(const KafkaOptions& options, KafkaLog log,
                                               OnNoSchema on_no_schema = OnNoSchema::kFail);

/// Reads partition `lane` of <app>-changelog.
///
/// End() is the high watermark, which counts open transactions, while Poll visits committed
/// records. After Transaction::Fence no transaction of the lane is open, so Poll reaches End(). If
/// another writer's transaction is left open, Poll stops before End() and so never presents an
/// older state as the newest.
Result<std::unique_ptr<Changelog>> NewKafkaChangelog(const KafkaOptions& options, uint16_t lane,
                                                     KafkaLog log);

/// The transactional producer <app>-lane-<lane>; Fence makes it. `max_message_bytes` comes from
/// TopicReport; a topic that is not in it counts with the broker's default.
///
/// A record leaves as it came, in the same partition: key, value, headers and timestamp, followed
/// by our headers. Exceptions: the client library cannot send the timestamp 0, which leaves as 1
/// (a millisecond after 1970). By reference, key, value and the record's own headers are left out,
/// because they may be too large; the timestamp becomes the time of writing if the broker refused
/// the record, because it may have refused the timestamp.
///
/// A broker refuses a batch as a whole: all its records are refused with Reason::kUndeliverable. A
/// record that was published alone (RoutedRecord::alone) is refused with its own reason.
/// RefusedRecords decides what the lane does with them. The transaction after a refusal aborts once
/// more: the library leaves a gap in its sequence numbers, the broker refuses the gap, and only
/// then the library starts a new epoch. (A new producer would avoid this abort, but the lane would
/// have to read the changelog again.)
std::unique_ptr<Transaction> NewKafkaTransaction(const KafkaOptions& options, uint16_t lane,
                                                 std::map<std::string, int64_t> max_message_bytes,
                                                 KafkaLog log);

/// After Join, a member of the consumer group <app>-lease on the topic <app>-lease, to which nobody
/// writes. Held() says whether partition `lane` of the topic is assigned to this member. An outage
/// of the brokers is no error: the lease is lost when the session has timed out. A thread of its
/// own joins, polls and leaves the group. Release takes at most 10 s.
std::unique_ptr<Lease> NewKafkaLease(const KafkaOptions& options, KafkaLog log);

}  // namespace neardup
