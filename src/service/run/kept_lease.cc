#include "run/kept_lease.h"

#include <utility>

namespace neardup {

KeptLease::KeptLease(std::unique_ptr<Lease> lease) : lease_(std::move(lease)) {}

void KeptLease::Join() { lease_->Join(); }

void KeptLease::Leave() { lease_->Leave(); }

Result<bool> KeptLease::Held() { return lease_->Held(); }

bool KeptLease::brokers_answer() const { return lease_->brokers_answer(); }

std::string KeptLease::endpoint() const { return lease_->endpoint(); }

void KeptLease::Watch(const std::string& endpoint) { lease_->Watch(endpoint); }

bool KeptLease::WatchedHasEnded() { return lease_->WatchedHasEnded(); }

void KeptLease::Release() {
  if (keep_) {
    const Result<bool> held = lease_->Held();
    kept_ = held.ok() && *held;
  }
  if (!kept_) lease_->Release();
}

void KeptLease::Keep() { keep_ = true; }

std::unique_ptr<Lease> KeptLease::Take() { return kept_ ? std::move(lease_) : nullptr; }

}  // namespace neardup
