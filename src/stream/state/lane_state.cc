#include "stream/state/lane_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "detect/filter/watermark.h"
#include "detect/record/field_names.h"
#include "detect/record/json_syntax.h"

namespace neardup {
namespace {

using Json = nlohmann::json;

constexpr size_t kInputsMax = size_t{kInputMax} + 1;

/// A key of a FingerprintSpec, and what people know it as.
struct SpecKey {
  std::string_view key;
  std::string_view name;
};
constexpr SpecKey kSpecKeys[] = {{"fields", "record.fields"},
                                 {"exclude", "record.exclude"},
                                 {"format", "record.format"},
                                 {"features_min", "feature.features_min"},
                                 {"markup", "feature.markup"},
                                 {"masks", "feature.masks"},
                                 {"model", "feature.model"},
                                 {"exact_only", "match.distance_max"},
                                 {"algorithm", "fingerprints of this neardup, version"},
                                 {"unicode", "Unicode version of this build"}};

std::string NameOf(std::string_view key) {
  for (const SpecKey& known : kSpecKeys) {
    if (known.key == key) return std::string(known.name);
  }
  return std::string(key);
}

std::string Dumped(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// A field, or another item of a list, as a person writes it in the configuration.
std::string ItemText(const Json& item) {
  if (item.is_string()) return std::string(PlainFieldName(item.get_ref<const std::string&>()));
  if (!item.is_object() || !item.contains("path") || !item["path"].is_string()) return Dumped(item);
  const auto& path = item["path"].get_ref<const std::string&>();
  std::string text(path.empty() ? "all other fields" : PlainFieldName(path));
  constexpr double kWeightUnit = 16;
  const auto weight = item.find("weight16");
  if (weight != item.end() && weight->is_number() && weight->get<double>() != kWeightUnit) {
    text += fmt::format(" (weight {:g})", weight->get<double>() / kWeightUnit);
  }
  if (item.contains("key")) return text + " (key)";
  return item.contains("free") ? text + " (free)" : text;
}

std::string ValueText(std::string_view key, const Json* value) {
  if (key == "exact_only") return value == nullptr ? "1 or more" : "0";
  if (value == nullptr) return "none";
  if (value->is_string()) return value->get<std::string>();
  if (!value->is_array()) return Dumped(*value);
  if (value->empty()) return key == "fields" ? "all" : "none";
  std::string text;
  for (const Json& item : *value) text += (text.empty() ? "" : ", ") + ItemText(item);
  return "[" + text + "]";
}

std::string Phrase(std::string_view name, std::string_view here, std::string_view changelog) {
  return fmt::format("{}: configured {}, changelog {}", name, here, changelog);
}

Error TooManyInputs(const InputPartition& partition) {
  return Fatal(
      ErrorCode::kExhausted,
      fmt::format("{}/{} would be input partition {} of this lane, which numbers at most {}, "
                  "including those that it no longer reads; give some of the topics to "
                  "another `app`, with a fresh changelog",
                  partition.topic, partition.partition, kInputsMax + 1, kInputsMax));
}

Result<void> CheckOffset(const InputPartition& partition, int64_t offset) {
  if (offset <= kOffsetMax) return {};
  return Fatal(ErrorCode::kExhausted,
               fmt::format("{}/{} is at offset {}; the index remembers offsets up to {}; continue "
                           "with a new topic",
                           partition.topic, partition.partition, offset, kOffsetMax));
}

}  // namespace

std::string SpecDifference(std::string_view here, std::string_view changelog) {
  const Json ours = Json::parse(here, nullptr, /*allow_exceptions=*/false);
  const Json theirs = Json::parse(changelog, nullptr, /*allow_exceptions=*/false);
  const std::string whole = Phrase("spec", here, changelog);
  if (NestsDeeperThan(changelog)) return whole;
  if (ours.is_discarded() || theirs.is_discarded()) return whole;
  if (!ours.is_object() || !theirs.is_object()) return whole;
  std::set<std::string> keys;
  for (const Json* spec : {&ours, &theirs}) {
    for (const auto& [key, value] : spec->items()) keys.insert(key);
  }
  if (ours.contains("exact_only") != theirs.contains("exact_only")) {
    // Only one of the specs has these. That does not tell whether the settings differ.
    keys.erase("features_min");
    keys.erase("model");
  }
  const auto value_of = [](const Json& spec, const std::string& key) {
    const auto found = spec.find(key);
    return found == spec.end() ? nullptr : &*found;
  };
  std::string text;
  for (const std::string& key : keys) {
    const Json* here_value = value_of(ours, key);
    const Json* there_value = value_of(theirs, key);
    if (here_value != nullptr && there_value != nullptr && *here_value == *there_value) continue;
    text += (text.empty() ? "" : "; ") +
            Phrase(NameOf(key), ValueText(key, here_value), ValueText(key, there_value));
  }
  return text.empty() ? whole : text;
}

bool HasLostItsEnd(const LogPlace& end, const LogPlace& known) {
  return end.log_id == known.log_id && end.epoch <= known.epoch && end.seq < known.seq;
}

Result<std::unique_ptr<LaneState>> LaneState::New(const FilterOptions& options, uint16_t lane) {
  NEARDUP_ASSIGN(std::unique_ptr<Filter> filter, Filter::New(options));
  return std::unique_ptr<LaneState>(new LaneState(options, lane, std::move(filter)));
}

LaneState::LaneState(const FilterOptions& options, uint16_t lane, std::unique_ptr<Filter> filter)
    : options_(options), lane_(lane), spec_(FingerprintSpec(options)), filter_(std::move(filter)) {}

void LaneState::SetLearned(std::string learned) {
  learned_ = std::move(learned);
  commits_to_learned_ = 0;
}

// ---- applying deltas

Result<void> LaneState::Apply(Delta delta) {
  assert(seq_ == seq_committed_ && filter_->uncommitted().empty());
  NEARDUP_TRY(CheckBelongs(delta));
  NEARDUP_TRY(CheckFollows(delta));
  NEARDUP_TRY(CheckFits(delta));
  if (delta.fresh && !(empty() && inputs_.empty())) NEARDUP_TRY(Clear());
  std::vector<uint32_t> numbers;
  for (const InputProgress& input : delta.inputs) {
    NEARDUP_ASSIGN(const uint32_t number, AddInput(input.partition, input.next_offset));
    inputs_[number].next_offset = input.next_offset;
    committed_offsets_[number] = input.next_offset;
    filter_->RestoreTime(number, input.time_ms);
    inputs_[number].time_ms = filter_->time_ms(number);
    numbers.push_back(number);
  }
  for (Entry& entry : delta.entries) entry.origin.input = numbers[entry.origin.input];
  // The horizon first: an entry that both expires and exceeds the capacity counts as expired.
  filter_->RestoreHorizon(
      std::max(delta.horizon_ms, HorizonAt(delta.watermark_ms, options_.window)));
  filter_->Restore(delta.entries);
  if (has_groups_) groups_.Forget(filter_->TakeForgotten());
  RestoreGroups(delta, numbers);
  if (!any_) seq_first_ = delta.seq_first;
  seq_ = seq_committed_ = delta.seq_last;
  dropped_ = dropped_committed_ = delta.dropped;
  epoch_ = next_epoch_ = std::max(epoch_, delta.epoch);
  log_id_ = delta.log_id;
  writer_ = delta.writer;
  settings_seq_ = delta.settings_seq;
  beginning_ = delta.beginning;
  if (lane_topics_ != delta.pipeline) lane_topics_ = std::move(delta.pipeline);
  if (active_endpoint_ != delta.endpoint) active_endpoint_ = std::move(delta.endpoint);
  entries_held_ += delta.entries.size();
  entries_live_ = delta.entries_live;
  any_ = true;
  return {};
}

Result<void> LaneState::Clear() {
  filter_.reset();
  LaneState cleared(options_, lane_, nullptr);
  cleared.SetLearned(std::move(learned_));
  cleared.SetTopics(std::move(topics_));
  cleared.SetEndpoint(std::move(endpoint_));
  *this = std::move(cleared);
  NEARDUP_ASSIGN(filter_, Filter::New(options_));
  return {};
}

std::optional<uint64_t> LaneState::entries_missing() const {
  if (entries_live_ == kEntriesUnknown) return std::nullopt;
  return entries_live_ - std::min(entries_live_, entries_held_);
}

Result<void> LaneState::CheckBelongs(const Delta& delta) const {
  if (delta.lane != lane_) {
    return Error{ErrorCode::kMismatch,
                 fmt::format("the delta belongs to lane {}, this is lane {}; the record was "
                             "written for another partition of the changelog; docs/recovery.md "
                             "says what to do",
                             delta.lane, lane_)};
  }
  // While no fingerprint exists, a person may still correct the settings.
  const bool has_any = delta.seq_last > 0 || delta.beginning.with != BeganWith::kNothing;
  if (has_any && delta.spec != spec_) {
    return Error{
        ErrorCode::kMismatch,
        fmt::format("the changelog was written with other fingerprint settings: {}. Restore "
                    "the old settings, or stop all instances and run `neardup reindex` with the "
                    "new ones; docs/recovery.md describes it",
                    SpecDifference(spec_, delta.spec))};
  }
  if (!learned_.empty() && !delta.learned.empty() && delta.learned != learned_) {
    return Error{ErrorCode::kMismatch,
                 "the changelog holds other learned settings than this instance has, because "
                 "another instance or `neardup reindex` learned them; start this instance again, "
                 "so that it takes the settings of the changelog"};
  }
  return {};
}

Result<void> LaneState::CheckFollows(const Delta& delta) const {
  const uint64_t decided = delta.seq_last + 1 - delta.seq_first;
  const bool indexed_again = delta.seq_first <= delta.settings_seq;
  if (delta.seq_first == 0 || delta.seq_last < delta.seq_first - 1 ||
      (delta.entries.size() > decided && !indexed_again)) {
    return Error{ErrorCode::kCorrupt,
                 fmt::format("the delta covers records {} to {} and holds {} entries; expected at "
                             "most one entry for each record; docs/recovery.md says what to do",
                             delta.seq_first, delta.seq_last, delta.entries.size())};
  }
  if (any_ && !delta.fresh && delta.seq_first != seq_ + 1) {
    return Error{
        ErrorCode::kCorrupt,
        fmt::format("the changelog has a hole: expected a delta with seq_first {}, found {}. "
                    "Something other than neardup deleted, compacted or wrote records of "
                    "this topic. Restore the topic from a mirror, or start from nothing with "
                    "`neardup reset --all`; see docs/recovery.md",
                    seq_ + 1, delta.seq_first)};
  }
  if (any_ && !delta.fresh && !FollowsDelta(delta, writer_, seq_)) {
    return Error{
        ErrorCode::kCorrupt,
        fmt::format(
            "the changelog has a hole: expected a delta that follows one of writer {:016x}, "
            "found one that follows writer {:016x}, from seq_first {}. Something other "
            "than neardup deleted or wrote records of this topic. Restore the topic from "
            "a mirror, or start from nothing with `neardup reset --all`; see "
            "docs/recovery.md",
            writer_, delta.writer_before, delta.seq_first)};
  }
  return {};
}

/// Refuses what AddInput would refuse, before anything is changed.
Result<void> LaneState::CheckFits(const Delta& delta) const {
  size_t count = delta.fresh ? 0 : inputs_.size();
  for (const InputProgress& input : delta.inputs) {
    const bool added = delta.fresh || !FindInput(input.partition);
    if (added && ++count > kInputsMax) return TooManyInputs(input.partition);
    NEARDUP_TRY(CheckOffset(input.partition, input.next_offset));
  }
  for (const Entry& entry : delta.entries) {
    NEARDUP_TRY(CheckOffset(delta.inputs[entry.origin.input].partition, entry.origin.offset));
  }
  for (const Group& group : delta.groups) {
    for (const Position& position : {group.original, group.last, group.newest}) {
      NEARDUP_TRY(CheckOffset(delta.inputs[position.input].partition, position.offset));
    }
  }
  return {};
}

// ---- inputs

Result<uint32_t> LaneState::AddInput(const InputPartition& partition, int64_t next_offset) {
  if (const auto known = FindInput(partition)) return *known;
  if (inputs_.size() >= kInputsMax) return TooManyInputs(partition);
  NEARDUP_TRY(CheckOffset(partition, next_offset));
  const auto number = static_cast<uint32_t>(inputs_.size());
  numbers_.emplace(partition, number);
  inputs_.push_back({partition, next_offset, INT64_MIN});
  committed_offsets_.push_back(next_offset);
  return number;
}

bool LaneState::moved() const {
  for (size_t i = 0; i < inputs_.size(); ++i) {
    if (inputs_[i].next_offset != committed_offsets_[i]) return true;
  }
  return false;
}

Result<void> LaneState::CheckPosition(const Position& position) const {
  return CheckOffset(inputs_[position.input].partition, position.offset);
}

std::optional<uint32_t> LaneState::FindInput(const InputPartition& partition) const {
  const auto found = numbers_.find(partition);
  if (found == numbers_.end()) return std::nullopt;
  return found->second;
}

// ---- deciding

uint64_t LaneState::Advance(const Position& position) {
  InputProgress& input = inputs_[position.input];
  input.next_offset = position.offset + 1;
  input.time_ms = filter_->time_ms(position.input);
  ++seq_;
  SealWhenFull();
  return seq_;
}

/// A group whose original is forgotten, or was never restored, is left out.
void LaneState::RestoreGroups(const Delta& delta, const std::vector<uint32_t>& numbers) {
  if (delta.groups.empty()) return;
  StartGroups();
  const uint64_t end = filter_->end_number();
  for (const ChangedGroup& changed : delta.groups) {
    if (changed.entries_after >= end - filter_->begin_number()) continue;
    NumberedGroup group{changed, end - 1 - changed.entries_after};
    for (Position* position : {&group.original, &group.last, &group.newest}) {
      position->input = numbers[position->input];
    }
    groups_.Restore(group);
  }
}

JoinedGroup LaneState::Join(const Verdict& verdict, const Position& copy, Keep keep) {
  StartGroups();
  // A time that was set back is not known to be the newest.
  return groups_.Join(verdict.match, copy, verdict.outcome.time_ms,
                      verdict.clamped ? Keep::kFirst : keep);
}

void LaneState::StartGroups() {
  if (std::exchange(has_groups_, true)) return;
  filter_->KeepForgotten();
}

void LaneState::SealWhenFull() {
  const std::span<const Entry> entries = filter_->uncommitted();
  unsealed_bytes_ += (entries.size() - counted_entries_) * kEncodedEntryBytesMax;
  counted_entries_ = entries.size();
  unsealed_bytes_ += (groups_.joins() - counted_joins_) * kEncodedGroupBytesMax;
  counted_joins_ = groups_.joins();
  if (unsealed_bytes_ < kDeltaBytesTarget) return;
  seals_.push_back(SealHere());
  unsealed_bytes_ = 0;
}

LaneState::Seal LaneState::SealHere() const {
  return {seq_,           filter_->uncommitted().size(), filter_->watermark_ms(), inputs_, dropped_,
          groups_.joins()};
}

std::vector<Delta> LaneState::Uncommitted() const {
  assert(!committing_ && !beginning_.unfinished);
  std::vector<Delta> deltas;
  Seal before;
  before.seq_last = seq_committed_;
  for (const Seal& seal : seals_) {
    // The last one is sealed again below, because inputs may have been added since.
    if (seal.seq_last == seq_ && seal.entries == filter_->uncommitted().size()) break;
    deltas.push_back(MakeDelta(before, seal));
    before.seq_last = seal.seq_last;
    before.entries = seal.entries;
    before.joins = seal.joins;
  }
  deltas.push_back(MakeDelta(before, SealHere()));
  if (commits_to_learned_ == 0) deltas.front().learned = learned_;
  deltas.front().writer_before = writer_;
  return deltas;
}

Delta LaneState::MakeDelta(const Seal& before, const Seal& end) const {
  Delta delta;
  delta.lane = lane_;
  delta.epoch = next_epoch_;
  delta.writer = delta.writer_before = next_writer_ == 0 ? writer_ : next_writer_;
  delta.log_id = log_id_ == 0 ? delta.writer : log_id_;
  delta.seq_first = before.seq_last + 1;
  delta.seq_last = end.seq_last;
  delta.watermark_ms = end.watermark_ms;
  delta.horizon_ms = filter_->horizon_ms();
  delta.window_ms = options_.window.window_ms;
  delta.entries_max = options_.window.entries_max;
  delta.distance_max = options_.match.distance_max;
  delta.entries_live = LiveUpTo(end.entries);
  delta.settings_seq = settings_seq_;
  delta.beginning = beginning_;
  delta.endpoint = endpoint_;
  delta.dropped = end.dropped;
  delta.spec = spec_;
  delta.inputs = end.inputs;
  delta.pipeline = topics_;
  const std::span<const Entry> entries = filter_->uncommitted();
  const uint64_t end_number = filter_->end_number() - (filter_->uncommitted().size() - end.entries);
  for (const NumberedGroup& group : groups_.Changed(before.joins, end.joins)) {
    delta.groups.push_back({group, end_number - 1 - group.number});
  }
  delta.entries.assign(entries.begin() + before.entries, entries.begin() + end.entries);
  return delta;
}

/// How many entries are live, without the uncommitted ones from number `entries` on.
uint64_t LaneState::LiveUpTo(size_t entries) const {
  const uint64_t later = filter_->uncommitted().size() - entries;
  return std::min(filter_->entries() - later, options_.window.entries_max);
}

void LaneState::ForgetSeals() {
  seals_.clear();
  committing_.reset();
  counted_entries_ = 0;
  counted_joins_ = 0;
  unsealed_bytes_ = 0;
}

void LaneState::BeginCommit() {
  seals_.clear();
  counted_entries_ = filter_->uncommitted().size();
  counted_joins_ = groups_.joins();
  unsealed_bytes_ = 0;
  groups_.BeginCommit();
  committing_ = SealHere();
  filter_->BeginCommit();
}

void LaneState::Commit() {
  if (!committing_) BeginCommit();
  const Seal& end = *committing_;
  if (next_writer_ != 0) writer_ = next_writer_;
  epoch_ = next_epoch_;
  if (log_id_ == 0) log_id_ = writer_;
  entries_held_ += end.entries;
  entries_live_ = LiveUpTo(end.entries);
  if (!any_) seq_first_ = seq_committed_ + 1;
  filter_->Commit();
  groups_.Commit();
  if (has_groups_) groups_.Forget(filter_->TakeForgotten());
  seq_committed_ = end.seq_last;
  dropped_committed_ = end.dropped;
  for (size_t i = 0; i < end.inputs.size(); ++i) {
    committed_offsets_[i] = end.inputs[i].next_offset;
  }
  for (Seal& seal : seals_) {
    seal.entries -= end.entries;
    seal.joins -= end.joins;
  }
  counted_entries_ -= end.entries;
  counted_joins_ -= end.joins;
  committing_.reset();
  if (lane_topics_ != topics_) lane_topics_ = topics_;
  if (active_endpoint_ != endpoint_) active_endpoint_ = endpoint_;
  commits_to_learned_ = (commits_to_learned_ == 0 ? kCommitsPerLearned : commits_to_learned_) - 1;
  any_ = true;
}

void LaneState::Rollback() {
  filter_->Rollback();
  groups_.Rollback();
  seq_ = seq_committed_;
  dropped_ = dropped_committed_;
  for (uint32_t i = 0; i < inputs_.size(); ++i) {
    inputs_[i].next_offset = committed_offsets_[i];
    inputs_[i].time_ms = filter_->time_ms(i);
  }
  ForgetSeals();
}

}  // namespace neardup
