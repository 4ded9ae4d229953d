#include "stream/lane/candidacy.h"

namespace neardup {
namespace {

// A lane that is lost again within this time is still in the same trouble.
constexpr int64_t kWellMs = 30'000;

}  // namespace

void Candidacy::Join() {
  const int64_t now_ms = clock_.SteadyMs();
  if (is_candidate_ || now_ms < stay_out_until_ms_) return;
  is_candidate_ = true;
  good_at_ms_ = now_ms;
  lease_.Join();
}

bool Candidacy::Follows(const std::string& endpoint, uint64_t epoch) {
  followed_epoch_ = epoch;
  if (endpoint != followed_) {
    followed_ = endpoint;
    lease_.Watch(endpoint == lease_.endpoint() ? std::string() : endpoint);
  }
  const auto ended = ended_.find(endpoint);
  if (was_wrong_ || ended == ended_.end() || ended->second >= epoch) return false;
  was_wrong_ = true;
  return true;
}

bool Candidacy::MayTakeOver() const {
  return is_candidate_ && !was_wrong_ && !followed_.empty() && !ended_.contains(followed_) &&
         lease_.WatchedHasEnded();
}

void Candidacy::TakesOver() { ended_.emplace(followed_, followed_epoch_); }

void Candidacy::StepDone() {
  good_at_ms_ = clock_.SteadyMs();
  if (!trouble_since_ms_) return;
  if (!well_since_ms_) well_since_ms_ = good_at_ms_;
  if (good_at_ms_ - *well_since_ms_ < kWellMs) return;
  trouble_since_ms_.reset();
  well_since_ms_.reset();
}

bool Candidacy::Aborted() {
  if (!aborting_since_ms_) aborting_since_ms_ = good_at_ms_;
  return clock_.SteadyMs() - *aborting_since_ms_ >= options_.lease_give_up_ms;
}

std::optional<int64_t> Candidacy::Lost(const Error& error) {
  const int64_t now_ms = clock_.SteadyMs();
  // A fenced instance was replaced. Its trouble begins only if it cannot go on as a standby.
  const int64_t since_ms = error.code == ErrorCode::kFenced ? now_ms : good_at_ms_;
  if (!trouble_since_ms_) trouble_since_ms_ = aborting_since_ms_.value_or(since_ms);
  aborting_since_ms_.reset();
  well_since_ms_.reset();
  const int64_t lasted_ms = now_ms - *trouble_since_ms_;
  if (!is_candidate_ || lasted_ms < options_.lease_give_up_ms) return std::nullopt;
  lease_.Leave();
  is_candidate_ = false;
  stay_out_until_ms_ = now_ms + options_.lease_stay_out_ms;
  trouble_since_ms_.reset();
  return lasted_ms;
}

}  // namespace neardup
