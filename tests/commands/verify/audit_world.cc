#include "commands/verify/audit_world.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <random>
#include <set>
#include <tuple>

#include "detect/base/letter_word.h"
#include "stream/lane/route_header.h"

namespace neardup {
namespace {

constexpr int64_t kStartMs = 1'700'000'000'000;
constexpr size_t kWordsPerText = 40;

using Random = std::mt19937_64;

std::string RandomText(Random& random) {
  std::string text;
  for (size_t i = 0; i < kWordsPerText; ++i) text.append(LetterWord(random() % 5000)).append(" ");
  return text;
}

/// Replaces 0 to 3 words.
std::string Varied(std::string text, Random& random) {
  for (uint64_t changes = random() % 4; changes > 0; --changes) {
    const size_t begin = text.find(' ', random() % (text.size() - 10)) + 1;
    const size_t end = text.find(' ', begin);
    text.replace(begin, end - begin, LetterWord(5000 + random() % 5000));
  }
  return text;
}

/// A random payload; a few cannot be compared.
std::optional<std::string> RandomValue(Random& random, std::vector<std::string>& texts,
                                       uint32_t new_text_one_in) {
  switch (random() % 25) {
    case 0:
      return std::nullopt;
    case 1:
      return "{\"text\":";
    case 2:
      return "[1]";
    case 3:
      return "{\"other\":1}";
    default:
      break;
  }
  if (texts.empty() || random() % new_text_one_in == 0) {
    texts.push_back(RandomText(random));
    return "{\"text\":\"" + texts.back() + "\"}";
  }
  // One after the other, so that each compiler makes the same world.
  const std::string text = Varied(texts[random() % texts.size()], random);
  return "{\"id\":" + std::to_string(random()) + ",\"text\":\"" + text + "\"}";
}

/// The reference filter: remembers every unique, compares with all of them, and forgets exactly by
/// the rules of window, lateness and capacity.
class ScanFilter {
 public:
  explicit ScanFilter(const FilterOptions& options) : options_(options) {}

  Verdict Decide(const FingerprintedRecord& record) {
    Verdict verdict;
    verdict.outcome = record.outcome;
    if (record.outcome.reason != Reason::kNone) verdict.decision = Decision::kDeadLetter;
    if (!record.outcome.comparable()) return verdict;
    verdict.late = record.outcome.time_ms < horizon_ms_;
    auto [seen, added] = times_ms_.emplace(record.position.input, record.outcome.time_ms);
    seen->second = std::max(seen->second, record.outcome.time_ms);
    int best = 65 * 2;
    for (const FingerprintedRecord& entry : entries_) {
      const int rank = Rank(entry, record);
      if (rank >= best) continue;
      best = rank;
      verdict.decision = Decision::kDuplicate;
      verdict.match.original = entry.position;
      verdict.match.distance =
          std::popcount(entry.fingerprint.simhash ^ record.fingerprint.simhash);
      verdict.match.kind = rank == 0 ? MatchKind::kExact : MatchKind::kNear;
    }
    if (verdict.decision == Decision::kUnique) {
      NameSuspect(record, verdict);
      entries_.push_back(record);
    }
    return verdict;
  }

  void Commit() {
    int64_t watermark_ms = INT64_MAX;
    for (const auto& [input, time_ms] : times_ms_) watermark_ms = std::min(watermark_ms, time_ms);
    const WindowOptions& window = options_.window;
    if (!times_ms_.empty()) {
      horizon_ms_ = std::max(horizon_ms_, watermark_ms - window.window_ms - window.lateness_ms);
    }
    while (!entries_.empty() && (entries_.size() > window.entries_max ||
                                 entries_.front().outcome.time_ms < horizon_ms_)) {
      entries_.erase(entries_.begin());
    }
  }

 private:
  /// Without text keys.
  void NameSuspect(const FingerprintedRecord& record, Verdict& verdict) const {
    const MatchOptions& match = options_.match;
    if (match.suspect_distance_max <= match.distance_max) return;
    for (const FingerprintedRecord& entry : entries_) {
      const int distance = std::popcount(entry.fingerprint.simhash ^ record.fingerprint.simhash);
      const int order = std::popcount(entry.fingerprint.order ^ record.fingerprint.order);
      const int more = match.suspect_distance_max - match.distance_max;
      if (std::llabs(entry.outcome.time_ms - record.outcome.time_ms) > options_.window.window_ms ||
          distance > match.suspect_distance_max ||
          distance + order > match.distance_sum_max + more || Conflict(entry, record)) {
        continue;
      }
      verdict.match = {entry.position, 0, distance, MatchKind::kNear, true};
      return;
    }
  }

