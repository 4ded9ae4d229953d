// A lease whose candidates also see each other's processes end.
#pragma once

#include <memory>
#include <string>

#include "lane/ports.h"
#include "neardup/result.h"
#include "presence/presence_listener.h"
#include "presence/presence_watch.h"

namespace neardup {

/// Adds endpoint, Watch and WatchedHasEnded to a lease that has none.
class WatchedLease : public Lease {
 public:
  WatchedLease(std::unique_ptr<Lease> lease, std::unique_ptr<PresenceListener> listener);

  void Join() override { lease_->Join(); }
  void Leave() override { lease_->Leave(); }
  Result<bool> Held() override { return lease_->Held(); }
  bool brokers_answer() const override { return lease_->brokers_answer(); }
  /// Standbys see it at once, and need not wait until the lease is given up.
  void Release() override;

  std::string endpoint() const override { return endpoint_; }
  void Watch(const std::string& endpoint) override { watch_.Watch(endpoint); }
  bool WatchedHasEnded() override { return watch_.HasEnded(); }

 private:
  std::unique_ptr<Lease> lease_;
  std::unique_ptr<PresenceListener> listener_;
  const std::string endpoint_;
  PresenceWatch watch_;
};

}  // namespace neardup
