#include "commands/report/verdict_summary.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "detect/base/hash.h"
#include "detect/base/quantity.h"
#include "detect/record/field_extractor.h"
#include "kafka/kafka_ports.h"
#include "kafka/topics.h"
#include "learn/words.h"
#include "service/topics/record_finder.h"
#include "service/topics/stopped_lane.h"
#include "service/topics/topic_reading.h"
#include "stream/state/delta.h"
#include "stream/state/pipeline.h"

namespace neardup {
namespace {

double Percent(uint64_t part, uint64_t all) {
  return all == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(all);
}

std::string Row(std::string_view name, uint64_t count, uint64_t all) {
  return fmt::format("  {:<24}{:>14}{:>9.2f} %\n", name, Grouped(count), Percent(count, all));
}

/// The words that only one of the texts has stand in [brackets].
std::string Marked(const std::vector<TextStretch>& stretches) {
  std::string text;
  for (const TextStretch& stretch : stretches) {
    const size_t end = stretch.text.find_last_not_of(' ') + 1;
    text += stretch.differs && end > 0
                ? "[" + stretch.text.substr(0, end) + "]" + stretch.text.substr(end)
                : stretch.text;
  }
  // A terminal would obey control characters.
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = ' ';
  }
  return text;
}

/// What is printed of records: the texts of the compared fields.
class ComparedText {
 public:
  explicit ComparedText(const RecordOptions& options) : extractor_(options) {}

  std::string Of(std::string_view payload) {
    const ExtractedRecord& record = extractor_.Extract({{}, 0, payload});
    std::string text;
    for (const TextPiece& piece : record.pieces) {
      if (piece.key || piece.free) continue;
      text += fmt::format("{}{}", text.empty() ? "" : " | ", piece.text);
    }
    return CutText(record.outcome.comparable() && !text.empty() ? text : payload, kShownBytes);
  }

 private:
  static constexpr size_t kShownBytes = 2000;
  FieldExtractor extractor_;
};

std::string CallText(const ClosestCall& call, ComparedText& compared) {
  std::string text =
      fmt::format("  distance {}: {} of {}\n", call.distance, call.copy, call.original);
  if (!call.original_text) {
    return text + fmt::format("    copy      {}\n    original  (not in its topic any more)\n",
                              Marked({{compared.Of(call.copy_text), false}}));
  }
  const WordDifference difference =
      CompareWords(compared.Of(*call.original_text), compared.Of(call.copy_text));
  return text + fmt::format("    original  {}\n    copy      {}\n", Marked(difference.earlier),
                            Marked(difference.later));
}

std::string DistancesText(const VerdictCounts& counts) {
  std::string text;
  for (size_t distance = 0; distance < kDistancesCounted; ++distance) {
    if (counts.distances[distance] == 0) continue;
    const char* more = distance + 1 == kDistancesCounted ? " or more" : "";
    text += Row(fmt::format("{}{}", distance, more), counts.distances[distance], counts.near);
  }
  return text;
}

}  // namespace

std::string CutText(std::string_view text, size_t bytes_max) {
  if (text.size() <= bytes_max) return std::string(text);
  size_t end = bytes_max;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return std::string(text.substr(0, end)) + "…";
}

uint64_t VerdictCounts::dead() const {
  uint64_t sum = 0;
  for (const uint64_t count : dead_letters) sum += count;
  return sum;
}

void VerdictSummary::Add(const InputPartition& place, const Message& message) {
  const Result<ParsedHeader> header = ParseRouteHeader(message.headers);
  if (!header.ok()) {
    ++counts_.unreadable;
    return;
  }
  counts_.late += header->late ? 1 : 0;
  counts_.suspects += header->suspect ? 1 : 0;
  counts_.replacing += header->replaces ? 1 : 0;
  counts_.released += header->released ? 1 : 0;
  counts_.observed += header->observed ? 1 : 0;
  if (message.timestamp_ms >= 0) {
    counts_.first_ms = std::min(counts_.first_ms, message.timestamp_ms);
    counts_.last_ms = std::max(counts_.last_ms, message.timestamp_ms);
  }
  switch (header->decision()) {
    case Decision::kUnique:
      ++counts_.unique;
      break;
    case Decision::kDuplicate:
      AddDuplicate(place, message, *header->original);
      break;
    case Decision::kDeadLetter:
      ++counts_.dead_letters[static_cast<size_t>(header->reason)];
      break;
  }
}

