#include "service/config/settings_table.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "detect/base/quantity.h"
#include "detect/feature/mask.h"

namespace neardup {
namespace {

constexpr int64_t kSecondMs = 1000;
constexpr int64_t kMinuteMs = 60 * kSecondMs;
constexpr int64_t kHourMs = 60 * kMinuteMs;
constexpr int64_t kGiB = 1024 * kMiB;

/// A regular expression for a whole text, and what it takes in words.
struct Pattern {
  std::string_view expression;
  std::string_view words;
};

constexpr Pattern kAnyText = {};
constexpr Pattern kAppName = {
    "^(|[a-z0-9][a-z0-9._-]{0,199})$",
    "a name of 1 to 200 lower-case letters, digits, '.', '_' or '-', starting with a letter or "
    "digit; or \"\" for one from the input topics"};
// Kafka's own rule for topic names, which excludes the two names of folders, "." and "..".
constexpr Pattern kTopicName = {"^(?!\\.{1,2}$)[a-zA-Z0-9._-]{1,249}$",
                                "a topic name: 1 to 249 letters, digits, '.', '_' or '-'"};
constexpr Pattern kTopicNameOrNone = {
    "^(|(?!\\.{1,2}$)[a-zA-Z0-9._-]{1,249})$",
    "a topic name: 1 to 249 letters, digits, '.', '_' or '-'; or \"\" for none"};
constexpr Pattern kTopicTemplate = {
    "^(?!\\.{1,2}$)([a-zA-Z0-9._-]|\\{topic\\}){1,249}$",
    "a topic name of letters, digits, '.', '_' or '-', where {topic} stands for the input topic"};
// RFC 6901: in a pointer, '~' only stands before 0 or 1.
constexpr Pattern kField = {"^([^/][\\s\\S]*|(/([^~/]|~[01])*)+)$",
                            "a field: a top-level name, or a JSON Pointer such as /article/title"};
constexpr Pattern kFieldOrNone = {
    "^(|[^/][\\s\\S]*|(/([^~/]|~[01])*)+)$",
    "a field: a top-level name, or a JSON Pointer such as /article/title, or \"\" for none"};
constexpr Pattern kBrokers = {"^[^\\s,]+(,[^\\s,]+)*$",
                              "host:port, several separated by commas without spaces"};
constexpr Pattern kUser = {"^[^:]*$", "a name without a colon"};
constexpr Pattern kHost = {"^\\S+$", "a host name or an address"};
constexpr Pattern kIpOrNone = {"^[0-9A-Fa-f.:]*$", "an IPv4 or IPv6 address, or nothing"};

Setting EmptyRow(SettingKind kind, std::string path, std::string help) {
  Setting row;
  row.path = std::move(path);
  row.kind = kind;
  row.help = std::move(help);
  return row;
}

// Each function below makes a row of one kind. `member` returns the row's member of a Settings,
// const or not.

/// For a member whose type is one of SettingValue's.
template <class Value, class Member>
Setting PlainRow(SettingKind kind, std::string path, Member member, std::string help) {
  Setting row = EmptyRow(kind, std::move(path), std::move(help));
  row.get = [member](const Settings& settings) { return SettingValue(Value(member(settings))); };
  row.set = [member](Settings& settings, const SettingValue& value) {
    member(settings) = std::get<Value>(value);
  };
  return row;
}

/// Text, or a list of texts or fields; the pattern holds for the text or each item.
template <class Value, class Member>
Setting PatternRow(SettingKind kind, std::string path, Member member, const Pattern& pattern,
                   std::string help) {
  Setting row = PlainRow<Value>(kind, std::move(path), member, std::move(help));
  row.pattern = pattern.expression;
  row.pattern_words = pattern.words;
  return row;
}

template <class Member>
Setting Text(std::string path, Member member, const Pattern& pattern, std::string help) {
  return PatternRow<std::string>(SettingKind::kText, std::move(path), member, pattern,
                                 std::move(help));
}

Setting Secret(Setting row) {
  row.secret = true;
  return row;
}

template <class Member>
Setting TextList(std::string path, Member member, const Pattern& pattern, std::string help) {
  return PatternRow<std::vector<std::string>>(SettingKind::kTextList, std::move(path), member,
                                              pattern, std::move(help));
}

template <class Member>
Setting FieldList(std::string path, Member member, std::string help) {
  return PatternRow<std::vector<FieldSelector>>(SettingKind::kFieldList, std::move(path), member,
                                                kField, std::move(help));
}

template <class Member>
Setting Properties(std::string path, Member member, std::string help) {
  return PlainRow<TextMap>(SettingKind::kTextMap, std::move(path), member, std::move(help));
}

template <class Member>
Setting Share(std::string path, Member member, std::string help) {
  return PlainRow<double>(SettingKind::kShare, std::move(path), member, std::move(help));
}

template <class Member>
Setting Flag(std::string path, Member member, std::string help) {
  return PlainRow<bool>(SettingKind::kFlag, std::move(path), member, std::move(help));
}

template <class Member, class Number>
Setting NumberRow(SettingKind kind, std::string path, Member member, Range<Number> range,
                  std::string help) {
  Setting row = EmptyRow(kind, std::move(path), std::move(help));
  row.min = static_cast<int64_t>(range.min);
  row.max = static_cast<int64_t>(range.max);
  row.get = [member](const Settings& settings) {
    return SettingValue(static_cast<int64_t>(member(settings)));
  };
  row.set = [member](Settings& settings, const SettingValue& value) {
    auto& target = member(settings);
    target = static_cast<std::decay_t<decltype(target)>>(std::get<int64_t>(value));
  };
  return row;
}

template <class Member, class Number = int64_t>
Setting Integer(std::string path, Member member, Range<Number> range, std::string help) {
  return NumberRow(SettingKind::kInteger, std::move(path), member, range, std::move(help));
}

template <class Member, class Number = int64_t>
Setting Duration(std::string path, Member member, Range<Number> range, std::string help) {
  return NumberRow(SettingKind::kDuration, std::move(path), member, range, std::move(help));
}

template <class Member, class Number = int64_t>
Setting Bytes(std::string path, Member member, Range<Number> range, std::string help) {
  return NumberRow(SettingKind::kBytes, std::move(path), member, range, std::move(help));
}

/// `names` holds the name of every value of the enum, in the order of the enum.
template <class Member>
Setting Choice(std::string path, Member member, std::vector<std::string> names, std::string help) {
  Setting row = EmptyRow(SettingKind::kChoice, std::move(path), std::move(help));
  row.choices = names;
  row.get = [member, names](const Settings& settings) {
    return SettingValue(names.at(static_cast<size_t>(member(settings))));
  };
  row.set = [member, names](Settings& settings, const SettingValue& value) {
    const auto name = std::find(names.begin(), names.end(), std::get<std::string>(value));
    if (name == names.end()) return;
    auto& target = member(settings);
    target = static_cast<std::decay_t<decltype(target)>>(name - names.begin());
  };
  return row;
}

/// 0 is inside the range, but no replication factor.
Setting WithoutZero(Setting row) {
  row.except = 0;
  return row;
}

Setting MasksList(std::string path) {
  const std::vector<std::string> names = MaskNames(kAllMasks);
  const std::vector<std::string> for_logs = MaskNames(kLogMasks);
  Setting row = EmptyRow(
      SettingKind::kTextList, std::move(path),
      fmt::format("Parts of text that are compared as equal whatever they say; for logs: [{}]. "
                  "number masks every word with a digit. Masks do not apply to key fields.",
                  fmt::join(for_logs, ", ")));
  row.pattern = fmt::format("^({})$", fmt::join(names, "|"));
  row.pattern_words = fmt::format("one of {}", fmt::join(names, ", "));
  row.get = [](const Settings& settings) {
    return SettingValue(MaskNames(settings.lane.filter.feature.masks));
  };
  row.set = [](Settings& settings, const SettingValue& value) {
    settings.lane.filter.feature.masks = MasksNamed(std::get<std::vector<std::string>>(value));
  };
  return row;
}

/// Names a member of const and of non-const Settings.
#define NEARDUP_MEMBER(member) \
  [](auto& settings) -> auto& { return settings.member; }

std::vector<Setting> InputRows() {
  return {
      TextList("input.topics", NEARDUP_MEMBER(kafka.topics), kTopicName,
               "Topics to read. `neardup run` needs at least one."),
      TextList("input.topics_before", NEARDUP_MEMBER(input_topics_before), kTopicName,
               "All topics that this pipeline read until now, if input.topics is to replace them. "
               "If empty, an instance refuses a changelog of other topics. Needs `app`. Has no "
               "effect once the change is made."),
      Choice("input.start", NEARDUP_MEMBER(lane.start_at), {"earliest", "latest"},
             "Where to start in the partitions of a topic that this app has not read before. A new "
             "partition of a known topic is always read from its beginning."),
      Duration("input.partitions_refresh_ms", NEARDUP_MEMBER(lane.partitions_refresh_ms),
               {kSecondMs, kHourMs}, "Time between two searches for new partitions."),
      Choice("input.on_data_loss", NEARDUP_MEMBER(lane.on_data_loss), {"fail", "continue"},
             "What to do when records of an input were deleted before they were read, or its topic "
             "was created again. fail: stop and say what is gone; continue: go on at the first "
             "offset that the log holds."),
      Choice("input.on_missing_topic", NEARDUP_MEMBER(lane.on_missing_topic), {"fail", "continue"},
             "What to do when an input topic that was read before does not exist any more. fail: "
             "stop; continue: read the other topics."),
      Duration("input.idle_ms", NEARDUP_MEMBER(lane.idle_ms), {0, 24 * kHourMs},
               "A partition that has been at its end for this long does not hold the watermark "
               "back."),
  };
}

std::vector<Setting> OutputRows() {
  return {
      Text("output.unique_topic", NEARDUP_MEMBER(kafka.unique_topic), kTopicTemplate,
           "Topic for unique records. {topic} stands for the input topic."),
      Text("output.duplicate_topic", NEARDUP_MEMBER(kafka.duplicate_topic), kTopicTemplate,
           "Topic for duplicates: records that repeat an earlier one."),
      Text("output.dead_letter_topic", NEARDUP_MEMBER(kafka.dead_letter_topic), kTopicTemplate,
           "Topic for dead letters: records that cannot be compared."),
      TextList("output.topics_before", NEARDUP_MEMBER(output_topics_before), kTopicTemplate,
               "The unique_topic, duplicate_topic and dead_letter_topic that this pipeline had "
               "until now, if those above are to replace them. Has no effect once the change is "
               "made."),
      Choice("output.unique_key", NEARDUP_MEMBER(lane.unique_key), {"record", "group"},
             "Key of the records on the unique topic. record: their own; group: the position of "
             "the first record of their group, so that a compacted topic keeps the newest record "
             "of each group (routing.keep). The header neardup-key then holds their own key."),
      Text("output.groups_topic", NEARDUP_MEMBER(kafka.groups_topic), kTopicNameOrNone,
           "Compacted topic that says of each record that was copied how often and when, in the "
           "same transactions, such as articles-groups. Empty: none."),
      Choice("output.headers", NEARDUP_MEMBER(lane.headers), {"packed", "separate", "full"},
             "Headers that carry the verdict on an output record. packed: one header, `neardup`; "
             "separate: neardup-seq, neardup-origin and so on; full: packed with the fingerprint."),
      Choice(
          "output.on_foreign_records", NEARDUP_MEMBER(on_foreign_records), {"fail", "continue"},
          "What happens at a first start if the output topics hold records of another app, or of "
          "this app before it was reset. fail: stop; continue: write behind them, so that "
          "records may be in the outputs twice."),
      Flag("output.create_topics", NEARDUP_MEMBER(kafka.create_topics),
           "Create output, groups, changelog and lease topics that do not exist."),
      WithoutZero(Integer("output.replication_factor", NEARDUP_MEMBER(kafka.replication_factor),
                          {-1, 32767}, "Replicas of created topics. -1: the broker's default.")),
  };
}

std::vector<Setting> LanesRows() {
  return {
      Integer("lanes.count", NEARDUP_MEMBER(kafka.lanes), {1, kLanesMax},
              "How many lanes share the input topics. Partition p belongs to lane p modulo this "
              "number, and each lane finds the duplicates among its own partitions. A changelog "
              "keeps its number."),
      Integer("lanes.lane", NEARDUP_MEMBER(kafka.lane), {0, 63},
              "Which lane this instance runs: 0 to lanes.count - 1."),
      Choice(
          "lanes.on_partition_growth", NEARDUP_MEMBER(lane.on_partition_growth),
          {"fail", "continue"},
          "What happens with several lanes when an input topic gets more partitions, which moves "
          "keys between the lanes. fail: the lane that gets a new partition waits; continue: it "
          "reads the partition and logs it."),
  };
}

std::vector<Setting> RoutingRows() {
  return {
      Choice("routing.mode", NEARDUP_MEMBER(lane.routing.mode), {"route", "observe"},
             "route: each record goes to the topic of its verdict; observe: each record goes to "
             "the unique topic, and its header states the verdict, so that consumers of that topic "
             "see the stream as it was."),
      Choice("routing.mode_before", NEARDUP_MEMBER(routing_mode_before),
             {"same", "route", "observe"},
             "The routing.mode that this pipeline had until now, if routing.mode is to replace it. "
             "same: an instance refuses the changelog of a lane with another mode. Has no effect "
             "once the change is made."),
      Choice("routing.exact", NEARDUP_MEMBER(lane.routing.exact), {"route", "drop"},
             "What happens to exact duplicates while routing.mode is route. route: they go to the "
             "duplicate topic; drop: to no topic. The changelog counts them."),
      Choice("routing.near", NEARDUP_MEMBER(lane.routing.near), {"route", "drop"},
             "The same for near duplicates."),
      Choice("routing.keep", NEARDUP_MEMBER(lane.routing.keep), {"first", "newest"},
             "Which record of a group of duplicates the unique topic keeps. first: the one that "
             "came first; newest: a duplicate with a later event time than the others also goes to "
             "the unique topic, and its header names the record that it replaces."),
      Integer("routing.release_exact_one_of", NEARDUP_MEMBER(lane.routing.release_exact_one_of),
              {0, 1'000'000'000},
              "Of the exact duplicates, one of this many goes to the unique topic, and its header "
              "says that it is released. Its position decides which. 0: none."),
      Integer("routing.release_near_one_of", NEARDUP_MEMBER(lane.routing.release_near_one_of),
              {0, 1'000'000'000}, "The same for near duplicates."),
  };
}

std::vector<Setting> DeadLettersRows() {
  return {
      Share(
          "dead_letters.share_max", NEARDUP_MEMBER(lane.dead_letters.share_max),
          "A larger share of dead letters among the first 100 records, or later among the records "
          "of a minute, is too large. It is judged at each commit. 1: no share is too large."),
      Choice(
          "dead_letters.on_excess", NEARDUP_MEMBER(lane.dead_letters.on_excess), {"warn", "fail"},
          "What happens then. warn: an error line in the log, and the metric "
          "neardup_dead_letters_excessive is 1; fail: the service also stops before the commit. A "
          "service that has committed nothing yet always stops, if it has at least 20 records."),
  };
}

std::vector<Setting> RecordRows() {
  return {
      FieldList(
          "record.fields", NEARDUP_MEMBER(lane.filter.record.fields),
          "Fields to compare: top-level names, JSON Pointers (/article/title), or {path: "
          "title, weight: 2}. In a pointer, * stands for every element of an array. {path: "
          "user, key: true} is a key field: duplicates must be equal in it; {path: \"\", key: "
          "true} stands for all other fields. {path: shop, free: true} may differ where the "
          "text says what the record is. Empty: with match.mode auto the lane learns them; "
          "otherwise every top-level field that is not excluded is compared."),
      TextList("record.exclude", NEARDUP_MEMBER(lane.filter.record.exclude), kField,
               "Fields that are never compared, not even inside a selected field."),
      Choice("record.missing_fields", NEARDUP_MEMBER(lane.filter.record.missing_fields),
             {"all", "any"},
             "A record is a dead letter if all, or any, of the selected fields are missing or "
             "null."),
      Choice("record.null_value", NEARDUP_MEMBER(lane.filter.record.null_value),
             {"dead-letter", "unique"},
             "Where a record with Kafka's null value (a tombstone) goes."),
      Text("record.time_field", NEARDUP_MEMBER(lane.filter.record.time_field), kFieldOrNone,
           "Field that holds the event time. Empty: the record's timestamp is the event time."),
      Choice("record.time_format", NEARDUP_MEMBER(lane.filter.record.time_format),
             {"rfc3339", "milliseconds", "seconds"},
             "Format of the event time in record.time_field."),
      Choice("record.missing_time", NEARDUP_MEMBER(lane.filter.record.missing_time),
             {"dead-letter", "timestamp"},
             "What happens to a record whose record.time_field is missing or null: it is a dead "
             "letter, or its timestamp is its event time, as for topics of several schemas."),
      Bytes("record.record_bytes_max", NEARDUP_MEMBER(lane.filter.record.record_bytes_max),
            RecordOptions::kRecordBytesMaxRange,
            "A record with a larger payload is a dead letter."),
      Integer("record.depth_max", NEARDUP_MEMBER(lane.filter.record.depth_max),
              RecordOptions::kDepthMaxRange,
              "A record with more deeply nested JSON is a dead letter."),
  };
}

std::vector<Setting> FeatureRows() {
  return {
      Integer("feature.features_min", NEARDUP_MEMBER(lane.filter.feature.features_min),
              FeatureOptions::kFeaturesMinRange,
              "A record with fewer distinct tokens matches only equal records."),
      Flag("feature.markup", NEARDUP_MEMBER(lane.filter.feature.markup),
           "Remove tags of HTML from text, and decode its named characters, before comparing."),
      MasksList("feature.masks"),
      Text("feature.model", NEARDUP_MEMBER(model_file), kAnyText,
           "Model file written by `neardup tune`. A relative path starts at the "
           "folder of this file. Empty: no model."),
  };
}

std::vector<Setting> MatchRows() {
  return {
      Choice("match.mode", NEARDUP_MEMBER(learning.mode), {"auto", "near", "exact"},
             "auto: the lane learns from a sample what to compare and how. Settings that are given "
             "win, and the others are learned. feature.model turns learning off. near: the lane "
             "compares as the settings say. exact: only records with "
             "equal fields are duplicates (match.distance_max 0)."),
      Share("match.similarity", NEARDUP_MEMBER(lane.filter.match.similarity),
            "Share of the phrases (three words in a row) that near duplicates have in common, from "
            "0.5 to 0.95. The distances below, in bits, are limited by it. 0: they alone decide."),
      Integer("match.distance_max", NEARDUP_MEMBER(lane.filter.match.distance_max),
              MatchOptions::kDistanceMaxRange,
              "Largest Hamming distance between the simhashes of duplicates, in bits. 0: only "
              "records with equal fields are duplicates. With 0, fingerprints hold no simhash: to "
              "change a lane that has decided records from 0 to another distance, or back, stop it "
              "and run `neardup reindex`."),
      Integer("match.suspect_distance_max", NEARDUP_MEMBER(lane.filter.match.suspect_distance_max),
              MatchOptions::kSuspectDistanceMaxRange,
              "A unique record whose nearest original is farther away than match.distance_max, and "
              "at most this far, is a suspect: it goes to the unique topic, and its header names "
              "that original. 0: no suspects."),
      Integer("match.distance_sum_max", NEARDUP_MEMBER(lane.filter.match.distance_sum_max),
              MatchOptions::kDistanceSumMaxRange,
              "Largest sum, in bits, of that distance and the distance between the hashes of word "
              "order."),
      Integer("match.distance_chance_max", NEARDUP_MEMBER(lane.filter.match.distance_chance_max),
              MatchOptions::kDistanceChanceMaxRange,
              "Largest of these distances, in bits, between records that share no text key. The "
              "larger the window, the smaller it must be, or unrelated records match by chance. 0: "
              "such records are duplicates only if they are equal."),
      Integer("match.features_per_bit", NEARDUP_MEMBER(lane.filter.match.features_per_bit),
              MatchOptions::kFeaturesPerBitRange,
              "Distinct tokens a record needs for each bit of distance. One with fewer is allowed "
              "less distance, because one changed word weighs more in it. 0: no such limit."),
      Flag("match.widen", NEARDUP_MEMBER(lane.filter.match.widen),
           "Allow 2 more bits in both distances if two records share a text key, and 4 more if "
           "they share several. For streams that `neardup tune` found fit for it."),
      Flag("match.text_keys", NEARDUP_MEMBER(lane.filter.match.text_keys),
           "Look records up by hashes of three adjacent words too. Finds most originals beyond "
           "distance 3, where the guarantee ends."),
      Flag("match.neighbours", NEARDUP_MEMBER(lane.filter.match.neighbours),
           "Look up all blocks that differ in one bit too. Guarantees to find originals up to "
           "distance 7 instead of 3, at 64 more probes per record."),
      Flag("match.numbers", NEARDUP_MEMBER(lane.filter.match.numbers),
           "Near records must not hold numbers that conflict: numbers that only one of them has, "
           "on both sides, in more than 2 % of the words. false: for records whose copies have "
           "typing errors in their numbers."),
  };
}

std::vector<Setting> AutoRows() {
  return {
      Choice("auto.sample", NEARDUP_MEMBER(learning.sample), {"spread", "earliest", "latest"},
             "Which records of the input topics the lane learns from. spread: of the whole length "
             "of all partitions; earliest: the oldest; latest: the newest."),
      Integer("auto.records_max", NEARDUP_MEMBER(learning.records_max), {50, 100'000},
              "Largest number of records to learn from. At most 64 MiB of them are read."),
      Integer("auto.records_min", NEARDUP_MEMBER(learning.records_min), {50, 10'000},
              "Number of records that the lane waits for at its first start, unless input.start is "
              "latest. A lane that found fewer learns again when it has decided this many."),
      Duration("auto.wait_ms", NEARDUP_MEMBER(learning.wait_ms), {0, 24 * kHourMs},
               "Longest wait for auto.records_min records, counted from the first record. If there "
               "are fewer then, the settings are provisional, until the lane has decided "
               "auto.records_min records."),
  };
}

std::vector<Setting> WindowRows() {
  return {
      Duration("window.window_ms", NEARDUP_MEMBER(lane.filter.window.window_ms),
               WindowOptions::kWindowRange,
               "Two records match only if their event times are at most this far apart."),
      Duration("window.lateness_ms", NEARDUP_MEMBER(lane.filter.window.lateness_ms),
               WindowOptions::kLatenessRange,
               "Entries are kept this much longer than the window, for records that arrive late."),
      Duration("window.ahead_max_ms", NEARDUP_MEMBER(lane.filter.window.ahead_max_ms),
               WindowOptions::kAheadMaxRange,
               "An event time further ahead of the clock than this is set back to this limit."),
      Integer("window.entries_max", NEARDUP_MEMBER(lane.filter.window.entries_max),
              WindowOptions::kEntriesMaxRange,
              "Largest number of remembered unique records; the oldest are evicted first. It "
              "bounds the memory."),
  };
}

std::vector<Setting> TransactionRows() {
  return {
      Duration("transaction.interval_ms", NEARDUP_MEMBER(lane.transaction_interval_ms),
               {10, kMinuteMs},
               "A transaction is committed after this time. Shorter: lower latency; longer: less "
               "work for the brokers."),
      Bytes("transaction.bytes_max", NEARDUP_MEMBER(lane.transaction_bytes_max), {64 * kKiB, kGiB},
            "The most payload bytes that are decided and not committed. A transaction is committed "
            "when it holds three quarters of them. A record counts for at least 1 KiB."),
      Integer("transaction.batch_records_max", NEARDUP_MEMBER(lane.batch_records_max),
              {1, 1'000'000},
              "Largest number of records that are polled, fingerprinted and decided together."),
      Duration("transaction.timeout_ms", NEARDUP_MEMBER(kafka.transaction_timeout_ms),
               {kSecondMs, 15 * kMinuteMs},
               "The broker aborts a transaction that stays open for longer. Must be more than "
               "transaction.interval_ms + 1s."),
  };
}

std::vector<Setting> FilterRows() {
  return {
      Integer("filter.commit_records", NEARDUP_MEMBER(file_run.commit_records), {1, 1'000'000},
              "`neardup filter` commits after exactly this many records, whatever the clock says. "
              "It forgets old entries only then, so two runs over one file give the same bytes."),
  };
}

std::vector<Setting> LeaseRows() {
  return {
      // 6 s and 30 min are the default bounds of the brokers.
      Duration("lease.session_timeout_ms", NEARDUP_MEMBER(kafka.session_timeout_ms),
               {6 * kSecondMs, 30 * kMinuteMs},
               "A standby replaces an active instance that has been silent for this long."),
      Flag("lease.listen", NEARDUP_MEMBER(presence.listen),
           "Listen on a port of its own, which sends a name and reads nothing. By it, a standby "
           "sees at once that the active process has ended, and does not wait for "
           "lease.session_timeout_ms."),
      Text("lease.listen_address", NEARDUP_MEMBER(presence.address), kIpOrNone,
           "IP address under which other instances reach this one. Empty: the one from which it "
           "reaches the brokers."),
      Integer("lease.listen_port", NEARDUP_MEMBER(presence.port), {0, 65535},
              "Port to listen on. 0: any free one."),
      Duration("lease.heartbeat_interval_ms", NEARDUP_MEMBER(kafka.heartbeat_interval_ms),
               {50, 10 * kMinuteMs},
               "Time between two heartbeats of an instance. At most a third of "
               "lease.session_timeout_ms."),

      Duration("lease.give_up_ms", NEARDUP_MEMBER(lane.lease_give_up_ms),
               {kSecondMs, 10 * kMinuteMs},
               "An instance whose lane cannot work for this long leaves the lease to another one."),
      Duration("lease.stay_out_ms", NEARDUP_MEMBER(lane.lease_stay_out_ms), {0, 10 * kMinuteMs},
               "How long it then stays out, before it is a candidate for the lease again."),
  };
}

std::vector<Setting> RetryRows() {
  return {
      Duration("retry.backoff_min_ms", NEARDUP_MEMBER(lane.retry_backoff_min_ms),
               {1, 10 * kMinuteMs}, "First wait. Each further wait is twice as long."),
      Duration("retry.backoff_max_ms", NEARDUP_MEMBER(lane.retry_backoff_max_ms),
               {1, 10 * kMinuteMs}, "Longest wait."),
  };
}

std::vector<Setting> ThreadsRows() {
  return {
      Integer("threads.fingerprint", NEARDUP_MEMBER(lane.fingerprint_threads), {0, 1024},
              "Threads that compute fingerprints and look records up. 0: one per core."),
  };
}

std::vector<Setting> KafkaRows() {
  return {
      Text("kafka.brokers", NEARDUP_MEMBER(kafka.brokers), kBrokers,
           "Bootstrap brokers: host:port, separated by commas."),
      Properties("kafka.properties", NEARDUP_MEMBER(kafka.properties),
                 "librdkafka properties of all clients, such as security.protocol. Properties that "
                 "would break the guarantees are refused."),
      Properties("kafka.consumer_properties", NEARDUP_MEMBER(kafka.consumer_properties),
                 "librdkafka properties of consumers only."),
      Properties("kafka.producer_properties", NEARDUP_MEMBER(kafka.producer_properties),
                 "librdkafka properties of producers only, such as compression.type."),
      Duration("kafka.answer_timeout_ms", NEARDUP_MEMBER(kafka.answer_timeout_ms),
               {100, 5 * kMinuteMs},
               "Longest wait for a broker's answer to a question about topics or offsets."),
      Integer("kafka.inflight_records_max", NEARDUP_MEMBER(kafka.inflight_records_max),
              {1, 10'000'000},
              "Largest number of records that the producer holds and has not delivered yet."),
      Bytes("kafka.inflight_bytes_max", NEARDUP_MEMBER(kafka.inflight_bytes_max), {kMiB, 64 * kGiB},
            "Largest number of bytes that the producer holds and has not delivered yet. At least "
            "record.record_bytes_max."),
      Bytes("kafka.prefetch_bytes_max", NEARDUP_MEMBER(kafka.prefetch_bytes_max), {kMiB, 64 * kGiB},
            "Memory for records that are read ahead from all input partitions together. At least "
            "2 MiB for each partition are needed, and taken."),
  };
}

std::vector<Setting> MetricsRows() {
  return {
      Text("metrics.host", NEARDUP_MEMBER(http.host), kHost,
           "Address to listen on. By default only this machine reads the pages; 0.0.0.0 and :: "
           "open them to every machine that reaches this one."),
      Integer("metrics.port", NEARDUP_MEMBER(http.port), {0, 65535},
              "Port of /metrics, /status, /healthz and /readyz. 0: none of them is served."),
      Text("metrics.tls_certificate_path", NEARDUP_MEMBER(http.tls_certificate_path), kAnyText,
           "PEM file with the certificate of this server. With it, all pages are served only by "
           "TLS. When the file changes, it is read again."),
      Text("metrics.tls_key_path", NEARDUP_MEMBER(http.tls_key_path), kAnyText,
           "PEM file with the private key of the certificate."),
      Text("metrics.user", NEARDUP_MEMBER(http.user), kUser,
           "User name that /metrics and /status ask for (basic authentication). Empty: none."),
      Secret(Text("metrics.password", NEARDUP_MEMBER(http.password), kAnyText,
                  "Password of metrics.user, as ${file:/path}.")),
  };
}

std::vector<Setting> LogRows() {
  return {
      Choice("log.level", NEARDUP_MEMBER(log_level), {"debug", "info", "warn", "error"},
             "Lowest level that is logged."),
      Choice("log.format", NEARDUP_MEMBER(log_format), {"text", "json"},
             "text: lines for people; json: one JSON object per line."),
  };
}

std::vector<Setting> StateRows() {
  return {
      Text("state.dir", NEARDUP_MEMBER(state_dir), kAnyText,
           "Folder for snapshots, which make a restart fast. Each instance needs its own. Empty: "
           "no snapshots; the changelog alone restores the state."),
      Duration("state.snapshot_interval_ms", NEARDUP_MEMBER(snapshot_interval_ms),
               {kSecondMs, 24 * kHourMs},
               "Time between two snapshots, and between two purges of the changelog."),
      Choice(
          "state.on_changelog_loss", NEARDUP_MEMBER(lane.on_changelog_loss), {"fail", "continue"},
          "What to do at a start if the changelog lost records: end with an error that says what "
          "to do, or go on without them."),
      Flag("state.purge_changelog", NEARDUP_MEMBER(purge_changelog),
           "Delete changelog records that hold no live entry. Needs permission to delete records "
           "of that topic."),
  };
}

/// Stands before the sections.
Setting AppRow() {
  return Text(
      "app", NEARDUP_MEMBER(kafka.app), kAppName,
      "Name of the pipeline. The consumer group, the transactional ids, the changelog and the "
      "lease topic are named after it. Instances with the same name act as one service; give "
      "every pipeline its own name. Empty: neardup- followed by the input topics, such as "
      "neardup-news.");
}

#undef NEARDUP_MEMBER

struct Section {
  SettingSection named;
  std::vector<Setting> (*rows)();
};

const Section kSections[] = {
    {{"input", "Where records come from."}, InputRows},
    {{"output", "Where records go, and which headers they get."}, OutputRows},
    {{"lanes", "Several lanes for more than one machine, each with its own index."}, LanesRows},
    {{"routing", "Which topic a record goes to, once it is decided."}, RoutingRows},
    {{"dead_letters", "When too many records are dead letters."}, DeadLettersRows},
    {{"record", "Which fields of a record are compared, and which records are dead letters."},
     RecordRows},
    {{"feature", "How text becomes features."}, FeatureRows},
    {{"match", "When two records are duplicates."}, MatchRows},
    {{"auto", "How the lane learns at its first start, under match.mode: auto."}, AutoRows},
    {{"window", "How long records are remembered, and how many."}, WindowRows},
    {{"transaction", "How much work is committed at once."}, TransactionRows},
    {{"filter", "How `neardup filter` works through a file. Other commands do not use it."},
     FilterRows},
    {{"lease", "How instances of one app agree which of them is active."}, LeaseRows},
    {{"retry", "How long the lane waits after an error before it starts again."}, RetryRows},
    {{"threads", "How many threads work."}, ThreadsRows},
    {{"kafka", "How to connect to Kafka."}, KafkaRows},
    {{"metrics", "Where metrics and health are served."}, MetricsRows},
    {{"log", "What is logged, and in which format."}, LogRows},
    {{"state", "What is kept on disk."}, StateRows},
};

std::vector<Setting> AllRows() {
  std::vector<Setting> rows = {AppRow()};
  for (const Section& section : kSections) {
    std::vector<Setting> more = section.rows();
    std::move(more.begin(), more.end(), std::back_inserter(rows));
  }
  return rows;
}

}  // namespace

const std::vector<Setting>& SettingsTable() {
  static const std::vector<Setting> table = AllRows();
  return table;
}

const std::vector<SettingSection>& SettingSections() {
  static const std::vector<SettingSection> sections = [] {
    std::vector<SettingSection> named;
    for (const Section& section : kSections) named.push_back(section.named);
    return named;
  }();
  return sections;
}

const Setting* FindSetting(std::string_view path) {
  const std::vector<Setting>& table = SettingsTable();
  const auto row = std::find_if(table.begin(), table.end(),
                                [&](const Setting& setting) { return setting.path == path; });
  return row == table.end() ? nullptr : &*row;
}

std::string_view SectionOf(std::string_view path) {
  const size_t dot = path.find('.');
  return dot == std::string_view::npos ? std::string_view() : path.substr(0, dot);
}

std::string_view KeyOf(std::string_view path) {
  const size_t dot = path.find('.');
  return dot == std::string_view::npos ? path : path.substr(dot + 1);
}

}  // namespace neardup
