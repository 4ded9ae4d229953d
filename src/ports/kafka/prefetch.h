// How much is read ahead of the lane, and where it waits.
//
// Records wait in two places: in the library, in the memory of the broker's answer that brought
// them, and in our own memory. A record in the library keeps its whole answer, with the records of
// all other partitions in it. One partition that waits for its turn while others go on would thus
// keep all that the others have read. So the library holds the records of at most one answer for
// each partition, and everything else is copied.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace neardup {

/// One reader's part of the memory for records that are read ahead.
struct PrefetchShare {
  /// A reader takes records from the library while it holds fewer bytes than this.
  size_t held_bytes_max = 0;
  /// Size of a broker's answer. A batch of records that is larger comes as a whole.
  size_t answer_bytes_max = 0;

  bool operator==(const PrefetchShare&) const = default;
};

/// Half of the bytes are for records that the readers hold. An eighth is for the answers, in the
/// library and on their way. The rest is for what the library adds to a record, and for what
/// compressed answers grow to.
PrefetchShare ShareOf(int64_t prefetch_bytes_max, size_t partitions);

/// With this share; no part falls below what one answer takes.
size_t PrefetchBytesMax(int64_t prefetch_bytes_max, size_t partitions);

/// The librdkafka properties that make a client keep to the share.
std::map<std::string, std::string> FetchProperties(const PrefetchShare& share);

/// Of the clients that read the changelog: few large records, and no other partition in an answer.
std::map<std::string, std::string> ChangelogFetchProperties();
inline constexpr size_t kChangelogQueueBytes = size_t{8} << 20;
inline constexpr size_t kChangelogAnswerBytes = size_t{4} << 20;

}  // namespace neardup
