#include "config/settings_table.h"

#include <algorithm>
#include <iterator>

#include "config/setting_rows.h"

namespace neardup {

const std::vector<Setting>& SettingsTable() {
  static const std::vector<Setting> table = [] {
    std::vector<Setting> rows;
    for (auto part : {StreamRows(), FilterRows(), EngineRows(), ProcessRows()}) {
      std::move(part.begin(), part.end(), std::back_inserter(rows));
    }
    return rows;
  }();
  return table;
}

const std::vector<SettingSection>& SettingSections() {
  static const std::vector<SettingSection> sections = {
      {"input", "Where records come from."},
      {"output", "Where records go, and what is written onto them."},
      {"record", "What of a record is compared, and what makes it a dead letter."},
      {"feature", "How text becomes features."},
      {"match", "When two records are duplicates."},
      {"window", "How long, and how much, is remembered."},
      {"transaction", "How much work is committed at once."},
      {"lease", "How instances of one app agree on which of them is active."},
      {"retry", "How long to wait before the lane is taken again after an error."},
      {"threads", "How many threads work."},
      {"kafka", "How to reach Kafka."},
      {"metrics", "Where metrics and health are served."},
      {"log", "What is logged, and how."},
      {"state", "What is kept on disk."},
  };
  return sections;
}

const Setting* FindSetting(std::string_view path) {
  const std::vector<Setting>& table = SettingsTable();
  auto row = std::find_if(table.begin(), table.end(),
                          [&](const Setting& setting) { return setting.path == path; });
  return row == table.end() ? nullptr : &*row;
}

std::string_view SectionOf(std::string_view path) {
  size_t dot = path.find('.');
  return dot == std::string_view::npos ? std::string_view() : path.substr(0, dot);
}

std::string_view KeyOf(std::string_view path) {
  size_t dot = path.find('.');
  return dot == std::string_view::npos ? path : path.substr(dot + 1);
}

}  // namespace neardup