  /// Whether more numbers conflict than the later record may have, one for 50 tokens.
  bool Conflict(const FingerprintedRecord& entry, const FingerprintedRecord& record) const {
    const uint64_t first = entry.fingerprint.numbers;
    const uint64_t second = record.fingerprint.numbers;
    const int bits = std::min(std::popcount(first & ~second), std::popcount(second & ~first));
    return options_.match.numbers && bits > 2 * static_cast<int>(record.features / 50);
  }

  /// 0 for an equal record, more for a less similar one, 1000 for one that is no duplicate. Written
  /// independently of Accepts (detect/index/search.h).
  int Rank(const FingerprintedRecord& entry, const FingerprintedRecord& record) const {
    if (std::llabs(entry.outcome.time_ms - record.outcome.time_ms) > options_.window.window_ms)
      return 1000;
    if (entry.fingerprint.exact == record.fingerprint.exact) return 0;
    const int distance = std::popcount(entry.fingerprint.simhash ^ record.fingerprint.simhash);
    const int order = std::popcount(entry.fingerprint.order ^ record.fingerprint.order);
    const MatchOptions& match = options_.match;
    int shared_keys = 0;
    for (const uint32_t key : record.text_keys.keys()) {
      const auto keys = entry.text_keys.keys();
      const bool shared = std::find(keys.begin(), keys.end(), key) != keys.end();
      if (match.widen && shared) ++shared_keys;
    }
    int allowed = match.distance_max;
    if (match.features_per_bit > 0) {
      allowed = std::min(allowed, static_cast<int>(record.features / match.features_per_bit));
    }
    const bool near = match.distance_max > 0 &&
                      distance <= allowed + 2 * std::min(shared_keys, 3) &&
                      distance + order <= match.distance_sum_max + 2 * std::min(shared_keys, 2) &&
                      !Conflict(entry, record);
    return near ? 1 + distance + order : 1000;
  }

