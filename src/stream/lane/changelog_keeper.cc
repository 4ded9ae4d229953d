#include "stream/lane/changelog_keeper.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <utility>

#include "detect/base/hash.h"
#include "detect/base/message_text.h"
#include "detect/base/quantity.h"

namespace neardup {

void InputBacklog::Follow(const Delta& delta) {
  const auto& read = delta.pipeline.inputs;
  std::map<InputPartition, Place> inputs;
  for (const InputProgress& input : delta.inputs) {
    const std::string& topic = input.partition.topic;
    if (!read.empty() && !std::ranges::binary_search(read, topic)) continue;
    const auto known = inputs_.find(input.partition);
    inputs[input.partition] = {input.next_offset, known == inputs_.end() ? -1 : known->second.end};
  }
  inputs_ = std::move(inputs);
}

InputPartition InputBacklog::NextToAsk() {
  assert(!inputs_.empty());
  auto next = inputs_.upper_bound(asked_);
  if (next == inputs_.end()) next = inputs_.begin();
  asked_ = next->first;
  return asked_;
}

void InputBacklog::SetEnd(const InputPartition& input, int64_t end) {
  const auto known = inputs_.find(input);
  if (known != inputs_.end()) known->second.end = end;
}

int64_t InputBacklog::undecided(const std::string& topic) const {
  int64_t records = 0;
  for (auto place = inputs_.lower_bound({topic, 0});
       place != inputs_.end() && place->first.topic == topic; ++place) {
    if (place->second.end < 0) continue;
    records += std::max<int64_t>(0, place->second.end - place->second.next_offset);
  }
  return records;
}

namespace {

constexpr int kKeeperPollMs = 100;
constexpr int64_t kWatchPeriodMs = 15'000;

}  // namespace

ChangelogKeeper::ChangelogKeeper(const KeeperOptions& options, Changelog& log, Clock& clock,
                                 KeeperProbe& probe, std::optional<KeeperBase> base)
    : options_(options),
      clock_(clock),
      log_(log),
      probe_(probe),
      follower_(log),
      spec_(FingerprintSpec(options.filter)),
      live_(options.filter.window),
      due_at_ms_(clock.SteadyMs() + options.snapshot_interval_ms) {
  if (!base) return;
  const std::string& of = base->manifest.changelog;
  if (!of.empty() && of != log.name()) return;
  base_ = std::move(base->manifest);
  base_place_ = base->place;
}

void ChangelogKeeper::Step() {
  const int64_t wait_ms = retry_not_before_ms_ - clock_.SteadyMs();
  if (wait_ms > 0) {
    clock_.SleepMs(std::min<int64_t>(wait_ms, kKeeperPollMs));
    return;
  }
  Result<void> worked = Follow();
  if (worked.ok()) WatchInputs();
  if (worked.ok() && clock_.SteadyMs() >= due_at_ms_) {
    due_at_ms_ = clock_.SteadyMs() + options_.snapshot_interval_ms;
    worked = Publish();
    if (worked.ok()) Purge();
  }
  if (worked.ok()) return;
  probe_.On(event::KeeperFailed{worked.error()});
  retry_not_before_ms_ = clock_.SteadyMs() + options_.snapshot_interval_ms;
  StartOver();
}

void ChangelogKeeper::Finish() {
  const Result<void> published = Publish();
  if (!published.ok()) probe_.On(event::KeeperFailed{published.error()});
}

Result<void> ChangelogKeeper::Follow() {
  if (!begun_) NEARDUP_TRY(Begin());
  const Result<bool> resumed =
      follower_.Poll(kKeeperPollMs, [this](const ChangelogRecord& record) { return Keep(record); });
  // A log with a hole shows it again and again, so this is an error, after which the keeper waits.
  if (std::exchange(found_hole_, false)) LeaveLog(resumed.error().text);
  if (!resumed.ok()) return resumed.error();
  if (!*resumed) {
    if (!follower_.is_another_log()) place_.reset();
    LeaveLog(follower_.why());
  }
  return {};
}

/// Drops what it remembers of another log than the one that it reads now.
void ChangelogKeeper::LeaveLog(const std::string& why) {
  if (writer_) probe_.On(event::SnapshotRestarted{why});
  if (place_ && !left_log_) left_log_ = place_;
  purged_to_ = 0;
  writer_.reset();
  base_.reset();
  begun_ = false;
}

/// Begins with the snapshot on disk, or with nothing.
Result<void> ChangelogKeeper::Begin() {
  follower_.StartOver();
  learned_at_.clear();
  writer_of_newest_.reset();
  place_.reset();
  live_ = LiveRange(options_.filter.window);
  if (base_) {
    for (const SnapshotSegment& segment : base_->segments) {
      live_.Add(segment.changelog_offset, segment.entries, segment.time_max_ms);
    }
    follower_.StartBehind(base_->end);
    place_ = base_place_;
    if (place_) place_->seq = base_->seq;
  }
  if (!options_.folder.empty()) {
    NEARDUP_ASSIGN(writer_, SnapshotWriter::New(options_.folder, options_.lane, spec_, base_,
                                                options_.segment_bytes, log_.name()));
  }
  begun_ = true;
  return {};
}

Result<void> ChangelogKeeper::Keep(const ChangelogRecord& record) {
  Result<Delta> delta = DecodeDelta(record.bytes);
  if (!delta.ok()) return Named(fmt::format("changelog offset {}", record.offset), delta.error());
  const bool follows =
      !place_ || delta->fresh ||
      FollowsDelta(*delta, writer_of_newest_.value_or(delta->writer_before), place_->seq);
  if (!follows) {
    found_hole_ = true;
    return DeltaDoesNotFollow(record.offset);
  }
  place_ = {delta->log_id, delta->epoch, delta->seq_last};
  writer_of_newest_ = delta->writer;
  if (left_log_ && !HasLostItsEnd(*place_, *left_log_)) left_log_.reset();
  live_.Add(record.offset, *delta);
  backlog_.Follow(*delta);
  if (!delta->learned.empty()) learned_at_.push_back(record.offset);
  // A delta of other settings belongs to a lane that is indexed again, or ends this process.
  if (!writer_ || delta->spec != spec_) return {};
  return writer_->Append(std::move(*delta), {record.offset, Hash64(record.bytes)});
}

/// Asks for the end of each input once in a period. One that is unknown waits for the next.
void ChangelogKeeper::WatchInputs() {
  const int64_t now_ms = clock_.SteadyMs();
  if (!options_.input_end || backlog_.inputs() == 0 || now_ms < ask_at_ms_) return;
  ask_at_ms_ = now_ms + kWatchPeriodMs / static_cast<int64_t>(backlog_.inputs());
  const InputPartition input = backlog_.NextToAsk();
  const Result<int64_t> end = options_.input_end(input);
  if (!end.ok()) return;
  backlog_.SetEnd(input, *end);
  probe_.On(event::InputUndecided{input.topic, backlog_.undecided(input.topic)});
}

Result<void> ChangelogKeeper::Publish() {
  if (!writer_ || left_log_) return {};
  const int64_t started_ms = clock_.SteadyMs();
  const uint64_t number_before = base_ ? base_->number : 0;
  writer_->DropBelow(live_.begin_offset());
  NEARDUP_TRY(writer_->Publish(clock_.WallMs()));
  base_ = writer_->published();
  base_place_ = place_;
  if (!base_ || base_->number == number_before) return {};
  const auto seconds = static_cast<double>(clock_.SteadyMs() - started_ms) / 1000;
  probe_.On(event::SnapshotWritten{{base_->entries(), base_->bytes(), base_->segments.size(),
                                    base_->seq, base_->end.offset, seconds}});
  return {};
}

/// A purge may delete all deltas below this offset. It is the offset of the first live delta. If
/// the lane learned its settings, an older delta must stay, too: the newest one that holds these
/// settings. Then it is the offset of that delta. 0 if no offset is known.
int64_t ChangelogKeeper::PurgeOffset() {
  const int64_t begin = live_.begin_offset();
  if (!options_.learned) return begin;
  while (learned_at_.size() > 1 && learned_at_[1] <= begin) learned_at_.pop_front();
  return learned_at_.empty() || learned_at_.front() > begin ? 0 : learned_at_.front();
}

void ChangelogKeeper::Purge() {
  const int64_t begin = PurgeOffset();
  // Offsets mean nothing in another log, so nothing is purged until a known record is found again.
  if (!options_.purge || begin <= purged_to_ || left_log_ || !follower_.newest()) return;
  const Result<bool> purged = log_.Purge(begin, *follower_.newest());
  if (purged.ok() && !*purged) {
    LeaveLog(
        "the changelog was deleted and created again, or restored from a copy: it does not hold "
        "the delta that was read last; reading it from its beginning");
  } else if (purged.ok()) {
    purged_to_ = begin;
    probe_.On(event::ChangelogPurged{begin});
  } else if (purged.error().code == ErrorCode::kAuth || purged.error().code == ErrorCode::kConfig) {
    options_.purge = false;
    probe_.On(event::PurgeRefused{purged.error()});
  } else {
    probe_.On(event::KeeperFailed{purged.error()});
  }
}

/// The next Step begins with the snapshot on disk.
void ChangelogKeeper::StartOver() {
  if (writer_) base_ = writer_->published();
  writer_.reset();
  begun_ = false;
}

LocalState::LocalState(const KeeperOptions& options, Clock& clock, KeeperProbe& keeper_probe)
    : options_(options), clock_(clock), keeper_probe_(keeper_probe) {}

LocalState::~LocalState() {
  if (!thread_.joinable()) return;
  stop_ = true;
  thread_.join();
}

Result<std::optional<RestoredSnapshot>> LocalState::Restore(Probe& probe) {
  if (options_.folder.empty()) return std::optional<RestoredSnapshot>();
  NEARDUP_ASSIGN(lock_, TakeSnapshotFolder(options_.folder));
  probe.On(event::PhaseChanged{LanePhase::kRestoring});
  const int64_t started_ms = clock_.SteadyMs();
  SnapshotEvents events;
  events.refused = [&](const Error& error) {
    probe.On(event::StateDiscarded{fmt::format("a snapshot is refused: {}", error.text)});
  };
  events.progress = [&](uint64_t entries, uint64_t total) {
    probe.On(event::Restoring{ShareAmong(entries, total), entries});
  };
  NEARDUP_ASSIGN(std::optional<RestoredSnapshot> restored,
                 RestoreSnapshot(options_.folder, options_.filter, options_.lane, events));
  if (!restored) return restored;
  restored_ = KeeperBase{restored->manifest, restored->state->place()};
  const auto seconds = static_cast<double>(clock_.SteadyMs() - started_ms) / 1000;
  probe.On(event::SnapshotRestored{restored_->manifest.entries(), seconds});
  return restored;
}

void LocalState::Follow(std::unique_ptr<Changelog> log) {
  log_ = std::move(log);
  keeper_ = std::make_unique<ChangelogKeeper>(options_, *log_, clock_, keeper_probe_, restored_);
  thread_ = std::thread([this] {
    while (!stop_) keeper_->Step();
    keeper_->Finish();
  });
}

}  // namespace neardup
