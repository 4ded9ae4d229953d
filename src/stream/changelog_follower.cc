#include "stream/changelog_follower.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/hash.h"

namespace neardup {

void ChangelogFollower::StartOver() {
  open_ = false;
  foreign_.reset();
  mark_.reset();
  resume_offset_ = 0;
}

void ChangelogFollower::StartBehind(const ChangelogMark& mark) {
  mark_ = mark;
  resume_offset_ = mark.offset + 1;
  open_ = false;
}

Result<bool> ChangelogFollower::Poll(
    int timeout_ms, const std::function<Result<void>(const ChangelogRecord&)>& visit) {
  if (!open_) {
    NEARDUP_ASSIGN(const bool opened, Open());
    if (!opened) return false;
  }
  const Result<void> polled =
      log_.Poll(timeout_ms, [&](const ChangelogRecord& record) -> Result<void> {
        if (foreign_) return {};
        if (!mark_) return visit(record);
        Compare(record);
        return {};
      });
  if (foreign_) {
    return GiveUp(
        fmt::format("expected the record at offset {} to have checksum {:016x}, found checksum "
                    "{:016x} at offset {}; the changelog topic was deleted and recreated, or "
                    "belongs to another app; if nobody did that on purpose, see docs/recovery.md",
                    mark_->offset, mark_->checksum, foreign_->checksum, foreign_->offset));
  }
  if (!polled.ok() && polled.error().code == ErrorCode::kNotFound && !polled.error().fatal) {
    open_ = false;  // purged while it was read; Open finds out how far
    return true;
  }
  if (!polled.ok()) return polled.error();
  if (!mark_) resume_offset_ = std::max(resume_offset_, log_.next_offset());
  return true;
}

Result<bool> ChangelogFollower::Open() {
  if (mark_) return OpenAtMark();
  NEARDUP_TRY(log_.Open(resume_offset_));
  if (resume_offset_ > 0 && log_.next_offset() > resume_offset_) {
    return GiveUp(fmt::format("it was only read to offset {}, and is purged up to offset {}",
                              resume_offset_, log_.next_offset()));
  }
  open_ = true;
  return true;
}

Result<bool> ChangelogFollower::OpenAtMark() {
  NEARDUP_ASSIGN(const int64_t end, log_.End());
  if (end <= mark_->offset) {
    return GiveUp(
        fmt::format("expected a record at offset {}, but it ends at offset {}; the changelog topic "
                    "was deleted and recreated, or truncated, or belongs to another app; if nobody "
                    "did that on purpose, see docs/recovery.md",
                    mark_->offset, end));
  }
  NEARDUP_TRY(log_.Open(mark_->offset));
  if (log_.next_offset() > mark_->offset) {
    return GiveUp(fmt::format("it was only read to offset {}, and is purged up to offset {}",
                              mark_->offset + 1, log_.next_offset()));
  }
  open_ = true;
  return true;
}

void ChangelogFollower::Compare(const ChangelogRecord& record) {
  const ChangelogMark found{record.offset, Hash64(record.bytes)};
  if (found == *mark_) {
    mark_.reset();
  } else {
    foreign_ = found;
  }
}

bool ChangelogFollower::GiveUp(std::string why) {
  why_ = "cannot resume the changelog: " + std::move(why);
  StartOver();
  return false;
}

}  // namespace neardup
