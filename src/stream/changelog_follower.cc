#include "stream/changelog_follower.h"

#include <algorithm>
#include <utility>

#include "base/hash.h"

namespace neardup {

void ChangelogFollower::StartOver() {
  open_ = false;
  foreign_ = false;
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
    NEARDUP_ASSIGN(const bool goes_on, Open());
    if (!goes_on) return false;
  }
  const Result<void> polled =
      log_.Poll(timeout_ms, [&](const ChangelogRecord& record) -> Result<void> {
        if (foreign_) return {};
        return mark_ ? Compare(record) : visit(record);
      });
  if (foreign_) {
    return GiveUp("the record at its last offset is another one there: the topic was made anew");
  }
  if (!polled.ok() && polled.error().code == ErrorCode::kNotFound && !polled.error().fatal) {
    open_ = false;  // purged under the reader: opening it again tells how far
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
    return GiveUp("it was purged up to offset " + std::to_string(log_.next_offset()) +
                  ", and only read to " + std::to_string(resume_offset_));
  }
  open_ = true;
  return true;
}

Result<bool> ChangelogFollower::OpenAtMark() {
  NEARDUP_ASSIGN(const int64_t end, log_.End());
  if (end <= mark_->offset) {
    return GiveUp("it ends at offset " + std::to_string(end) + " and was known up to " +
                  std::to_string(mark_->offset) + ": the topic was made anew or truncated");
  }
  NEARDUP_TRY(log_.Open(mark_->offset));
  if (log_.next_offset() > mark_->offset) {
    return GiveUp("it was purged up to offset " + std::to_string(log_.next_offset()) +
                  ", and was known up to " + std::to_string(mark_->offset));
  }
  open_ = true;
  return true;
}

Result<void> ChangelogFollower::Compare(const ChangelogRecord& record) {
  foreign_ = record.offset != mark_->offset || Hash64(record.bytes) != mark_->checksum;
  if (!foreign_) mark_.reset();
  return {};
}

bool ChangelogFollower::GiveUp(std::string why) {
  why_ = "the changelog cannot be gone on with: " + std::move(why);
  StartOver();
  return false;
}

}  // namespace neardup
