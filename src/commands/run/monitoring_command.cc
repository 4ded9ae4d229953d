#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "commands/program/command_line.h"
#include "commands/program/commands.h"
#include "commands/run/monitoring_files.h"
#include "service/run/version.h"

namespace neardup {
namespace {

/// A mark of the rules, and the option that replaces it. The defaults are the defaults of the
/// chart.
struct Mark {
  std::string_view mark;
  const char* option;
  const char* value;
  const char* type;
  const char* help;
};
constexpr Mark kMarks[] = {
    {"<SELECTOR>", "--selector", R"(job="neardup")", "MATCHERS",
     "the labels of the instances of one lane, as PromQL selects them"},
    {"<STANDBYS>", "--standbys", "1", "N", "how many standbys there should be"},
    {"<LAG_SECONDS>", "--lag-seconds", "300", "N", "seconds that records may wait"},
    {"<LAG_RECORDS>", "--lag-records", "10000", "N", "records that may wait while the lag grows"},
    {"<SNAPSHOT_AGE_SECONDS>", "--snapshot-age-seconds", "900", "N",
     "largest age of the newest snapshot"},
    {"<DUPLICATE_SHARE_CHANGE>", "--duplicate-share-change", "0.3", "N",
     "largest change of the share of duplicates within a day"},
    {"<MEMORY_SHARE>", "--memory-share", "0.95", "N", "largest share of the bound on memory"},
};

using Values = std::map<std::string_view, std::string>;  ///< by mark

std::string RulesWith(const Values& values) {
  std::string_view rest = kAlertRules;
  rest.remove_prefix(rest.find("groups:"));  // the comments are for the chart
  std::string text = fmt::format(
      "# Alerts of neardup {}, printed by `neardup monitoring rules`. docs/monitoring.md "
      "has a runbook for each.\n",
      kVersion);
  while (!rest.empty()) {
    const auto begins = [rest](const auto& value) { return rest.starts_with(value.first); };
    const auto value = std::find_if(values.begin(), values.end(), begins);
    text += value == values.end() ? std::string(1, rest.front()) : value->second;
    rest.remove_prefix(value == values.end() ? 1 : value->first.size());
  }
  return text;
}

}  // namespace

void AddMonitoring(CommandLine& line) {
  CLI::App* group = line.AddGroup("monitoring", "print what Prometheus and Grafana take");
  CLI::App* rules = line.AddTo(group, "rules", "print alerts as a file of rules for Prometheus",
                               {"neardup monitoring rules --selector 'job=\"articles\"'"});
  const auto values = std::make_shared<Values>();
  for (const Mark& mark : kMarks) {
    std::string& value = (*values)[mark.mark] = mark.value;
    CLI::Option* option = rules->add_option(mark.option, value, mark.help);
    option->type_name(mark.type)->capture_default_str();
    if (std::string_view(mark.type) == "N") option->check(CLI::NonNegativeNumber);
  }
  line.Prints(rules, [values] { return RulesWith(*values); });
  line.Prints(line.AddTo(group, "dashboard", "print the dashboard, as Grafana imports it",
                         {"neardup monitoring dashboard > neardup.json"}),
              [] { return std::string(kDashboard); });
}

}  // namespace neardup
