#include "tune/comparison_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/number_text.h"

namespace neardup {
namespace {

using Json = nlohmann::ordered_json;

std::string Row(std::string_view name, std::string_view text) {
  return fmt::format("{:<14}{}\n", name, text);
}

/// Why drift of this aspect matters whatever `tune` would choose; empty: it does not.
std::string_view Harm(const AspectDrift& aspect) {
  if (aspect.ratio <= 1) return "";
  if (aspect.aspect == DriftAspect::kBits) return "the learned centre belongs to other texts";
  if (aspect.aspect == DriftAspect::kDeadLetters) return "dead letters are not compared at all";
  return "";
}

bool HasDrifted(const TuneComparison& comparison) {
  return comparison.drift && !Drifted(*comparison.drift).empty();
}

std::string DriftRows(const TuneComparison& comparison) {
  if (!comparison.drift) {
    return Row("drift",
               "unknown: the settings come with no profile of the sample that they were chosen "
               "from, or were changed since");
  }
  if (!HasDrifted(comparison)) return Row("drift", "none: the stream is as it was");
  std::string rows;
  for (const AspectDrift& aspect : Drifted(*comparison.drift)) {
    rows +=
        Row(rows.empty() ? "drift" : "",
            fmt::format("{} {:.1f}: {}{}", Name(aspect.aspect), aspect.ratio, aspect.text,
                        Harm(aspect).empty() ? "" : fmt::format(" (matters; {})", Harm(aspect))));
  }
  return rows;
}

std::string SettingsRows(const TuneComparison& comparison) {
  if (!comparison.no_tune.empty()) return Row("settings", comparison.no_tune);
  if (comparison.changes.empty()) return Row("settings", "tune would choose the same");
  std::string rows;
  for (const SettingsChange& change : comparison.changes) {
    rows +=
        Row(rows.empty() ? "settings" : "",
            fmt::format("{}: {}, tune would choose: {} ({}; {})", change.setting, change.was,
                        change.now, change.matters ? "matters" : "does not matter", change.reason));
  }
  return rows;
}

std::string ResultText(const TuneComparison& comparison) {
  if (Matters(comparison)) {
    return "it matters: the settings no longer fit the stream. Choose new ones with `neardup tune` "
           "and put them in force with `neardup reindex`; a lane that learns by itself needs only "
           "`neardup reindex`";
  }
  if (HasDrifted(comparison)) {
    return "it does not matter: the stream has changed, but the settings still fit it";
  }
  return "nothing has changed that matters";
}

}  // namespace

bool Matters(const TuneComparison& comparison) {
  const std::vector<AspectDrift> drift = comparison.drift.value_or(std::vector<AspectDrift>());
  return !comparison.no_tune.empty() ||
         std::any_of(drift.begin(), drift.end(),
                     [](const AspectDrift& aspect) { return !Harm(aspect).empty(); }) ||
         std::any_of(comparison.changes.begin(), comparison.changes.end(),
                     [](const SettingsChange& change) { return change.matters; });
}

std::string ComparisonText(const TuneComparison& comparison) {
  return Row("config", comparison.config) +
         Row("sample",
             fmt::format("{}, {} records", comparison.sample, Grouped(comparison.records))) +
         DriftRows(comparison) + SettingsRows(comparison) + Row("result", ResultText(comparison));
}

std::string ComparisonJson(const TuneComparison& comparison) {
  Json drift = nullptr;
  if (comparison.drift) {
    drift = Json::array();
    for (const AspectDrift& aspect : *comparison.drift) {
      drift.push_back({{"aspect", Name(aspect.aspect)},
                       {"ratio", aspect.ratio},
                       {"text", aspect.text},
                       {"matters", !Harm(aspect).empty()}});
    }
  }
  Json changes = Json::array();
  for (const SettingsChange& change : comparison.changes) {
    changes.push_back({{"setting", change.setting},
                       {"was", change.was},
                       {"now", change.now},
                       {"matters", change.matters},
                       {"reason", change.reason}});
  }
  Json json = {{"config", comparison.config},
               {"sample", comparison.sample},
               {"records", comparison.records},
               {"drift", drift},
               {"changes", changes},
               {"matters", Matters(comparison)},
               {"result", ResultText(comparison)}};
  if (!comparison.no_tune.empty()) json["error"] = comparison.no_tune;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace neardup