  FilterOptions options_;
  std::vector<FingerprintedRecord> entries_;
  std::map<uint32_t, int64_t> times_ms_;
  int64_t horizon_ms_ = INT64_MIN;
};

std::string TopicOf(const std::string& input_topic, Route route) {
  return input_topic + "." + Name(static_cast<Decision>(route));
}

}  // namespace

Message StoredRecord::message(uint32_t input) const {
  Message message;
  message.position = {input, offset};
  message.timestamp_ms = timestamp_ms;
  if (key) message.key = *key;
  if (value) message.value = *value;
  for (const auto& [name, text] : headers) {
    message.headers.push_back({name, text ? std::optional<std::string_view>(*text) : std::nullopt});
  }
  return message;
}

FilterOptions SmallFilter(int distance_max) {
  FilterOptions options;
  options.record.fields = {{"text", 1.0}};
  options.feature.features_min = 5;
  options.match.distance_max = distance_max;
  options.window.window_ms = 3600 * 1000;
  options.window.lateness_ms = 60 * 1000;
  return options;
}

World::World(const WorldOptions& options) {
  audit.filter = options.filter;
  Decide(options, MakeInputs(options));
}

/// Returns the order of the decisions: by time, with the partitions mixed.
std::vector<World::Order> World::MakeInputs(const WorldOptions& options) {
  Random random(options.seed);
  const InputPartition partitions[] = {{"a.news", 0}, {"a.news", 1}, {"b_logs", 0}, {"b_logs", 7}};
  std::map<InputPartition, int64_t> next_offsets;
  std::vector<std::string> texts;
  std::vector<Order> order;
  int64_t time_ms = kStartMs;
  for (size_t i = 0; i < options.records; ++i) {
    const InputPartition& partition = partitions[random() % 4];
    // Transaction markers and aborted records leave gaps.
    int64_t& offset = next_offsets[partition];
    offset += 1 + static_cast<int64_t>(random() % 8 == 0);
    time_ms += static_cast<int64_t>(random() % 60'000);
    StoredRecord record;
    record.offset = offset;
    // Some records are late, and a few of them later than window and lateness allow.
    const int64_t late_ms =
        random() % 50 == 0 ? 9'000'000 : static_cast<int64_t>(random() % options.late_max_ms);
    record.timestamp_ms = time_ms - late_ms;
    if (random() % 4 != 0) record.key = std::to_string(random() % 100);
    record.value = RandomValue(random, texts, options.new_text_one_in);
    record.headers = {{"trace", std::to_string(random())}, {"empty", std::nullopt}};
    auto& stored = inputs[partition];
    stored.push_back(std::move(record));
    order.push_back({partition, stored.size() - 1});
  }
  return order;
}

void World::Decide(const WorldOptions& options, const std::vector<Order>& order) {
  std::vector<InputPartition> numbers;
  for (const auto& [partition, records] : inputs) numbers.push_back(partition);
  Fingerprinter fingerprinter(options.filter);
  ScanFilter filter(options.filter);
  RouteHeaderWriter writer(options.headers);
  uint64_t seq = 0;
  std::map<Position, std::pair<Position, int64_t>> newest;  // of the group of each unique record
  for (const Order& next : order) {
    const auto number = static_cast<uint32_t>(
        std::find(numbers.begin(), numbers.end(), next.partition) - numbers.begin());
    const StoredRecord& record = inputs[next.partition][next.index];
    const FingerprintedRecord fingerprinted = fingerprinter.Compute(
        {{number, record.offset}, record.timestamp_ms, record.message(number).value});
    const Verdict verdict = filter.Decide(fingerprinted);
    if (verdict.decision == Decision::kDuplicate) ++distances[verdict.match.distance];
    const bool observes = options.observes_for != 0 && seq / options.observes_for % 2 == 0;
    const Position position{number, record.offset};
    const int64_t time_ms = fingerprinted.outcome.time_ms;
    const bool duplicate = verdict.decision == Decision::kDuplicate;
    const Position original = duplicate ? verdict.match.original : position;
    if (verdict.decision == Decision::kUnique) newest[position] = {position, time_ms};
    JoinedGroup joined;
    if (duplicate) {
      auto& [stands, stands_ms] = newest[original];
      joined = {stands, time_ms > stands_ms};
      if (joined.replaces) std::tie(stands, stands_ms) = std::pair(position, time_ms);
    }
    const bool replaces = options.keeps_newest && joined.replaces;
    const Route route = observes || replaces ? Route::kUnique : RouteOf(verdict.decision);
    const Message message = record.message(number);
    RoutedRecord routed{.message = message,
                        .input = next.partition,
                        .verdict = verdict,
                        .fingerprint = fingerprinted.fingerprint,
                        .route = route,
                        .mode = observes ? RoutingMode::kObserve : RoutingMode::kRoute,
                        .seq = ++seq,
                        .original_input = &numbers[verdict.match.original.input]};
    if (options.keeps_newest && duplicate) {
      routed.joined = &joined;
      routed.newest_input = &numbers[joined.newest_before.input];
    }
    const bool keyed = options.keyed && route == Route::kUnique;
    const std::string group_key = GroupKey(numbers[original.input], original.offset);
    if (keyed) routed.group_key = group_key;
    StoredRecord written = record;
    if (keyed) written.key = group_key;
    for (const HeaderView& header : writer.Write(routed)) {
      written.headers.emplace_back(
          std::string(header.name),
          header.value ? std::optional(std::string(*header.value)) : std::nullopt);
    }
    const InputPartition& target = keyed ? numbers[original.input] : next.partition;
    auto& place = outputs[{TopicOf(target.topic, route), target.partition}];
    written.offset = static_cast<int64_t>(place.size());
    place.push_back(std::move(written));
    if (seq % options.transaction_records == 0) filter.Commit();
  }
}

void World::TakePart(int64_t from_ms, int64_t to_ms) {
  for (const auto& input : inputs) {
    const InputPartition& partition = input.first;
    const auto& records = input.second;
    const auto first_at = [&](int64_t time_ms) {
      const auto found = std::find_if(records.begin(), records.end(), [&](const auto& record) {
        return record.timestamp_ms >= time_ms;
      });
      return found == records.end() ? records.back().offset + 1 : found->offset;
    };
    begins[partition] = first_at(from_ms);
    ends[partition] = first_at(to_ms);
  }
  audit.part = true;
  audit.earlier_time_max_ms = from_ms;
}

bool World::IsAudited(const InputPartition& partition, int64_t offset) const {
  const auto begin = begins.find(partition);
  const auto end = ends.find(partition);
  return (begin == begins.end() || offset >= begin->second) &&
         (end == ends.end() || offset < end->second);
}

AuditReport World::Audited() const {
  Audit checker(audit);
  std::map<InputPartition, uint32_t> numbers;
  for (const auto& [partition, records] : inputs) {
    AuditedInput input;
    input.partition = partition;
    if (begins.count(partition) > 0) input.begin = begins.at(partition);
    if (ends.count(partition) > 0) input.end = ends.at(partition);
    input.left_out_before = audit.part && !begins.empty();
    input.unique_topic = TopicOf(partition.topic, Route::kUnique);
    input.duplicate_topic = TopicOf(partition.topic, Route::kDuplicate);
    input.dead_letter_topic = TopicOf(partition.topic, Route::kDeadLetter);
    numbers[partition] = checker.AddPartition(input);
  }
  for (const auto& [partition, records] : inputs) {
    for (const StoredRecord& record : records) {
      checker.AddInput(record.message(numbers.at(partition)));
    }
  }
  for (const InputPartition& place : beheaded) {
    for (const auto& [partition, number] : numbers) {
      for (const Route route : kRoutes) {
        if (place == InputPartition{TopicOf(partition.topic, route), partition.partition}) {
          checker.AddDeletedOutputs(number, route);
        }
      }
    }
  }
  for (const auto& [place, records] : outputs) {
    for (const StoredRecord& record : records) checker.AddOutput(place, record.message(0));
  }
  for (const StoredRecord& group : groups) checker.AddGroup(group.message(0), "groups");
  return checker.Finish();
}

World::Spot World::FindOutput(const std::string& topic_ending,
                              const std::string& header_part) const {
  for (const auto& [place, records] : outputs) {
    if (place.topic.find("." + topic_ending) == std::string::npos) continue;
    for (size_t i = 1; i + 1 < records.size(); ++i) {
      if (records[i].headers.back().second->find(header_part) != std::string::npos) {
        return {place, i};
      }
    }
  }
  ADD_FAILURE() << "the world has no " << topic_ending << " with " << header_part;
  std::abort();
}

StoredRecord& World::input_of(const Spot& spot) {
  const auto parsed = ParseRouteHeader(at(spot).message(0).headers);
  for (StoredRecord& record : inputs.at(parsed->origin)) {
    if (record.offset == parsed->origin_offset) return record;
  }
  ADD_FAILURE() << "no input";
  std::abort();
}

void World::MoveTo(const Spot& spot, const std::string& route) {
  InputPartition to = spot.place;
  to.topic = to.topic.substr(0, to.topic.rfind('.') + 1) + route;
  Move(spot, to);
}

void World::Set(const Spot& spot, const std::string& field, const std::string& value) {
  std::string& text = header(spot);
  text = Replaced(text, field + "=" + FieldOf(text, field), field + "=" + value);
}

void World::Move(const Spot& spot, const InputPartition& to) {
  auto seq_of = [](const StoredRecord& record) {
    return ParseRouteHeader(record.message(0).headers)->seq;
  };
  StoredRecord record = at(spot);
  outputs[spot.place].erase(outputs[spot.place].begin() + static_cast<std::ptrdiff_t>(spot.index));
  auto& place = outputs[to];
  const auto behind = std::find_if(place.begin(), place.end(), [&](const StoredRecord& other) {
    return seq_of(other) > seq_of(record);
  });
  place.insert(behind, std::move(record));
}

World SmallWorld(HeaderStyle headers) {
  return World({.seed = kWorldSeed, .filter = SmallFilter(), .headers = headers});
}

void ExpectPasses(const AuditReport& report) {
  EXPECT_TRUE(report.ok()) << ReportText(report);
  EXPECT_GT(report.unique, 0u);
  EXPECT_GT(report.duplicates, 0u);
  EXPECT_GT(report.dead_letters, 0u);
}

void ExpectViolated(const AuditReport& report, const std::vector<AuditCheck>& checks,
                    const std::string& text) {
  std::set<std::string> expected;
  for (AuditCheck check : checks) expected.insert(Name(check));
  std::set<std::string> violated;
  for (size_t i = 0; i < kAuditCheckCount; ++i) {
    const auto check = static_cast<AuditCheck>(i);
    if (report[check].violations > 0) violated.insert(Name(check));
  }
  EXPECT_EQ(violated, expected) << ReportText(report);
  EXPECT_FALSE(report.ok());
  ASSERT_FALSE(report[checks[0]].first.empty());
  EXPECT_THAT(report[checks[0]].first[0].text, testing::HasSubstr(text));
  EXPECT_THAT(ReportText(report), testing::HasSubstr(report[checks[0]].first[0].where));
}

std::string Replaced(const std::string& text, const std::string& from, const std::string& to) {
  const size_t begin = text.find(from);
  if (begin == std::string::npos) {
    ADD_FAILURE() << "no '" << from << "' in '" << text << "'";
    return text;
  }
  return std::string(text).replace(begin, from.size(), to);
}

std::string FieldOf(const std::string& header, const std::string& name) {
  const size_t begin = header.find(name + "=") + name.size() + 1;
  return header.substr(begin, header.find(';', begin) - begin);
}

}  // namespace neardup
