#include "kafka/prefetch.h"

#include <librdkafka/rdkafka.h>

#include <algorithm>
#include <bit>

#include "base/quantity.h"

namespace neardup {
namespace {

constexpr size_t kAnswerBytesMin = 64 * kKiB;
constexpr size_t kAnswerBytesMax = 8 * kMiB;
constexpr size_t kHeldPart = 2;     // of the bytes, for records that the readers hold
constexpr size_t kAnswerPart = 16;  // of the bytes, for the answers in the library
/// Brokers accept batches of this size by default, and send them as a whole.
constexpr size_t kBatchBytes = kMiB;
constexpr int kFetchBackoffSince = 0x02020000;  // librdkafka 2.2.0

std::map<std::string, std::string> AnswerProperties(size_t answer_bytes_max) {
  const std::string bytes = std::to_string(answer_bytes_max);
  std::map<std::string, std::string> properties = {
      {"fetch.max.bytes", bytes},
      {"max.partition.fetch.bytes", bytes},
  };
  // How long the library does not look again at a queue that it found full. Older versions always
  // wait for a second, unless Client::WakeFetchers ends the wait.
  if (rd_kafka_version() >= kFetchBackoffSince) properties["fetch.queue.backoff.ms"] = "2";
  return properties;
}

}  // namespace

PrefetchShare ShareOf(int64_t prefetch_bytes_max, size_t partitions) {
  const size_t bytes = static_cast<size_t>(prefetch_bytes_max) / std::max<size_t>(1, partitions);
  // Powers of two, because another answer size needs another client: a few more partitions then
  // change nothing.
  return {.held_bytes_max = bytes / kHeldPart,
          .answer_bytes_max = std::clamp(std::bit_floor(std::max<size_t>(1, bytes / kAnswerPart)),
                                         kAnswerBytesMin, kAnswerBytesMax)};
}

size_t PrefetchBytesMax(int64_t prefetch_bytes_max, size_t partitions) {
  return std::max(static_cast<size_t>(prefetch_bytes_max), partitions * 2 * kBatchBytes);
}

std::map<std::string, std::string> FetchProperties(const PrefetchShare& share) {
  std::map<std::string, std::string> properties = AnswerProperties(share.answer_bytes_max);
  // The library asks for a partition only when it holds no record of it.
  properties["queued.min.messages"] = "1";
  properties["queued.max.messages.kbytes"] = std::to_string(share.answer_bytes_max / kKiB);
  // While it holds some, it asks for the other partitions, and has one question under way at a
  // time. A question about partitions without new records must not delay the next one for long.
  properties["fetch.wait.max.ms"] = "10";
  return properties;
}

std::map<std::string, std::string> ChangelogFetchProperties() {
  std::map<std::string, std::string> properties = AnswerProperties(kChangelogAnswerBytes);
  properties["queued.max.messages.kbytes"] = std::to_string(kChangelogQueueBytes / kKiB);
  return properties;
}

}  // namespace neardup
