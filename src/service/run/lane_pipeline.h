// Checks, before an instance works, that the changelog of its `app` belongs to its pipeline. Keeps
// the lease of a process while one service ends and the next one starts.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "kafka/kafka_options.h"
#include "neardup/result.h"
#include "service/config/settings.h"
#include "stream/lane/ports.h"
#include "stream/state/pipeline.h"

namespace neardup {

/// Reads the end of the changelog. Returns the topics that the instance will replace, or nothing if
/// it has the topics of the changelog, or if no changelog can be read now: the lane checks
/// it again. kMismatch: it belongs to another pipeline. kConfig: the changelog is from an older
/// version, in which the default of `app` was another one. kUnavailable: no broker answers.
Result<std::optional<PipelineTopics>> FindPipeline(const Settings& settings, const KafkaLog& log);

// The lease of an instance that starts again with other settings, in the same process.

/// The end of a lane gives the lease up, unless the next service of the process takes it over.
class KeptLease : public Lease {
 public:
  explicit KeptLease(std::unique_ptr<Lease> lease);

  void Join() override { lease_->Join(); }
  void Leave() override { lease_->Leave(); }
  Result<bool> Held() override { return lease_->Held(); }
  bool brokers_answer() const override { return lease_->brokers_answer(); }
  std::string endpoint() const override { return lease_->endpoint(); }
  void Watch(const std::string& endpoint) override { lease_->Watch(endpoint); }
  bool WatchedHasEnded() override { return lease_->WatchedHasEnded(); }
  /// After Keep, it keeps a lease that is held. A standby gives up its place also then: otherwise
  /// it could get the lane while it restores, instead of another standby that is ready.
  void Release() override;

  /// From any thread.
  void Keep() { keep_ = true; }
  /// Returns the lease if Release has kept it, and null otherwise.
  std::unique_ptr<Lease> Take();

 private:
  std::unique_ptr<Lease> lease_;
  std::atomic<bool> keep_ = false;
  bool kept_ = false;
};

}  // namespace neardup
