#include "lane/changelog_follower.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/hash.h"

namespace neardup {

void ChangelogFollower::StartOver() {
  open_ = false;
  foreign_.reset();
  mark_.reset();
  newest_.reset();
  resume_offset_.reset();
}

Result<bool> ChangelogFollower::StillHoldsNewest() {
  if (!newest_) return false;
  return log_.Holds(*newest_);
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
        if (mark_) {
          Compare(record);
          return {};
        }
        NEARDUP_TRY(visit(record));
        newest_ = {record.offset, Hash64(record.bytes)};
        KnowBelow(record.offset + 1);
        return {};
      });
  if (foreign_) {
    return GiveUp(
        fmt::format(
            "it was deleted and created again, or it belongs to another app (expected checksum "
            "{:016x} at offset {}, found checksum {:016x} at offset {}); "
            "docs/recovery.md says what to do",
            mark_->checksum, mark_->offset, foreign_->checksum, foreign_->offset),
        /*is_another_log=*/true);
  }
  if (!polled.ok() && polled.error().code == ErrorCode::kNotFound && !polled.error().fatal) {
    open_ = false;  // purged while it was read; Open finds out how far
    return true;
  }
  if (!polled.ok()) return polled.error();
  if (mark_ && log_.next_offset() > mark_->offset) {
    return GiveUp(
        fmt::format("it was deleted and created again, or it belongs to another app (expected a "
                    "record at offset {}, found none); docs/recovery.md says what to do",
                    mark_->offset),
        /*is_another_log=*/true);
  }
  if (!mark_) KnowBelow(log_.next_offset());
  return true;
}

Result<bool> ChangelogFollower::Open() {
  if (mark_) return OpenAtMark();
  if (resume_offset_) {
    NEARDUP_ASSIGN(const int64_t end, log_.End());
    if (end < *resume_offset_) {
      return GiveUp(
          fmt::format("it was deleted and created again, or truncated (it ends at offset {}, but "
                      "was read up to offset {} before)",
                      end, *resume_offset_),
          /*is_another_log=*/true);
    }
  }
  NEARDUP_TRY(log_.Open(resume_offset_.value_or(0)));
  if (!resume_offset_) {
    begin_offset_ = log_.next_offset();
  } else if (log_.next_offset() > *resume_offset_) {
    return GiveUp(Purged(*resume_offset_), /*is_another_log=*/false);
  }
  open_ = true;
  return true;
}

Result<bool> ChangelogFollower::OpenAtMark() {
  NEARDUP_ASSIGN(const int64_t end, log_.End());
  if (end <= mark_->offset) {
    return GiveUp(
        fmt::format("it was deleted and created again, or truncated, or it belongs to another app "
                    "(expected a record at offset {}, but it ends at offset {}); "
                    "docs/recovery.md says what to do",
                    mark_->offset, end),
        /*is_another_log=*/true);
  }
  NEARDUP_TRY(log_.Open(mark_->offset));
  if (log_.next_offset() > mark_->offset) {
    return GiveUp(Purged(mark_->offset + 1), /*is_another_log=*/false);
  }
  open_ = true;
  return true;
}

void ChangelogFollower::KnowBelow(int64_t offset) {
  resume_offset_ = std::max(resume_offset_.value_or(0), offset);
}

void ChangelogFollower::Compare(const ChangelogRecord& record) {
  const ChangelogMark found{record.offset, Hash64(record.bytes)};
  if (found == *mark_) {
    newest_ = found;
    mark_.reset();
  } else {
    foreign_ = found;
  }
}

std::string ChangelogFollower::Purged(int64_t read_to) const {
  return fmt::format(
      "it was purged up to offset {}, but only read to offset {}; if this happens often, this "
      "instance is too slow, or was stopped for longer than the window",
      log_.next_offset(), read_to);
}

bool ChangelogFollower::GiveUp(std::string why, bool is_another_log) {
  is_another_log_ = is_another_log;
  why_ = "cannot resume the changelog: " + std::move(why);
  StartOver();
  return false;
}

}  // namespace neardup
