#include "batch/segmented_filter.h"

#include <utility>

#include "state/delta.h"
#include "state/snapshot.h"

namespace neardup {

Result<std::unique_ptr<SegmentedFilter>> SegmentedFilter::New(const BatchOptions& options) {
  NEARDUP_ASSIGN(std::unique_ptr<BatchFilter> filter, BatchFilter::New(options));
  return std::unique_ptr<SegmentedFilter>(new SegmentedFilter(std::move(filter)));
}

SegmentedFilter::SegmentedFilter(std::unique_ptr<BatchFilter> filter)
    : filter_(std::move(filter)), segment_(SegmentHeader(kBatchLane)) {
  filter_->SetSink([this](const Delta& delta) {
    segment_ += SegmentFrame(delta);
    entries_ += delta.entries.size();
  });
}

std::string SegmentedFilter::TakeSegment() {
  entries_ = 0;
  return std::exchange(segment_, SegmentHeader(kBatchLane));
}

Result<void> SegmentedFilter::Restore(std::string_view segment) {
  return ReadSegmentBytes(segment, kBatchLane,
                          [this](Delta&& delta) { return filter_->Restore(std::move(delta)); });
}

}  // namespace neardup
