#include "service/config/memory_table.h"

#include <algorithm>
#include <utility>

#include "detect/base/quantity.h"
#include "detect/filter/fingerprint_pool.h"
#include "kafka/properties.h"
#include "neardup/filter.h"
#include "service/registry/topic_encodings.h"
#include "stream/lane/batch_reader.h"

namespace neardup {
namespace {

// What one record takes beside its bytes. Measured, and rounded up.
constexpr uint64_t kBatchRecordBytes = 2 * kKiB;  // message, fingerprint and look-up
constexpr uint64_t kProducerRecordBytes = 512;    // in the producer's queue
constexpr uint64_t kDeltaEntryBytes = 512;        // in deltas, encoded and not
// Parsing and the tokens of a record take this many times its size (docs/limits.md).
constexpr uint64_t kLargeRecordFactor = 56;
constexpr uint64_t kKeeperBytes = 32 * kMiB;  // pending delta, list of the live deltas
// Program, libraries, clients with their threads, HTTP, log, metrics, and the profile of a window.
constexpr uint64_t kFixedBytes = 64 * kMiB;
// For partitions: buffers of the library, offsets, metrics.
constexpr uint64_t kPartitionBytes = 64 * kKiB;
// The allocator keeps some freed memory. This is its share of the memory that is freed again.
constexpr uint64_t kAllocatorPart = 4;

}  // namespace

MemoryTable MemoryOf(const Settings& settings, size_t partitions, size_t cores) {
  const LaneOptions& lane = settings.lane;
  const KafkaOptions& kafka = settings.kafka;
  const uint64_t record_bytes_max = lane.filter.record.record_bytes_max;
  // The last record that fits may be a large one.
  const uint64_t transaction_bytes = lane.transaction_bytes_max + record_bytes_max;
  const uint64_t transaction_records = UncommittedMax(lane);
  const size_t threads = lane.fingerprint_threads != 0 ? lane.fingerprint_threads : cores;

  MemoryTable table;
  const auto add = [&](std::string part, uint64_t bytes, std::string bound_by) {
    table.rows.push_back({std::move(part), bytes, std::move(bound_by)});
    table.total += bytes;
  };
  add("index", FilterBytesMax(lane.filter, transaction_records), "window.entries_max");
  if (lane.routing.has_groups()) {
    add("groups", Groups::BytesMax(lane.filter.window.entries_max, transaction_records),
        "window.entries_max, routing.keep, output.groups_topic");
  }
  const uint64_t steady = table.total;
  add("read ahead", PrefetchBytesMax(kafka.prefetch_bytes_max, partitions),
      "kafka.prefetch_bytes_max, input partitions");
  // The one that is decided, and those that are read ahead, which fit into one transaction.
  add("batches",
      (1 + kBatchesAheadMax) * lane.batch_records_max * kBatchRecordBytes + 2 * transaction_bytes,
      "transaction.batch_records_max, transaction.bytes_max");
  add("one large record", kLargeRecordFactor * record_bytes_max, "record.record_bytes_max");
  add("in flight",
      std::min<uint64_t>(2 * transaction_bytes, static_cast<uint64_t>(kafka.inflight_bytes_max)) +
          std::min<uint64_t>(transaction_records,
                             static_cast<uint64_t>(kafka.inflight_records_max)) *
              kProducerRecordBytes,
      "transaction.bytes_max, kafka.inflight_bytes_max");
  add("deltas", transaction_records * kDeltaEntryBytes, "transaction.bytes_max");
  add("changelog readers", 2 * (kChangelogQueueBytes + 2 * kChangelogAnswerBytes), "fixed");
  add("snapshots and purging", kKeeperBytes, "fixed");
  const bool registry = !settings.registry.url.empty();
  if (registry) add("schemas", 2 * kSchemaBytesMax, "fixed, registry.url");
  if (registry || lane.filter.record.format >= RecordFormat::kText) {
    add("decoded records", threads * 2 * record_bytes_max,
        "record.record_bytes_max, threads.fingerprint");
  }
  add("fingerprint threads", threads * kLargeRecordFactor * kLargeRecordBytes,
      "threads.fingerprint");
  const uint64_t moving = table.total - steady;
  add("allocator", moving / kAllocatorPart, "a quarter of all above but the index");
  add("program and clients", kFixedBytes + partitions * kPartitionBytes, "fixed, input partitions");
  return table;
}

}  // namespace neardup
