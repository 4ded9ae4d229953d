#include "stream/lane/simulated_instance.h"

#include <fmt/format.h>

#include <utility>

#include "stream/state/snapshot_restore.h"

namespace neardup {

SimulatedThread::SimulatedThread(SimulatedWorld& world, size_t member, std::string_view name,
                                 Deeds& deeds)
    : Faults(world.random.Next(), world.schedule.fault_one_in),
      world_(world),
      member_(member),
      name_(name),
      deeds_(deeds) {}

Faults::Kind SimulatedThread::Draw(std::string_view call, std::initializer_list<Kind> possible) {
  if (world_.trace) {
    world_.Tell(fmt::format("{} ms, {} {}: {}", world_.now_ms, name_, member_, call));
  }
  fiber.Yield();
  world_.now_ms += static_cast<int64_t>(random()() % 3);
  if (world_.quiet || one_in_ == 0 || possible.size() == 0 || random()() % one_in_ != 0) {
    return Kind::kNone;
  }
  const Kind kind = possible.begin()[random()() % possible.size()];
  if (kind == Kind::kCrash) return Kind::kNone;  // the scheduler crashes instances
  ++deeds_.faults;
  if (world_.trace) {
    constexpr std::array<const char*, 10> kNames = {"none",
                                                    "crash",
                                                    "no answer",
                                                    "an answer that is lost",
                                                    "must abort",
                                                    "fenced",
                                                    "happens unheard",
                                                    "arrives late, unheard",
                                                    "is lost",
                                                    "arrives once more, later"};
    world_.Tell(
        fmt::format("   {} {}: {}: {}", name_, member_, call, kNames[static_cast<size_t>(kind)]));
  }
  return kind;
}

void SimulatedThread::Wait(int64_t ms) {
  SleepMs(1 + static_cast<int64_t>(random()() % static_cast<uint64_t>(std::max<int64_t>(1, ms))));
}

void SimulatedThread::SleepMs(int64_t ms) {
  wake_at_ms = world_.now_ms + ms;
  fiber.Yield();
}

void SimulatedThread::Join() {
  Draw("Join", {});
  world_.members[member_].candidate = true;
}

void SimulatedThread::Leave() {
  Draw("Leave", {});
  world_.Leave(member_);
}

void SimulatedThread::Release() {
  EndProcess();
  Leave();
}

bool SimulatedThread::WatchedHasEnded() {
  Draw("WatchedHasEnded", {});
  if (watched_.empty()) return false;
  const uint32_t false_one_in = world_.schedule.false_end_one_in;
  if (world_.running.contains(watched_)) {
    return false_one_in > 0 && random()() % false_one_in == 0;
  }
  return random()() % 2 == 0;
}

void SimulatedThread::BeginProcess() {
  ++world_.processes;
  watched_.clear();
  if (!world_.schedule.sees_ends) return;
  endpoint_ = fmt::format("process {}", world_.processes);
  world_.running.insert(endpoint_);
}

Result<bool> SimulatedThread::Held() {
  if (Draw("Held", {Kind::kUnavailable}) == Kind::kUnavailable) {
    return Retriable(ErrorCode::kUnavailable, "no answer");
  }
  SimulatedWorld::Member& member = world_.members[member_];
  if (!std::exchange(member.lost, false)) return member.held;
  member.held = world_.holder() == member_;
  return false;
}

SimulatedInstance::SimulatedInstance(SimulatedWorld& world, size_t member, Mistake mistake,
                                     std::filesystem::path folder, Deeds& deeds)
    : world_(world),
      member_(member),
      mistake_(mistake),
      folder_(std::move(folder)),
      deeds_(deeds),
      lane_thread_(world, member, "lane", deeds),
      keeper_thread_(world, member, "keeper", deeds) {}

SimulatedInstance::~SimulatedInstance() {
  lane_thread_.fiber.Kill();
  keeper_thread_.fiber.Kill();
}

void SimulatedInstance::Tell(std::string_view what, std::string_view text) const {
  if (world_.trace) world_.Tell(fmt::format("   lane {} {}{}", member_, what, text));
}

/// Each process takes the lane at most once from each other one, and no more once it knows that it
/// was wrong. So two that run do not take the lane from each other for ever.
void SimulatedInstance::Saw(const event::TakesOver& seen) {
  Tell("takes over from ", seen.endpoint);
  ++deeds_.takeovers;
  ++takeovers_;
  if (takeovers_ < world_.processes && !was_wrong_) return;
  world_.misbehaved =
      fmt::format("Progress: lane {} takes over {} times, of {} processes{}", member_, takeovers_,
                  world_.processes, was_wrong_ ? ", though it was wrong" : "");
}

void SimulatedInstance::Saw(const event::TookOverWrongly& seen) {
  Tell("was wrong about ", seen.endpoint);
  ++deeds_.takeovers_wrong;
  was_wrong_ = true;
}

/// The options of the schedule. An instance under another routing mode than the one before it may
/// replace it.
LaneOptions SimulatedInstance::DrawOptions() const {
  LaneOptions options = world_.schedule.options;
  if (world_.schedule.switches_keep) {
    options.routing.keep = world_.random.Below(2) == 0 ? Keep::kFirst : Keep::kNewest;
  }
  if (!world_.schedule.switches_mode) return options;
  constexpr RoutingMode kModes[] = {RoutingMode::kRoute, RoutingMode::kObserve};
  const size_t chosen = world_.random.Below(2);
  const PipelineTopics topics{{"news"}, "{topic}.unique", "{topic}.duplicate", "{topic}.dead"};
  options.routing.mode = kModes[chosen];
  options.pipeline.topics = UnderMode(topics, kModes[chosen]);
  options.pipeline.before = UnderMode(topics, kModes[1 - chosen]);
  options.pipeline.before.inputs.clear();
  Tell("chooses to ", Name(options.routing.mode));
  return options;
}

void SimulatedInstance::Start() {
  Tell("starts", "");
  const Schedule& schedule = world_.schedule;
  stopping_ = was_wrong_ = false;
  takeovers_ = 0;
  lane_thread_.BeginProcess();
  ports_ = std::make_unique<InstancePorts>(world_.broker, lane_thread_, keeper_thread_, mistake_);
  std::optional<RestoredSnapshot> restored;
  std::optional<KeeperBase> base;
  if (schedule.snapshots) {
    lock_ = TakeSnapshotFolder(folder_).value();
    SnapshotEvents events;
    events.refused = [this](const Error& error) { Tell("refuses a snapshot: ", error.text); };
    auto found = RestoreSnapshot(folder_, schedule.options.filter, schedule.options.lane, events);
    if (found.ok()) restored = std::move(found).value();
  }
  if (restored) {
    base = KeeperBase{restored->manifest, restored->state->place()};
    ++deeds_.snapshots_restored;
  }
  auto lane = Lane::New(DrawOptions(),
                        {*ports_->source, *ports_->changelog, *ports_->transaction, lane_thread_,
                         lane_thread_, *this},
                        std::move(restored));
  if (!lane.ok()) {
    error_ = lane.error();
    return;
  }
  lane_ = std::move(*lane);
  lane_thread_.wake_at_ms = keeper_thread_.wake_at_ms = world_.now_ms;
  lane_thread_.fiber.Start([this] { RunLane(); });
  if (!schedule.purges) return;
  KeeperOptions keeping;
  keeping.filter = schedule.options.filter;
  keeping.lane = schedule.options.lane;
  keeping.learned = !schedule.options.learned.empty();
  if (schedule.snapshots) keeping.folder = folder_;
  keeping.snapshot_interval_ms = 100;
  keeping.segment_bytes = 1500;
  keeper_ = std::make_unique<ChangelogKeeper>(keeping, *ports_->keeper_changelog, keeper_thread_,
                                              *this, std::move(base));
  keeper_thread_.fiber.Start([this] { RunKeeper(); });
}

void SimulatedInstance::RunLane() {
  while (!stopping_) {
    const Result<bool> stepped = lane_->Step();
    if (stepped.ok()) continue;
    error_ = stepped.error();
    return;
  }
  const Result<void> drained = lane_->Drain();
  if (!drained.ok()) error_ = drained.error();
}

void SimulatedInstance::RunKeeper() {
  while (!stopping_) keeper_->Step();
  keeper_->Finish();
}

bool SimulatedInstance::ended() const {
  return started() && !lane_thread_.fiber.running() && !keeper_thread_.fiber.running();
}

void SimulatedInstance::Kill() {
  lane_thread_.fiber.Kill();
  keeper_thread_.fiber.Kill();
  CleanUp();
}

void SimulatedInstance::CleanUp() {
  if (lane_) {
    deeds_.expired += lane_->state().filter().entries_expired();
    deeds_.evicted += lane_->state().filter().entries_evicted();
  }
  world_.Leave(member_);
  lane_thread_.EndProcess();
  keeper_.reset();
  lane_.reset();
  ports_.reset();
  lock_ = {};
}

}  // namespace neardup
