#include "stream/lane/schedule.h"

#include "detect/base/random.h"

namespace neardup {
namespace {

LaneOptions DrawOptions(SeededRandom& random, const Schedule& schedule) {
  LaneOptions options;
  options.filter.record.fields = {{"text", 1.0}};
  options.filter.feature.features_min = 4;
  options.filter.match.distance_max = 8;
  options.filter.window.window_ms = 3'000 + static_cast<int64_t>(random.Below(30'000));
  options.filter.window.lateness_ms = static_cast<int64_t>(random.Below(5'000));
  options.filter.window.entries_max = 1000;
  // Entries are pushed out by newer ones, instead of expiring.
  if (schedule.preloaded) options.filter.window.window_ms = 3'600'000;
  options.transaction_interval_ms = 5 + static_cast<int64_t>(random.Below(80));
  if (random.Chance(300)) options.transaction_bytes_max = kRecordBytesMin * (1 + random.Below(8));
  options.batch_records_max = 1 + random.Below(20);
  options.idle_ms = schedule.idles ? 200 : int64_t{1} << 40;
  options.partitions_refresh_ms = 100 + static_cast<int64_t>(random.Below(2000));
  options.on_data_loss = random.Chance(700) ? OnLoss::kContinue : OnLoss::kFail;
  options.on_changelog_loss = random.Chance(600) ? OnLoss::kContinue : OnLoss::kFail;
  options.fingerprint_threads = 1;
  options.retry_backoff_min_ms = 1;
  options.retry_backoff_max_ms = 20;
  return options;
}

}  // namespace

Schedule DrawSchedule(uint64_t seed) {
  SeededRandom random(seed);
  Schedule schedule;
  schedule.seed = seed;
  schedule.instances = 1 + random.Below(3);
  schedule.records = random.Below(60);
  schedule.preloaded = random.Chance(30);
  schedule.purges = random.Chance(400);
  schedule.snapshots = schedule.purges && random.Chance(100);
  schedule.faulty_switches = 30 + random.Below(400);
  constexpr uint32_t kFaults[] = {0, 10, 30, 100};
  schedule.fault_one_in = kFaults[random.Below(4)];
  schedule.crash_one_in = random.Chance(700) ? static_cast<uint32_t>(30 + random.Below(300)) : 0;
  schedule.event_one_in = static_cast<uint32_t>(5 + random.Below(40));
  constexpr uint32_t kStay[] = {0, 50, 90, 97};
  schedule.stay_percent = kStay[random.Below(4)];
  schedule.grows = random.Chance(600);
  schedule.transactional = random.Chance(200);
  schedule.overtakes = random.Chance(60);
  schedule.recreates = random.Chance(60);
  schedule.idles = random.Chance(150);
  // A lane that loses all deltas counts what it decided by the offsets of the inputs that it reads,
  // and so misses an input that it no longer reads.
  schedule.loses_changelog = random.Chance(60) && !schedule.preloaded;
  schedule.moves_offsets = !schedule.loses_changelog && random.Chance(100);
  schedule.restarts_cleanly = random.Chance(300);
  schedule.options = DrawOptions(random, schedule);
  // A preloaded changelog was written by a lane that learned nothing.
  if (!schedule.preloaded && random.Chance(300)) schedule.options.learned = "learned";
  // A first start needs all of its topics.
  schedule.resets = random.Chance(150) && !schedule.loses_changelog && !schedule.preloaded &&
                    !schedule.recreates && !schedule.overtakes;
  // A preloaded changelog names no topics.
  if (random.Chance(200)) {
    schedule.options.routing.release_exact_one_of = 1 + static_cast<uint32_t>(random.Below(4));
    schedule.options.routing.release_near_one_of = static_cast<uint32_t>(random.Below(4));
  }
  RoutingOptions& routing = schedule.options.routing;
  if (random.Chance(100)) routing.exact = DuplicateRoute::kDrop;
  if (random.Chance(100)) routing.near = DuplicateRoute::kDrop;
  if (random.Chance(250)) routing.keep = Keep::kNewest;
  routing.publish_groups = random.Chance(150);
  schedule.switches_keep = random.Chance(100);
  // A preloaded changelog names no topics.
  schedule.switches_mode = random.Chance(200) && !schedule.preloaded;
  schedule.sees_ends = random.Chance(500);
  constexpr uint32_t kFalseEnds[] = {0, 0, 1, 10, 100};
  if (schedule.sees_ends) schedule.false_end_one_in = kFalseEnds[random.Below(5)];
  return schedule;
}

}  // namespace neardup