void VerdictSummary::AddDuplicate(const InputPartition& place, const Message& message,
                                  const ParsedOriginal& original) {
  const std::string name = TextOf(original.partition, original.offset);
  const auto found = originals_.find(name);
  if (found != originals_.end()) {
    CopiedRecord& copied = found->second;
    ++copied.copies;
    copied.first_ms = std::min(copied.first_ms, message.timestamp_ms);
    copied.last_ms = std::max(copied.last_ms, message.timestamp_ms);
  } else if (originals_.size() < kOriginalsMax) {
    originals_[name] = {name, 1, message.timestamp_ms, message.timestamp_ms};
  } else {
    originals_left_out_ = true;
  }
  if (original.kind == MatchKind::kExact) {
    ++counts_.exact;
    return;
  }
  ++counts_.near;
  const auto distance = static_cast<size_t>(std::max(0, original.distance));
  ++counts_.distances[std::min(distance, kDistancesCounted - 1)];
  const auto comes_first = [](const ClosestCall& a, const ClosestCall& b) {
    return std::pair(-a.distance, Hash64(a.copy)) < std::pair(-b.distance, Hash64(b.copy));
  };
  ClosestCall call{.copy = TextOf(place, message.position.offset),
                   .original = name,
                   .distance = original.distance,
                   .copy_text = {}};
  const auto after = std::upper_bound(calls_.begin(), calls_.end(), call, comes_first);
  if (after == calls_.end() && calls_.size() == calls_max_) return;
  RecordBuffer buffer;
  call.copy_text = CutText(RecordOf(message, buffer).value.value_or(""));
  calls_.insert(after, std::move(call));
  if (calls_.size() > calls_max_) calls_.pop_back();
}

std::vector<CopiedRecord> VerdictSummary::MostCopied(size_t count) const {
  std::vector<CopiedRecord> all;
  all.reserve(originals_.size());
  for (const auto& [name, copied] : originals_) all.push_back(copied);
  const auto more = [](const CopiedRecord& a, const CopiedRecord& b) {
    return a.copies != b.copies ? a.copies > b.copies : a.original < b.original;
  };
  const size_t kept = std::min(count, all.size());
  std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(kept), all.end(), more);
  all.resize(kept);
  return all;
}

std::string ReportText(const VerdictReport& report) {
  const VerdictCounts& counts = report.counts;
  ComparedText compared(report.record);
  const uint64_t all = counts.records();
  std::string text = fmt::format("{} decided records", Grouped(all));
  if (counts.first_ms <= counts.last_ms) {
    text += fmt::format(", {} to {}", UtcText(counts.first_ms), UtcText(counts.last_ms));
  }
  text += "\n\n" + Row("unique", counts.unique, all) + Row("exact duplicates", counts.exact, all) +
          Row("near duplicates", counts.near, all) + Row("dead letters", counts.dead(), all);
  for (size_t reason = 0; reason < counts.dead_letters.size(); ++reason) {
    if (counts.dead_letters[reason] == 0) continue;
    text += Row(fmt::format("  {}", Name(static_cast<Reason>(reason))), counts.dead_letters[reason],
                all);
  }
  if (counts.suspects > 0) text += Row("suspects, among unique", counts.suspects, all);
  if (counts.replacing > 0) text += Row("newer than their group", counts.replacing, all);
  if (counts.released > 0) text += Row("released duplicates", counts.released, all);
  if (counts.late > 0) text += Row("late", counts.late, all);
  if (counts.observed > 0) {
    text += fmt::format(
        "\n{} of them went to the unique topic because the lane observed. By routing, they would "
        "have gone to the duplicate and dead-letter topics.\n",
        Grouped(counts.observed));
  }
  if (counts.near > 0) {
    text += fmt::format("\nnear duplicates by distance{}\n{}",
                        report.limits.empty() ? "" : ", in force now: " + report.limits,
                        DistancesText(counts));
  }
  if (!report.closest_calls.empty()) {
    text +=
        "\nclosest calls: near duplicates with the largest distance, differing words in "
        "[brackets]\n";
    for (const ClosestCall& call : report.closest_calls) text += CallText(call, compared);
  }
  if (!report.most_copied.empty()) text += "\nmost copied\n";
  for (const CopiedRecord& copied : report.most_copied) {
    text += fmt::format("  {:>10} copies of {}, {} to {}\n", Grouped(copied.copies),
                        copied.original, UtcText(copied.first_ms), UtcText(copied.last_ms));
    if (copied.text) text += fmt::format("    {}\n", Marked({{compared.Of(*copied.text), false}}));
  }
  for (const std::string& note : report.notes) text += fmt::format("\nnote: {}\n", note);
  return text;
}

