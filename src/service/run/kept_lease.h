// The lease of an instance that starts again with other settings, in the same process.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "lane/ports.h"

namespace neardup {

/// The end of a lane gives the lease up, unless the next service of the process takes it over.
class KeptLease : public Lease {
 public:
  explicit KeptLease(std::unique_ptr<Lease> lease);

  void Join() override;
  void Leave() override;
  Result<bool> Held() override;
  bool brokers_answer() const override;
  std::string endpoint() const override;
  void Watch(const std::string& endpoint) override;
  bool WatchedHasEnded() override;
  /// After Keep, it keeps a lease that is held. A standby gives up its place also then: otherwise
  /// it could get the lane while it restores, in place of another standby that is ready.
  void Release() override;

  /// From any thread.
  void Keep();
  /// Returns the lease if Release has kept it, and null otherwise.
  std::unique_ptr<Lease> Take();

 private:
  std::unique_ptr<Lease> lease_;
  std::atomic<bool> keep_ = false;
  bool kept_ = false;
};

}  // namespace neardup
