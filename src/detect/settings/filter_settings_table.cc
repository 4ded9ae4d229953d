#include "detect/settings/filter_settings_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "detect/feature/mask.h"

namespace neardup {
namespace {

struct MasksCodec {
  SettingValue Get(const Masks& masks) const { return MaskNames(masks); }
  void Set(Masks& masks, const SettingValue& value) const {
    masks = MasksNamed(std::get<std::vector<std::string>>(value));
  }
};

auto MasksSetting() {
  const std::vector<std::string> names = MaskNames(kAllMasks);
  SettingRow row{
      "feature.masks", SettingKind::kTextList,
      fmt::format("Parts of text that are compared as equal whatever they say; for logs: [{}]. "
                  "number masks every word with a digit. Masks do not apply to key fields.",
                  fmt::join(MaskNames(kLogMasks), ", "))};
  row.pattern = fmt::format("^({})$", fmt::join(names, "|"));
  row.pattern_words = fmt::format("one of {}", fmt::join(names, ", "));
  const auto member = NEARDUP_MEMBER(feature.masks);
  return MemberRow<decltype(member), MasksCodec>{std::move(row), member, {}};
}

}  // namespace

const std::vector<FilterSetting>& FilterSettingsTable() {
  static const std::vector<FilterSetting> table = {
      FieldListSetting(
          "record.fields", NEARDUP_MEMBER(record.fields),
          "Fields to compare: top-level names, JSON Pointers (/article/title), or {path: "
          "title, weight: 2}. In a pointer, * stands for every element of an array. {path: "
          "user, key: true} is a key field: duplicates must be equal in it; {path: \"\", key: "
          "true} stands for all other fields. {path: shop, free: true} may differ where the "
          "text says what the record is. Empty: with match.mode auto the lane learns them; "
          "otherwise every top-level field that is not excluded is compared.")
          .Learned(),
      TextListSetting("record.exclude", NEARDUP_MEMBER(record.exclude), kFieldPattern,
                      "Fields that are never compared, not even inside a selected field.")
          .Learned(),
      ChoiceSetting(
          "record.missing_fields", NEARDUP_MEMBER(record.missing_fields), {"all", "any"},
          "A record is a dead letter if all, or any, of the selected fields are missing or "
          "null."),
      ChoiceSetting("record.null_value", NEARDUP_MEMBER(record.null_value),
                    {"dead-letter", "unique"},
                    "Where a record with Kafka's null value (a tombstone) goes."),
      TextSetting(
          "record.time_field", NEARDUP_MEMBER(record.time_field), kFieldOrNonePattern,
          "Field that holds the event time. Empty: the record's timestamp is the event time."),
      ChoiceSetting("record.time_format", NEARDUP_MEMBER(record.time_format),
                    {"rfc3339", "milliseconds", "seconds"},
                    "Format of the event time in record.time_field."),
      ChoiceSetting(
          "record.missing_time", NEARDUP_MEMBER(record.missing_time), {"dead-letter", "timestamp"},
          "What happens to a record whose record.time_field is missing or null: it is a dead "
          "letter, or its timestamp is its event time, as for topics of several schemas."),
      BytesSetting("record.record_bytes_max", NEARDUP_MEMBER(record.record_bytes_max),
                   RecordOptions::kRecordBytesMaxRange,
                   "A record with a larger payload is a dead letter."),
      IntegerSetting("record.depth_max", NEARDUP_MEMBER(record.depth_max),
                     RecordOptions::kDepthMaxRange,
                     "A record with more deeply nested JSON is a dead letter."),
      IntegerSetting("feature.features_min", NEARDUP_MEMBER(feature.features_min),
                     FeatureOptions::kFeaturesMinRange,
                     "A record with fewer distinct tokens matches only equal records.")
          .Learned(),
      FlagSetting(
          "feature.markup", NEARDUP_MEMBER(feature.markup),
          "Remove tags of HTML from text, and decode its named characters, before comparing.")
          .Learned(),
      MasksSetting().Learned(),
      ShareSetting(
          "match.similarity", NEARDUP_MEMBER(match.similarity),
          "Share of the phrases (three words in a row) that near duplicates have in common, from "
          "0.5 to 0.95. The distances below, in bits, are limited by it. 0: they alone decide.")
          .Learned()
          .Reloading(Reloads::kAgain),
      IntegerSetting(
          "match.distance_max", NEARDUP_MEMBER(match.distance_max), MatchOptions::kDistanceMaxRange,
          "Largest Hamming distance between the simhashes of duplicates, in bits. 0: only "
          "records with equal fields are duplicates. With 0, fingerprints hold no simhash: to "
          "change a lane that has decided records from 0 to another distance, or back, stop it "
          "and run `neardup reindex`.")
          .Learned()
          .Reloading(Reloads::kAgain),
      IntegerSetting(
          "match.suspect_distance_max", NEARDUP_MEMBER(match.suspect_distance_max),
          MatchOptions::kSuspectDistanceMaxRange,
          "A unique record whose nearest original is farther away than match.distance_max, and "
          "at most this far, is a suspect: it goes to the unique topic, and its header names "
          "that original. 0: no suspects.")
          .Reloading(Reloads::kAgain),
      IntegerSetting(
          "match.distance_sum_max", NEARDUP_MEMBER(match.distance_sum_max),
          MatchOptions::kDistanceSumMaxRange,
          "Largest sum, in bits, of that distance and the distance between the hashes of word "
          "order.")
          .Learned()
          .Reloading(Reloads::kAgain),
      IntegerSetting(
          "match.distance_chance_max", NEARDUP_MEMBER(match.distance_chance_max),
          MatchOptions::kDistanceChanceMaxRange,
          "Largest of these distances, in bits, between records that share no text key. The "
          "larger the window, the smaller it must be, or unrelated records match by chance. 0: "
          "such records are duplicates only if they are equal.")
          .Learned()
          .Reloading(Reloads::kAgain),
      IntegerSetting(
          "match.features_per_bit", NEARDUP_MEMBER(match.features_per_bit),
          MatchOptions::kFeaturesPerBitRange,
          "Distinct tokens a record needs for each bit of distance. One with fewer is allowed "
          "less distance, because one changed word weighs more in it. 0: no such limit.")
          .Learned()
          .Reloading(Reloads::kAgain),
      FlagSetting(
          "match.widen", NEARDUP_MEMBER(match.widen),
          "Allow 2 more bits in both distances for each text key that two records share: at most 6 "
          "in the distance of the words, and 4 in the sum. For streams that `neardup tune` found "
          "fit for it.")
          .Learned()
          .Reloading(Reloads::kAgain),
      FlagSetting(
          "match.text_keys", NEARDUP_MEMBER(match.text_keys),
          "Look records up by hashes of three adjacent words too. Finds most originals beyond "
          "distance 3, where the guarantee ends.")
          .Learned(),
      FlagSetting(
          "match.neighbours", NEARDUP_MEMBER(match.neighbours),
          "Look up all blocks that differ in one bit too. Guarantees to find originals up to "
          "distance 7 instead of 3, at 64 more probes per record.")
          .Reloading(Reloads::kAgain),
      FlagSetting(
          "match.numbers", NEARDUP_MEMBER(match.numbers),
          "Near records must not hold numbers that conflict: numbers that only one of them has, "
          "on both sides, in more than 2 % of the words. false: for records whose copies have "
          "typing errors in their numbers.")
          .Learned()
          .Reloading(Reloads::kAgain),
      DurationSetting("window.window_ms", NEARDUP_MEMBER(window.window_ms),
                      WindowOptions::kWindowRange,
                      "Two records match only if their event times are at most this far apart.")
          .Reloading(Reloads::kAgain),
      DurationSetting(
          "window.lateness_ms", NEARDUP_MEMBER(window.lateness_ms), WindowOptions::kLatenessRange,
          "Entries are kept this much longer than the window, for records that arrive late.")
          .Reloading(Reloads::kAgain),
      DurationSetting(
          "window.ahead_max_ms", NEARDUP_MEMBER(window.ahead_max_ms), WindowOptions::kAheadMaxRange,
          "An event time further ahead of the clock than this is set back to this limit.")
          .Reloading(Reloads::kAgain),
      IntegerSetting(
          "window.entries_max", NEARDUP_MEMBER(window.entries_max), WindowOptions::kEntriesMaxRange,
          "Largest number of remembered unique records; the oldest are evicted first. It "
          "bounds the memory.")
          .Learned()
          .Reloading(Reloads::kAgain)};
  return table;
}

const FilterSetting* FindFilterSetting(std::string_view path) {
  const std::vector<FilterSetting>& table = FilterSettingsTable();
  const auto row = std::ranges::find(table, path, &FilterSetting::path);
  return row == table.end() ? nullptr : &*row;
}

bool IsFormerDefault(std::string_view path, const WrittenValue& value) {
  return (path == "match.scheme" && value.text == "neardup") ||
         (path == "match.scheme_options" && value.form == WrittenValue::Form::kMap &&
          value.items.empty());
}

}  // namespace neardup
