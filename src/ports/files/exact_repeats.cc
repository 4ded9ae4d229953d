#include "files/exact_repeats.h"

namespace neardup {

void ExactRepeats::Saw(const Verdict& verdict, uint64_t exact) {
  if (verdict.decision != Decision::kDuplicate || verdict.match.kind != MatchKind::kNear) return;
  if (!known_.insert(exact).second) {
    ++count_;
    return;
  }
  in_order_.push_back(exact);
  if (in_order_.size() <= remembered_max_) return;
  known_.erase(in_order_.front());
  in_order_.pop_front();
}

}  // namespace neardup
