#include <algorithm>

#include "config/setting_rows.h"
#include "fingerprint/schemes.h"

namespace neardup {
namespace {

constexpr int64_t kYearsMs = int64_t{10} * 365 * 24 * 3600 * 1000;
constexpr int64_t kKiB = 1024;
constexpr int64_t kGiB = kKiB * kKiB * kKiB;

// RFC 6901: in a pointer, '~' only stands before 0 or 1.
const char kFieldExpression[] = "[^/].*|(/([^~/]|~[01])*)+";
const char kFieldWords[] = "a field: a top-level name, or a JSON Pointer such as /article/title";

struct MaskName {
  const char* name;
  bool Masks::*member;
};
constexpr MaskName kMaskNames[] = {{"time", &Masks::time},
                                   {"uuid", &Masks::uuid},
                                   {"ip", &Masks::ip},
                                   {"hex", &Masks::hex},
                                   {"number", &Masks::number}};

Setting MaskRow() {
  Setting row;
  row.path = "feature.masks";
  row.kind = SettingKind::kTextList;
  row.help =
      "Parts of texts that count as equal whatever they say, such as [time, uuid, ip, hex, number] "
      "for logs. number takes every word with a digit. Key fields stay as they are.";
  row.pattern = "^(time|uuid|ip|hex|number)$";
  row.pattern_words = "one of time, uuid, ip, hex, number";
  row.get = [](const Settings& settings) {
    std::vector<std::string> names;
    for (const MaskName& mask : kMaskNames) {
      if (settings.lane.filter.feature.masks.*mask.member) names.emplace_back(mask.name);
    }
    return SettingValue(names);
  };
  row.set = [](Settings& settings, const SettingValue& value) {
    const auto& names = std::get<std::vector<std::string>>(value);
    for (const MaskName& mask : kMaskNames) {
      settings.lane.filter.feature.masks.*mask.member =
          std::find(names.begin(), names.end(), mask.name) != names.end();
    }
  };
  return row;
}

std::vector<Setting> RecordRows() {
  const Pattern field = {std::string("^(") + kFieldExpression + ")$", kFieldWords};
  Setting fields = PlainRow<std::vector<FieldSelector>>(
      SettingKind::kFieldList, "record.fields", NEARDUP_MEMBER(lane.filter.record.fields),
      "Fields to compare: top-level names, JSON Pointers (/article/title), or {path: title, "
      "weight: 2}. {path: user, key: true}: duplicates are equal in this field. Empty: every "
      "top-level field that is not excluded.");
  fields.pattern = field.expression;
  fields.pattern_words = field.words;
  return {
      fields,
      TextListRow("record.exclude", NEARDUP_MEMBER(lane.filter.record.exclude), field,
                  "Fields that are never compared, also below a selected field."),
      ChoiceRow("record.missing_fields", NEARDUP_MEMBER(lane.filter.record.missing_fields),
                {"all", "any"},
                "A record is a dead letter when all, or any, of the fields are missing or null."),
      ChoiceRow("record.null_value", NEARDUP_MEMBER(lane.filter.record.null_value),
                {"dead-letter", "unique"},
                "Where a record with Kafka's null value (a tombstone) goes."),
      TextRow(
          "record.time_field", NEARDUP_MEMBER(lane.filter.record.time_field),
          {std::string("^(|") + kFieldExpression + ")$", std::string(kFieldWords) + ", or \"\""},
          "Field with the event time. Empty: the record's timestamp."),
      ChoiceRow("record.time_format", NEARDUP_MEMBER(lane.filter.record.time_format),
                {"rfc3339", "milliseconds", "seconds"}, "How the event time is written there."),
      NumberRow(SettingKind::kBytes, "record.record_bytes_max",
                NEARDUP_MEMBER(lane.filter.record.record_bytes_max), {kKiB, kGiB},
                "Larger payloads are dead letters."),
      NumberRow(SettingKind::kInteger, "record.depth_max",
                NEARDUP_MEMBER(lane.filter.record.depth_max), {1, 1024},
                "Deeper JSON is a dead letter."),
  };
}

Setting MatchSchemeRow() {
  Setting row = PlainRow<std::string>(
      SettingKind::kChoice, "match.scheme", NEARDUP_MEMBER(lane.filter.scheme.name),
      "What tells duplicates: neardup, or one of the other methods of docs/schemes.md, to which "
      "none of the settings below but scheme_options matters.");
  row.choices.push_back(MatchScheme().name);
  for (const std::string_view name : SchemeNames()) row.choices.emplace_back(name);
  return row;
}

}  // namespace

std::vector<Setting> FilterRows() {
  std::vector<Setting> rows = RecordRows();
  const std::vector<Setting> others = {
      NumberRow(SettingKind::kInteger, "feature.features_min",
                NEARDUP_MEMBER(lane.filter.feature.features_min), {0, 1000},
                "A record with fewer distinct tokens is only compared exactly."),
      FlagRow("feature.markup", NEARDUP_MEMBER(lane.filter.feature.markup),
              "Take <...> out of text and decode character entities before comparing."),
      MaskRow(),

      TextRow("feature.model", NEARDUP_MEMBER(model_file), {},
              "File of a model learned with `neardup learn` or `neardup tune`; a relative path "
              "counts from the folder of this file. Empty: none."),

      MatchSchemeRow(),
      PlainRow<NumberMap>(SettingKind::kNumberMap, "match.scheme_options",
                          NEARDUP_MEMBER(lane.filter.scheme.values),
                          "Numbers another scheme than neardup takes, by name; those that are left "
                          "out have their default."),
      NumberRow(SettingKind::kInteger, "match.distance_max",
                NEARDUP_MEMBER(lane.filter.match.distance_max), {0, 12},
                "Largest Hamming distance of two fingerprints that is a duplicate. 0: only records "
                "whose fields are equal."),
      NumberRow(SettingKind::kInteger, "match.distance_sum_max",
                NEARDUP_MEMBER(lane.filter.match.distance_sum_max), {0, 128},
                "Largest sum of that distance and of the one of the sketches of word order."),
      NumberRow(
          SettingKind::kInteger, "match.features_per_bit",
          NEARDUP_MEMBER(lane.filter.match.features_per_bit), {0, 100},
          "Distinct tokens a record must have for each bit of distance allowed; one with fewer "
          "is allowed less, because one changed word counts for more in it. 0: no such rule."),
      FlagRow("match.widen", NEARDUP_MEMBER(lane.filter.match.widen),
              "Allow both 2 bits more where two records share a text key, 4 where they share more. "
              "For streams that were found fit for it with `neardup tune`."),
      FlagRow("match.text_keys", NEARDUP_MEMBER(lane.filter.match.text_keys),
              "Look records up by hashes of three adjacent words too: finds most of the originals "
              "beyond distance 3, where the guarantee ends."),
      FlagRow("match.neighbours", NEARDUP_MEMBER(lane.filter.match.neighbours),
              "Look up all blocks that differ in one bit too: guarantees to find originals up to "
              "distance 7 instead of 3, at 64 more probes a record."),

      NumberRow(SettingKind::kDuration, "window.window_ms",
                NEARDUP_MEMBER(lane.filter.window.window_ms), {1000, kYearsMs},
                "Two records match only if their event times are at most this far apart."),
      NumberRow(SettingKind::kDuration, "window.lateness_ms",
                NEARDUP_MEMBER(lane.filter.window.lateness_ms), {0, kYearsMs},
                "Entries are kept this much longer, for records that arrive late."),
      NumberRow(SettingKind::kDuration, "window.ahead_max_ms",
                NEARDUP_MEMBER(lane.filter.window.ahead_max_ms), {0, kYearsMs},
                "An event time further ahead of the clock than this is clamped."),
      NumberRow(SettingKind::kInteger, "window.entries_max",
                NEARDUP_MEMBER(lane.filter.window.entries_max), {1000, 1'000'000'000},
                "Unique records remembered at most; the oldest go first. It bounds the memory."),
  };
  rows.insert(rows.end(), others.begin(), others.end());
  return rows;
}

}  // namespace neardup