std::string ReportJson(const VerdictReport& report) {
  const VerdictCounts& counts = report.counts;
  nlohmann::ordered_json json = {{"records", counts.records()},    {"unique", counts.unique},
                                 {"exact", counts.exact},          {"near", counts.near},
                                 {"dead_letter", counts.dead()},   {"late", counts.late},
                                 {"suspect", counts.suspects},     {"replacing", counts.replacing},
                                 {"released", counts.released},    {"observed", counts.observed},
                                 {"unreadable", counts.unreadable}};
  json["reasons"] = nlohmann::ordered_json::object();
  for (size_t reason = 0; reason < counts.dead_letters.size(); ++reason) {
    if (counts.dead_letters[reason] == 0) continue;
    json["reasons"][Name(static_cast<Reason>(reason))] = counts.dead_letters[reason];
  }
  json["distances"] = counts.distances;
  json["closest_calls"] = nlohmann::ordered_json::array();
  for (const ClosestCall& call : report.closest_calls) {
    nlohmann::ordered_json row = {{"copy", call.copy},
                                  {"original", call.original},
                                  {"distance", call.distance},
                                  {"copy_text", call.copy_text}};
    row["original_text"] = nullptr;
    if (call.original_text) row["original_text"] = *call.original_text;
    json["closest_calls"].push_back(std::move(row));
  }
  json["most_copied"] = nlohmann::ordered_json::array();
  for (const CopiedRecord& copied : report.most_copied) {
    json["most_copied"].push_back(
        {{"original", copied.original},
         {"copies", copied.copies},
         {"first_ms", copied.first_ms},
         {"last_ms", copied.last_ms},
         {"text", copied.text ? nlohmann::ordered_json(*copied.text) : nlohmann::ordered_json()}});
  }
  json["limits"] = report.limits;
  json["notes"] = report.notes;
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::string ReportCases(const VerdictReport& report) {
  using Json = nlohmann::ordered_json;
  std::string lines;
  for (const ClosestCall& call : report.closest_calls) {
    if (!call.original_text) continue;
    const Json a = Json::parse(*call.original_text, nullptr, false);
    const Json b = Json::parse(call.copy_text, nullptr, false);
    if (!a.is_object() || !b.is_object()) continue;
    const Json line = {
        {"name", fmt::format("{} of {}, distance {}", call.copy, call.original, call.distance)},
        {"a", a},
        {"b", b},
        {"expect", "duplicate"}};
    lines += line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  }
  return lines;
}

namespace {

/// The originals may be deleted, and then a pair shows only its copy.
Result<void> FindOriginals(const Settings& settings, VerdictReport& report, const KafkaLog& log) {
  RecordFinder finder(settings, log);
  const auto find = [&](const std::string& name, std::optional<std::string>& text) -> Result<void> {
    Result<NamedRecord> original = finder.Find(name);
    if (!original.ok() && original.error().code != ErrorCode::kNotFound) return original.error();
    // The topic may have been created again since.
    if (original.ok() && original->value && nlohmann::json::accept(*original->value)) {
      text = CutText(*original->value);
    }
    return {};
  };
  for (ClosestCall& call : report.closest_calls) {
    NEARDUP_TRY(find(call.original, call.original_text));
  }
  for (CopiedRecord& copied : report.most_copied) NEARDUP_TRY(find(copied.original, copied.text));
  return {};
}

}  // namespace

Result<VerdictReport> ReadVerdicts(const Settings& settings, const VerdictReadingOptions& options,
                                   Progress& progress, const KafkaLog& log) {
  KafkaOptions outputs = settings.kafka;
  outputs.topics = OutputsOf(settings.kafka);
  NEARDUP_ASSIGN(const std::unique_ptr<Source> source, NewKafkaSource(outputs, log));
  NEARDUP_ASSIGN(const std::vector<InputPartition> partitions, source->Partitions());
  NEARDUP_ASSIGN(const std::vector<OffsetBounds> bounds,
                 ListOffsetBounds(outputs, partitions, log));
  std::vector<int64_t> begins(partitions.size(), 0);
  if (options.from_ms) {
    NEARDUP_ASSIGN(begins, ListOffsetsAtTime(outputs, partitions, *options.from_ms, log));
  }
  std::vector<ReadRange> ranges;
  uint64_t offsets = 0;
  for (size_t i = 0; i < partitions.size(); ++i) {
    // Nobody hands out the records of an open transaction.
    NEARDUP_ASSIGN(const int64_t end, source->StartOffset(partitions[i], StartAt::kLatest));
    const int64_t begin = std::min(std::max(begins[i], bounds[i].begin), end);
    ranges.push_back({partitions[i], begin, end});
    offsets += static_cast<uint64_t>(end - begin);
  }
  VerdictSummary summary(options.calls_max);
  progress.Begin("reading outputs", offsets, "records");
  NEARDUP_TRY(ReadRanges(*source, ranges, [&](const Message& message) -> Result<void> {
    progress.Add(1);
    const ReadRange& range = ranges[message.position.input];
    if (message.position.offset < range.end) summary.Add(range.partition, message);
    return {};
  }));
  progress.End();
  VerdictReport report{.counts = summary.counts(),
                       .closest_calls = std::move(summary.closest_calls()),
                       .most_copied = summary.MostCopied(options.copied_max),
                       .record = settings.lane.filter.record};
  NEARDUP_TRY(FindOriginals(settings, report, log));
  NEARDUP_ASSIGN(const std::optional<Delta> newest, ReadNewestDelta(settings, log));
  if (newest && newest->dropped > 0) {
    report.notes.push_back(fmt::format(
        "{} duplicates went to no topic since the lane began (routing.exact or routing.near is "
        "drop), and are not counted above",
        Grouped(newest->dropped)));
  }
  if (report.counts.unreadable > 0) {
    report.notes.push_back(fmt::format(
        "{} records of the output topics have no header of neardup, or a broken one, and are not "
        "counted; `neardup verify` names them",
        Grouped(report.counts.unreadable)));
  }
  if (summary.originals_left_out()) {
    report.notes.push_back(fmt::format(
        "more than {} records have copies, so that some of them are missing among the most copied; "
        "a later --since looks at fewer",
        Grouped(VerdictSummary::kOriginalsMax)));
  }
  return report;
}

}  // namespace neardup
