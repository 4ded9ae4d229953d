#include "config/setting_rows.h"

namespace neardup {
namespace {

constexpr int64_t kDayMs = 24 * 3600 * 1000;

}  // namespace

std::vector<Setting> ProcessRows() {
  return {
      TextRow("metrics.host", NEARDUP_MEMBER(http.host), {"^\\S+$", "a host name or an address"},
              "Address to listen on."),
      NumberRow(SettingKind::kInteger, "metrics.port", NEARDUP_MEMBER(http.port), {0, 65535},
                "Port of /metrics, /healthz and /readyz. 0: not served."),

      ChoiceRow("log.level", NEARDUP_MEMBER(log_level), {"debug", "info", "warn", "error"},
                "The least that is logged."),
      ChoiceRow("log.format", NEARDUP_MEMBER(log_format), {"text", "json"},
                "Lines for people, or one JSON object a line."),

      TextRow("state.dir", NEARDUP_MEMBER(state_dir), {},
              "Folder for snapshots, which make a restart fast; each instance has its own. Empty: "
              "none, the changelog alone restores."),
      NumberRow(SettingKind::kDuration, "state.snapshot_interval_ms",
                NEARDUP_MEMBER(snapshot_interval_ms), {1000, kDayMs},
                "How often a snapshot is written, and the changelog purged."),
      FlagRow(
          "state.purge_changelog", NEARDUP_MEMBER(purge_changelog),
          "Delete records of the changelog that hold no live entry any more. Wants the right to "
          "delete on that topic."),
  };
}

}  // namespace neardup
