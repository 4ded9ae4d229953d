#include "presence/watched_lease.h"

#include <utility>

namespace neardup {

WatchedLease::WatchedLease(std::unique_ptr<Lease> lease, std::unique_ptr<PresenceListener> listener)
    : lease_(std::move(lease)),
      listener_(std::move(listener)),
      endpoint_(TextOf(listener_->endpoint())) {}

void WatchedLease::Release() {
  listener_.reset();
  lease_->Release();
}

}  // namespace neardup
