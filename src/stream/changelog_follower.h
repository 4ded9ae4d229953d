// A reader's place in a changelog that is purged at its beginning, and may be made anew.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "neardup/result.h"
#include "state/snapshot.h"
#include "stream/ports.h"

namespace neardup {

/// One owner thread. Opens the log when there is something to read; the owner closes it after an
/// error it wants to go on from.
class ChangelogFollower {
 public:
  explicit ChangelogFollower(Changelog& log) : log_(log) {}

  /// The next Poll begins at the log's beginning.
  void StartOver();
  /// The next Poll begins behind this record of the log, once it has found it there.
  void StartBehind(const ChangelogMark& mark);
  /// The caller knows all below this offset; where the log is opened the next time.
  void MoveTo(int64_t offset) { resume_offset_ = offset; }
  void Close() { open_ = false; }

  /// Hands out records as Changelog::Poll does. False when what was read before cannot be gone on
  /// with, because it was purged or is not of this log: why() says more, the caller gives up what
  /// it knows, and the next Poll starts at the log's beginning.
  Result<bool> Poll(int timeout_ms,
                    const std::function<Result<void>(const ChangelogRecord&)>& visit);
  const std::string& why() const { return why_; }

  bool is_open() const { return open_; }
  /// Everything below was handed out, or known before.
  int64_t next_offset() const { return open_ ? log_.next_offset() : resume_offset_; }
  Result<int64_t> End() { return log_.End(); }

 private:
  Result<bool> Open();
  Result<bool> OpenAtMark();
  Result<void> Compare(const ChangelogRecord& record);
  bool GiveUp(std::string why);

  Changelog& log_;
  bool open_ = false;
  int64_t resume_offset_ = 0;
  /// Not found in the log yet.
  std::optional<ChangelogMark> mark_;
  bool foreign_ = false;
  std::string why_;
};

}  // namespace neardup
