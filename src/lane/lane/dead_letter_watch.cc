#include "lane/dead_letter_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/nearest_name.h"
#include "record/field_names.h"

namespace neardup {
namespace {

constexpr size_t kSampleBytesMax = size_t{1} << 20;
constexpr size_t kNamesMax = 200;
constexpr size_t kNamesShown = 8;
constexpr size_t kNameBytesShown = 60;

std::string PercentText(double share) { return fmt::format("{:.3g} %", share * 100); }

std::string Joined(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), kNamesShown); ++i) {
    if (!text.empty()) text += ", ";
    text +=
        names[i].size() > kNameBytesShown ? names[i].substr(0, kNameBytesShown) + "..." : names[i];
  }
  if (names.size() > kNamesShown) text += ", ...";
  return text;
}

}  // namespace

void DeadLetterWatch::Counts::Add(const CommittedBatch& batch) {
  records += batch.records();
  for (size_t i = 0; i < dead_letters.size(); ++i) dead_letters[i] += batch.dead_letters[i];
}

uint64_t DeadLetterWatch::Counts::dead() const {
  return std::accumulate(dead_letters.begin(), dead_letters.end(), uint64_t{0});
}

double DeadLetterWatch::Counts::share() const {
  return records == 0 ? 0 : static_cast<double>(dead()) / static_cast<double>(records);
}

void DeadLetterWatch::Saw(const Message& message, const InputPartition& input,
                          const Verdict& verdict) {
  std::optional<Sample>& sample = samples_[static_cast<size_t>(verdict.outcome.reason)];
  if (sample) return;
  sample.emplace();
  sample->place = fmt::format("{}/{}/{}", input.topic, input.partition, message.position.offset);
  sample->error = verdict.outcome.error;
  if (message.value && message.value->size() <= kSampleBytesMax) sample->payload = *message.value;
}

std::optional<std::string> DeadLetterWatch::Judge(const CommittedBatch& open) {
  Counts counts = window_;
  counts.Add(open);
  if (excessive_ || counts.records < kRecordsMin || counts.share() <= options_.share_max) {
    return std::nullopt;
  }
  excessive_ = true;
  return Explain(counts);
}

void DeadLetterWatch::Committed(const CommittedBatch& batch, int64_t now_ms) {
  if (batch.records() == 0) return;
  window_.Add(batch);
  if (window_end_ms_ == 0) window_end_ms_ = now_ms + kWindowMs;
  if (now_ms < window_end_ms_ || window_.records < kRecordsMin) return;
  if (window_.share() <= options_.share_max) excessive_ = false;
  window_ = {};
  window_end_ms_ = 0;
  samples_ = {};
}

std::string DeadLetterWatch::Explain(const Counts& counts) const {
  const auto most = std::max_element(counts.dead_letters.begin(), counts.dead_letters.end());
  const auto reason = static_cast<Reason>(most - counts.dead_letters.begin());
  std::string text = fmt::format(
      "{} of {} records are dead letters ({}), and dead_letters.share_max is {}; the most frequent "
      "reason is {} ({} records)",
      counts.dead(), counts.records, PercentText(counts.share()), PercentText(options_.share_max),
      Name(reason), *most);
  const std::optional<Sample>& sample = samples_[static_cast<size_t>(reason)];
  if (!sample) return text;
  text += fmt::format(", such as {}: {}", sample->place, sample->error);
  return text + MissingFieldHint(sample->payload, reason);
}

std::string DeadLetterWatch::MissingFieldHint(const std::string& payload, Reason reason) const {
  std::vector<std::string> wanted;
  if (reason == Reason::kMissingField) {
    for (const FieldSelector& field : record_.fields) wanted.push_back(field.path);
  } else if (reason == Reason::kEventTime) {
    wanted.push_back(record_.time_field);
  }
  const std::vector<std::string> names = FieldNames(payload, kNamesMax);
  if (wanted.empty() || names.empty()) return "";
  std::string text;
  for (const std::string& selector : wanted) {
    const std::string name(PlainFieldName(selector));
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    if (const auto nearest = NearestName(name, names)) {
      text += fmt::format("; this record has no field {}, did you mean {}?", selector, *nearest);
    }
  }
  return text + fmt::format("; this record has the fields {}", Joined(names));
}

}  // namespace neardup
