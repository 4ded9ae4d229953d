#include "stream/lane/candidacy.h"

#include <gtest/gtest.h>

#include "stream/lane/memory_ports.h"

namespace neardup {
namespace {

TEST(Candidacy, ALossBeforeTheFirstStepIsTroubleSinceTheBeginningAndNoLonger) {
  LaneOptions options;
  MemoryLease lease;
  MemoryClock clock;
  clock.SleepMs(10 * options.lease_give_up_ms);  // the machine has run for long
  Candidacy candidacy(options, lease, clock);
  const Error error = Retriable(ErrorCode::kUnavailable, "no broker");
  EXPECT_FALSE(candidacy.Lost(error));
  candidacy.Join();
  EXPECT_FALSE(candidacy.Lost(error)) << "the trouble has just begun";
  EXPECT_TRUE(lease.candidate);
  clock.SleepMs(options.lease_give_up_ms);
  EXPECT_TRUE(candidacy.Lost(error));
  EXPECT_FALSE(lease.candidate);
}

}  // namespace
}  // namespace neardup
