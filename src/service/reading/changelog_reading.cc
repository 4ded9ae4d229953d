#include "reading/changelog_reading.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

namespace neardup {
namespace {

constexpr int kChangelogPollMs = 200;
constexpr std::chrono::milliseconds kChangelogStall(60'000);
/// How often a purge may overtake the reader.
constexpr int kPurgesMax = 10;

}  // namespace

Result<void> ReadDeltas(Changelog& changelog, int64_t begin, int64_t end,
                        const std::function<bool(Delta)>& visit) {
  using SteadyClock = std::chrono::steady_clock;
  NEARDUP_TRY(changelog.Open(begin));
  auto moved_at = SteadyClock::now();
  bool wanted = true;
  while (wanted && changelog.next_offset() < end) {
    const int64_t before = changelog.next_offset();
    NEARDUP_TRY(
        changelog.Poll(kChangelogPollMs, [&](const ChangelogRecord& record) -> Result<void> {
          if (!wanted) return {};
          Result<Delta> delta = DecodeDelta(record.bytes);
          if (!delta.ok()) {
            Error error = delta.error();
            error.text = fmt::format("changelog offset {}: {}", record.offset, error.text);
            return error;
          }
          wanted = visit(std::move(*delta));
          return {};
        }));
    if (changelog.next_offset() > before) moved_at = SteadyClock::now();
    if (SteadyClock::now() - moved_at > kChangelogStall) {
      return Retriable(
          ErrorCode::kUnavailable,
          fmt::format(
              "reading changelog {}: no record arrived for {} ms; expected to read up to offset "
              "{}, stopped at offset {}; check that its partition has a leader, and that no "
              "transaction is open",
              changelog.name(), kChangelogStall.count(), end, changelog.next_offset()));
    }
  }
  return {};
}

Result<void> ReadOldestDeltas(Changelog& changelog, int64_t end,
                              const std::function<bool(Delta)>& visit) {
  int64_t begin = 0;
  for (int purges = 0;; ++purges) {
    const Result<void> read = ReadDeltas(changelog, begin, end, visit);
    const bool purged =
        !read.ok() && read.error().code == ErrorCode::kNotFound && !read.error().fatal;
    if (!purged || purges == kPurgesMax) return read;
    begin = changelog.next_offset();
  }
}

}  // namespace neardup
