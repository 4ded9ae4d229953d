#include "stream/lane/dead_letters.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <numeric>
#include <string_view>

#include "detect/base/message_text.h"
#include "detect/record/field_names.h"

namespace neardup {
namespace {

constexpr size_t kStudiedBytesMax = size_t{1} << 20;
constexpr size_t kNamesMax = 200;
constexpr size_t kNamesShown = 8;
constexpr size_t kNameBytesShown = 60;

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

bool NamesFields(Reason reason) {
  return reason == Reason::kMissingField || reason == Reason::kEventTime;
}

bool EqualButForCase(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) ==
           std::tolower(static_cast<unsigned char>(y));
  });
}

std::string_view LastPart(std::string_view name) {
  return name.substr(name.rfind('/') + 1);  // the whole name if there is no '/'
}

}  // namespace

void DeadLetterCauses::Saw(const Message& message, const ReadOutcome& outcome,
                           const std::function<std::string()>& place) {
  std::optional<Cause>& cause = causes_[static_cast<size_t>(outcome.reason)];
  if (!cause) {
    cause.emplace();
    cause->place = place();
    cause->error = outcome.error;
  }
  if (NamesFields(outcome.reason) && cause->studied < kStudiedMax) cause->Study(message);
}

void DeadLetterCauses::Cause::Study(const Message& message) {
  RecordBuffer buffer;
  const RecordView record = RecordOf(message, buffer);
  if (!record.value || record.value->size() > kStudiedBytesMax) return;
  ++studied;
  for (std::string& name : FieldNames(*record.value, kNamesMax)) {
    const auto known = in.find(name);
    if (known != in.end()) {
      ++known->second;
    } else if (names.size() < kNamesMax) {
      in.emplace(name, 1);
      names.push_back(std::move(name));
    }
  }
}

std::optional<std::string> DeadLetterCauses::Cause::Meant(const std::string& name) const {
  const auto find = [this](const auto& fits) -> std::optional<std::string> {
    const auto found = std::ranges::find_if(names, fits);
    return found == names.end() ? std::nullopt : std::optional(*found);
  };
  if (auto same = find([&](const std::string& each) { return EqualButForCase(each, name); })) {
    return same;
  }
  if (auto near = NearestName(name, names)) return near;
  // A field of this name in another object.
  return find([&](const std::string& each) { return LastPart(each) == LastPart(name); });
}

std::string DeadLetterCauses::Cause::FieldsText(const std::vector<std::string>& wanted) const {
  std::string text;
  for (const std::string& selector : wanted) {
    const std::string name(PlainFieldName(selector));
    if (in.contains(name)) continue;
    const std::optional<std::string> meant = Meant(name);
    if (!meant) continue;
    text += fmt::format("; expected field `{}`, found `{}` in {} of records", selector, *meant,
                        RoundedPercent(ShareAmong(in.at(*meant), studied)));
  }
  return text + fmt::format("; these records have the fields {}", Joined(names));
}

std::string DeadLetterCauses::Explain(Reason reason, const RecordOptions& record) const {
  const std::optional<Cause>& cause = causes_[static_cast<size_t>(reason)];
  if (!cause) return "";
  const std::string text = fmt::format(", such as {}: {}", cause->place, cause->error);
  std::vector<std::string> wanted;
  if (reason == Reason::kMissingField) {
    for (const FieldSelector& field : record.fields) wanted.push_back(field.path);
  } else if (reason == Reason::kEventTime) {
    wanted.push_back(record.time_field);
  }
  return wanted.empty() || cause->names.empty() ? text : text + cause->FieldsText(wanted);
}

void DeadLetterWatch::Counts::Add(const CommittedBatch& batch) {
  records += batch.records();
  for (size_t i = 0; i < dead_letters.size(); ++i) dead_letters[i] += batch.dead_letters[i];
}

uint64_t DeadLetterWatch::Counts::dead() const {
  return std::accumulate(dead_letters.begin(), dead_letters.end(), uint64_t{0});
}

void DeadLetterWatch::Saw(const Message& message, const InputPartition& input,
                          const Verdict& verdict) {
  causes_.Saw(message, verdict.outcome, [&] {
    return fmt::format("{}/{}/{}", input.topic, input.partition, message.position.offset);
  });
}

std::optional<std::string> DeadLetterWatch::Judge(const CommittedBatch& open, bool first_commit) {
  Counts counts = window_;
  counts.Add(open);
  const uint64_t records_min = first_commit ? kFirstRecordsMin : kRecordsMin;
  if (excessive_ || counts.records < records_min || counts.share() <= options_.share_max) {
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
  causes_ = {};
}

std::string DeadLetterWatch::Explain(const Counts& counts) const {
  const auto most = std::ranges::max_element(counts.dead_letters);
  const auto reason = static_cast<Reason>(most - counts.dead_letters.begin());
  return fmt::format(
             "{} of {} records are dead letters ({}), and dead_letters.share_max is {}; the most "
             "frequent reason is {} ({})",
             counts.dead(), counts.records, RoundedPercent(counts.share()),
             RoundedPercent(options_.share_max), Name(reason), Counted(*most, "record")) +
         causes_.Explain(reason, record_);
}

}  // namespace neardup
